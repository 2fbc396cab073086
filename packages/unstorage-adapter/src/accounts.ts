import type { Adapter, AdapterAccount, AdapterAuthenticator } from "@latchkey/core/adapters"
import { digestOf, fromStored, type Items, type StoredItem, toStored } from "./items.js"
import { createOwned, findOwned, listOwned, type OwnedRecord, takeOwned } from "./owned-items.js"

type AccountMethods = Required<
  Pick<Adapter, "linkAccount" | "unlinkAccount" | "getAccount" | "getUserByAccount" | "listAccountsByUserId">
>

export function accountMethods(items: Items): AccountMethods {
  return {
    async linkAccount(account) {
      const { userId } = account
      const linked = await createOwned(items, { ...(await toRecord(account)), userId, record: account })
      return fromStored<AdapterAccount>(linked)
    },
    async unlinkAccount(account) {
      const taken = await takeOwned(items, await toRecord(account))
      return taken ? fromStored<AdapterAccount>(taken) : undefined
    },
    async getAccount(providerAccountId, provider) {
      const found = await findOwned(items, await toRecord({ provider, providerAccountId }))
      return found && fromStored<AdapterAccount>(found.item)
    },
    getUserByAccount: async (account) => (await findOwned(items, await toRecord(account)))?.owner.user ?? null,
    listAccountsByUserId: async (userId) =>
      (await listOwned(items, "account", userId)).map((item) => fromStored<AdapterAccount>(item)),
  }
}

async function toRecord({
  provider,
  providerAccountId,
}: Pick<AdapterAccount, "provider" | "providerAccountId">): Promise<OwnedRecord> {
  return { kind: "account", digest: await digestOf(provider, providerAccountId) }
}

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
      // Left over from a user whose deletion was interrupted.
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
      update(items, credentialID, ({ counter }) => ({ counter: Math.max(counter, newCounter) })),
    updateAuthenticator: ({ credentialID, name, lastUsedAt, credentialBackedUp, transports }) =>
      update(items, credentialID, () => ({ name, lastUsedAt, credentialBackedUp, transports })),
    async deleteAuthenticator(credentialID) {
      const digest = await digestOf(credentialID)
      const found = await findOwned(items, { kind, digest })
      if (!found) return null
      const credential = await withUse(items, found.item)
      await takeOwned(items, { kind, digest })
      await items.remove("use", digest, found.item.by ?? "")
      return credential
    },
  }
}

/** Adds the updated fields. They are stored separately, so that an update never restores a deleted credential. */
async function withUse(items: Items, item: StoredItem): Promise<AdapterAuthenticator> {
  const credential = fromStored<AdapterAuthenticator>(item)
  const use = await items.find("use", await digestOf(credential.credentialID), item.by ?? "")
  return { ...credential, ...(use && fromStored<Partial<AdapterAuthenticator>>(use)) }
}

/** Reads, then writes: of two concurrent updates, the later one wins. */
async function update(
  items: Items,
  credentialID: string,
  changesOf: (credential: AdapterAuthenticator) => object,
): Promise<AdapterAuthenticator> {
  const digest = await digestOf(credentialID)
  const found = await findOwned(items, { kind, digest })
  if (!found) throw new Error("The authenticator does not exist")
  const { by = "" } = found.item
  const credential = await withUse(items, found.item)
  const use = await items.find("use", digest, by)
  const item = { fields: { ...use?.fields, ...toStored(changesOf(credential)) } }
  await items.put(["use", digest, by], item)
  return { ...credential, ...fromStored<Partial<AdapterAuthenticator>>(item) }
}
