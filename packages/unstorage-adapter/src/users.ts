import type { Adapter, AdapterUser, VerifiedEmail } from "@latchkey/core/adapters"
import { digestOf, fromStored, type Items, readField, type StoredItem, toStored } from "./items.js"
import { type ExistingUser, findUser, ownedKinds, removeOwned } from "./owned-items.js"

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
    markEmailVerified: (verified) => markEmailVerified(items, verified),
    isEmailVerified: async ({ id, email }) => {
      const [verified, found] = await Promise.all([
        items.find("proven", await digestOf(id), await digestOf(email)),
        items.find("user", await digestOf(id)),
      ])
      return verified !== null && verified.born === found?.born
    },
  }
}

async function findByEmail(items: Items, email: unknown): Promise<ExistingUser | null> {
  const held = await items.find("email", await digestOf(email))
  const found = held && (await findUser(items, readField(held, "userId"), held.born))
  // The user may have another email by now.
  return found?.user.email === email ? found : null
}

/** Writes the item that marks the user as existing last, so that an interrupted call leaves nothing visible. */
async function createUser(items: Items, user: AdapterUser): Promise<AdapterUser> {
  const { id = crypto.randomUUID(), email } = user
  const digest = await digestOf(id)
  if (await items.find("user", digest)) throw new Error("createUser: the id is taken")
  const born = crypto.randomUUID()
  const profile = { fields: toStored({ ...user, id }) }
  await holdEmail(items, email, { id, born })
  await items.put(["profile", digest, born], profile)
  await items.put(["user", digest], { born, fields: {} })
  return fromStored(profile)
}

/** @throws Error if another user has the email. Of several concurrent callers, the last one gets it. */
async function holdEmail(
  items: Items,
  email: unknown,
  { id, born }: { readonly id: string; readonly born: string },
): Promise<void> {
  if (typeof email !== "string") return
  const holder = await findByEmail(items, email)
  if (holder && holder.born !== born) throw new Error("the email is taken")
  await items.put(["email", await digestOf(email)], { born, fields: toStored({ userId: id }) })
}

async function releaseEmail(items: Items, email: unknown, born: string): Promise<void> {
  const digest = await digestOf(email)
  const held = await items.find("email", digest)
  if (held?.born === born) await items.remove("email", digest)
}

async function updateUser(
  items: Items,
  { id, ...changes }: Partial<AdapterUser> & Pick<AdapterUser, "id">,
): Promise<AdapterUser> {
  const { born, user } = await getUser(items, id)
  const { email } = changes
  const isNewEmail = email !== undefined && email !== user.email
  if (isNewEmail) await holdEmail(items, email, { id, born })
  const profile: StoredItem = { fields: { ...toStored(user), ...toStored(changes) } }
  await items.put(["profile", await digestOf(id), born], profile)
  if (isNewEmail) await releaseEmail(items, user.email, born)
  return fromStored(profile)
}

/** The first step makes the user and all their records invisible. The rest frees the space and can be repeated. */
async function deleteUser(items: Items, id: string): Promise<AdapterUser | null> {
  const digest = await digestOf(id)
  const found = await findUser(items, id)
  if (found) await items.remove("user", digest)
  for (const kind of ownedKinds) await removeOwned(items, kind, digest)
  for (const email of await items.list("proven", digest)) await items.remove("proven", digest, email)
  for (const born of await items.list("profile", digest)) {
    const profile = await items.find("profile", digest, born)
    if (profile) await releaseEmail(items, readField(profile, "email"), born)
    await items.remove("profile", digest, born)
  }
  return found?.user ?? null
}

async function markEmailVerified(items: Items, { userId, email, provider }: VerifiedEmail): Promise<void> {
  const { born } = await getUser(items, userId)
  await items.put(["proven", await digestOf(userId), await digestOf(email)], { born, fields: toStored({ provider }) })
}

async function getUser(items: Items, id: string): Promise<ExistingUser> {
  const found = await findUser(items, id)
  if (!found) throw new Error("The user does not exist")
  return found
}
