import type { Adapter, AdapterAuthenticator } from "@latchkey/core/adapters"
import { digestOf } from "./digest.js"
import type { Items } from "./items.js"
import type { StoredItem } from "./key-value-storage.js"
import { createOwned, findOwned, listOwned, takeOwned } from "./owned-items.js"
import { fromStored, toStored } from "./stored-fields.js"

type AuthenticatorMethods = Required<
  Pick<
    Adapter,
    | "createAuthenticator"
    | "getAuthenticator"
    | "listAuthenticatorsByUserId"
    | "updateAuthenticatorCounter"
    | "updateAuthenticator"
    | "deleteAuthenticator"
  >
>

const kind = "credential"

export function authenticatorMethods(items: Items): AuthenticatorMethods {
  return {
    async createAuthenticator(authenticator) {
      const { userId, credentialID } = authenticator
      const digest = await digestOf(credentialID)
      const replaced = await items.find(kind, digest)
      const created = await createOwned(items, { kind, digest, userId, record: authenticator })
      // Of a user who is gone, whose removal was cut off.
      if (replaced?.by !== undefined) await items.remove("use", digest, replaced.by)
      return fromStored<AdapterAuthenticator>(created)
    },
    async getAuthenticator(credentialID) {
      const found = await findOwned(items, { kind, digest: await digestOf(credentialID) })
      return found && (await withUse(items, found.item))
    },
    async listAuthenticatorsByUserId(userId) {
      return await Promise.all((await listOwned(items, kind, userId)).map((item) => withUse(items, item)))
    },
    updateAuthenticatorCounter: (credentialID, newCounter) =>
      change(items, credentialID, ({ counter }) => ({ counter: Math.max(counter, newCounter) })),
    updateAuthenticator: ({ credentialID, name, lastUsedAt, credentialBackedUp, transports }) =>
      change(items, credentialID, () => ({ name, lastUsedAt, credentialBackedUp, transports })),
    deleteAuthenticator: (credentialID) => deleteAuthenticator(items, credentialID),
  }
}

/**
 * With what changed since it was made. That is kept apart, so that changing never brings back what was removed
 * meanwhile.
 */
async function withUse(items: Items, item: StoredItem): Promise<AdapterAuthenticator> {
  const credential = fromStored<AdapterAuthenticator>(item)
  const use = await items.find("use", await digestOf(credential.credentialID), item.by ?? "")
  return { ...credential, ...(use && fromStored<Partial<AdapterAuthenticator>>(use)) }
}

/** Reads and then writes: of two changes at the same moment the later one stays. */
async function change(
  items: Items,
  credentialID: string,
  changesOf: (credential: AdapterAuthenticator) => object,
): Promise<AdapterAuthenticator> {
  const digest = await digestOf(credentialID)
  const found = await findOwned(items, { kind, digest })
  if (!found) throw new Error("there is no such authenticator")
  const { by = "" } = found.item
  const credential = await withUse(items, found.item)
  const use = await items.find("use", digest, by)
  const item = { fields: { ...use?.fields, ...toStored(changesOf(credential)) } }
  await items.put(["use", digest, by], item)
  return { ...credential, ...fromStored<Partial<AdapterAuthenticator>>(item) }
}

async function deleteAuthenticator(items: Items, credentialID: string): Promise<AdapterAuthenticator | null> {
  const digest = await digestOf(credentialID)
  const found = await findOwned(items, { kind, digest })
  if (!found) return null
  const credential = await withUse(items, found.item)
  await takeOwned(items, { kind, digest })
  await items.remove("use", digest, found.item.by ?? "")
  return credential
}
