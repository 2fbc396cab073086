import type { Adapter, AdapterAuthenticator } from "@latchkey/core/adapters"
import type { AccountRecords } from "./account-records.js"
import { passkeyProviderId } from "./auth-config.js"

/** A passkey as its owner sees it. */
export interface Passkey {
  readonly id: string
  /** What the owner calls it, or null before they did. */
  readonly name: string | null
  /** Whether the owner's other devices have it too. */
  readonly isSynced: boolean
  /** Whether it is on something that is plugged in or held to the device. */
  readonly isSecurityKey: boolean
  readonly lastUsedAt: Date | null
}

/** What the owner of an account can do with their passkeys. Those of others are treated as if they were not there. */
export interface PasskeyRecords {
  list(userId: string): Promise<readonly Passkey[]>
  /** False when there is no such passkey. */
  rename(userId: string, id: string, name: string): Promise<boolean>
  /** Removes a passkey unless it is the user's last way to sign in. False when it was left. */
  remove(userId: string, id: string): Promise<boolean>
}

/** Of the adapter, what deals with passkeys. */
export type PasskeyStore = Pick<
  Required<Adapter>,
  "getAuthenticator" | "listAuthenticatorsByUserId" | "updateAuthenticator" | "deleteAuthenticator"
>

export function passkeyRecords(store: PasskeyStore, accounts: Pick<AccountRecords, "unlink">): PasskeyRecords {
  const owns = async (userId: string, id: string): Promise<boolean> =>
    (await store.getAuthenticator(id))?.userId === userId
  return {
    list: async (userId) => (await store.listAuthenticatorsByUserId(userId)).map(toPasskey),
    rename: async (userId, credentialID, name) => {
      if (!(await owns(userId, credentialID))) return false
      await store.updateAuthenticator({ credentialID, name })
      return true
    },
    remove: async (userId, id) => {
      if (!(await owns(userId, id))) return false
      // The account goes first, and only when another way is left: a credential without it signs nobody in.
      if (!accounts.unlink(userId, { provider: passkeyProviderId, providerAccountId: id })) return false
      await store.deleteAuthenticator(id)
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
