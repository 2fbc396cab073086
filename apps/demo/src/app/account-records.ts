import type { DatabaseSync } from "node:sqlite"
import type { Adapter, AdapterAuthenticator } from "@latchkey/core/adapters"
import { passkeyProviderId } from "./auth-config.js"

export interface LinkedAccount {
  readonly provider: string
  readonly providerAccountId: string
}

/** Queries of the account page on the adapter's tables. */
export interface AccountRecords {
  /** Accounts at other providers, without passkeys. */
  linkedAccounts(userId: string): readonly LinkedAccount[]
  /** When the user last verified the email address with a link, or null. */
  emailVerifiedAt(userId: string): Date | null
  /** @returns false if the account is gone, or is the user's only way to sign in and was kept */
  unlink(userId: string, account: LinkedAccount): boolean
}

const linkedSql = `select provider, providerAccountId from "Account"
  where userId = ? and type <> 'webauthn' order by provider, providerAccountId`

const verifiedSql = `select emailVerified from "User" where id = ?`

/**
 * Checks and deletes in one statement: of two requests that remove the last two ways to sign in at the same time, only
 * one may succeed. Email counts only once verified, because an unverified address may be misspelled.
 */
const unlinkSql = `delete from "Account" where userId = ?1 and provider = ?2 and providerAccountId = ?3 and (
  (select count(*) from "Account" where userId = ?1) > 1
  or exists (select 1 from "Password" where userId = ?1)
  or exists (select 1 from "User" where id = ?1 and emailVerified is not null))`

/** @param database The one in which the adapter has created its tables. */
export function accountRecords(database: DatabaseSync): AccountRecords {
  const linked = database.prepare(linkedSql)
  const verified = database.prepare(verifiedSql)
  const unlink = database.prepare(unlinkSql)
  return {
    linkedAccounts: (userId) =>
      linked.all(userId).map((row) => ({
        provider: String(row["provider"]),
        providerAccountId: String(row["providerAccountId"]),
      })),
    emailVerifiedAt: (userId) => {
      const value = verified.get(userId)?.["emailVerified"]
      return typeof value === "string" ? new Date(value) : null
    },
    unlink: (userId, { provider, providerAccountId }) => unlink.run(userId, provider, providerAccountId).changes === 1,
  }
}

export interface Passkey {
  readonly id: string
  /** Null until the user names it. */
  readonly name: string | null
  /** Synced to the user's other devices. */
  readonly isSynced: boolean
  /** On a key that is plugged in or held to the device. */
  readonly isSecurityKey: boolean
  readonly lastUsedAt: Date | null
}

/** A user's passkeys. Passkeys of other users are treated as missing. */
export interface PasskeyRecords {
  list(userId: string): Promise<readonly Passkey[]>
  /** @returns false if the user has no such passkey */
  rename(userId: string, id: string, name: string): Promise<boolean>
  /** @returns false if the passkey is missing, or is the user's only way to sign in and was kept */
  remove(userId: string, id: string): Promise<boolean>
}

type PasskeyAdapter = Pick<
  Required<Adapter>,
  "getAuthenticator" | "listAuthenticatorsByUserId" | "updateAuthenticator" | "deleteAuthenticator"
>

export function passkeyRecords(adapter: PasskeyAdapter, accounts: Pick<AccountRecords, "unlink">): PasskeyRecords {
  const owns = async (userId: string, id: string): Promise<boolean> =>
    (await adapter.getAuthenticator(id))?.userId === userId
  return {
    list: async (userId) => (await adapter.listAuthenticatorsByUserId(userId)).map(toPasskey),
    rename: async (userId, credentialID, name) => {
      if (!(await owns(userId, credentialID))) return false
      await adapter.updateAuthenticator({ credentialID, name })
      return true
    },
    remove: async (userId, id) => {
      if (!(await owns(userId, id))) return false
      // Unlink first, which fails for the last way to sign in. A credential without its account cannot sign in.
      if (!accounts.unlink(userId, { provider: passkeyProviderId, providerAccountId: id })) return false
      await adapter.deleteAuthenticator(id)
      return true
    },
  }
}

function toPasskey(record: AdapterAuthenticator): Passkey {
  const transports = record.transports?.split(",") ?? []
  return {
    id: record.credentialID,
    name: record.name || null,
    isSynced: record.credentialBackedUp,
    isSecurityKey: transports.some((transport) => transport === "usb" || transport === "nfc"),
    lastUsedAt: record.lastUsedAt ?? null,
  }
}
