import type { Adapter, AdapterUser, VerifiedEmail } from "@latchkey/core/adapters"
import { digestOf } from "./digest.js"
import type { Items } from "./items.js"
import type { StoredItem } from "./key-value-storage.js"
import { findUser, type LivingUser } from "./living-user.js"
import { ownedKinds, removeOwned } from "./owned-items.js"
import { fromStored, readField, toStored } from "./stored-fields.js"

type UserMethods = Required<
  Pick<
    Adapter,
    "createUser" | "getUser" | "getUserByEmail" | "updateUser" | "deleteUser" | "markEmailVerified" | "isEmailVerified"
  >
>

export function userMethods(items: Items): UserMethods {
  return {
    createUser: (user) => createUser(items, user),
    getUser: async (id) => (await findUser(items, id))?.user ?? null,
    getUserByEmail: async (email) => (await findByEmail(items, email))?.user ?? null,
    updateUser: (changes) => updateUser(items, changes),
    deleteUser: (id) => deleteUser(items, id),
    markEmailVerified: (vouched) => markEmailVerified(items, vouched),
    isEmailVerified: async ({ id, email }) => {
      const [proven, found] = await Promise.all([
        items.find("proven", await digestOf(id), await digestOf(email)),
        items.find("user", await digestOf(id)),
      ])
      return proven !== null && proven.born === found?.born
    },
  }
}

async function findByEmail(items: Items, email: unknown): Promise<LivingUser | null> {
  const held = await items.find("email", await digestOf(email))
  const found = held && (await findUser(items, readField(held, "userId"), held.born))
  // The user may have another address by now.
  return found?.user.email === email ? found : null
}

/** The one item that says that the user is there comes last: before it nothing is found of what was begun. */
async function createUser(items: Items, user: AdapterUser): Promise<AdapterUser> {
  const { id = crypto.randomUUID(), email } = user
  const digest = await digestOf(id)
  if (await items.find("user", digest)) fail("createUser: the id is taken")
  const born = crypto.randomUUID()
  const profile = { fields: toStored({ ...user, id }) }
  await takeAddress(items, email, { id, born })
  await items.put(["profile", digest, born], profile)
  await items.put(["user", digest], { born, fields: {} })
  return fromStored(profile)
}

/** @throws Error when somebody else has it. Of several who ask at the same moment, the last one gets it. */
async function takeAddress(
  items: Items,
  email: unknown,
  { id, born }: { readonly id: string; readonly born: string },
): Promise<void> {
  if (typeof email !== "string") return
  const holder = await findByEmail(items, email)
  if (holder && holder.born !== born) fail("the email is taken")
  await items.put(["email", await digestOf(email)], { born, fields: toStored({ userId: id }) })
}

async function updateUser(
  items: Items,
  { id, ...changes }: Partial<AdapterUser> & Pick<AdapterUser, "id">,
): Promise<AdapterUser> {
  const found = (await findUser(items, id)) ?? fail("updateUser: there is no such user")
  const { born, user } = found
  const { email } = changes
  const isMoving = email !== undefined && email !== user.email
  if (isMoving) await takeAddress(items, email, { id, born })
  const profile: StoredItem = { fields: { ...toStored(user), ...toStored(changes) } }
  await items.put(["profile", await digestOf(id), born], profile)
  if (isMoving) await giveAddressBack(items, user.email, born)
  return fromStored(profile)
}

async function giveAddressBack(items: Items, email: unknown, born: string): Promise<void> {
  const digest = await digestOf(email)
  const held = await items.find("email", digest)
  if (held?.born === born) await items.remove("email", digest)
}

/** From the first step on nothing of the user is found. The rest gives the space back, and can be done again. */
async function deleteUser(items: Items, id: string): Promise<AdapterUser | null> {
  const digest = await digestOf(id)
  const found = await findUser(items, id)
  if (found) await items.remove("user", digest)
  for (const kind of ownedKinds) await removeOwned(items, kind, digest)
  for (const proven of await items.list("proven", digest)) await items.remove("proven", digest, proven)
  for (const born of await items.list("profile", digest)) {
    const profile = await items.find("profile", digest, born)
    if (profile) await giveAddressBack(items, readField(profile, "email"), born)
    await items.remove("profile", digest, born)
  }
  return found?.user ?? null
}

async function markEmailVerified(items: Items, { userId, email, provider }: VerifiedEmail): Promise<void> {
  const { born } = (await findUser(items, userId)) ?? fail("markEmailVerified: there is no such user")
  await items.put(["proven", await digestOf(userId), await digestOf(email)], { born, fields: toStored({ provider }) })
}

function fail(message: string): never {
  throw new Error(message)
}
