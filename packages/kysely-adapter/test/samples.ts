import type { AdapterAccount, AdapterAuthenticator, AdapterUser } from "@latchkey/core/adapters"

export const expires = new Date("2040-02-29T23:59:59.987Z")

/** A user with a unique id and email. */
export function sampleUser(fields: Partial<AdapterUser> = {}): AdapterUser {
  const id = crypto.randomUUID()
  return { id, email: `${id}@example.com`, emailVerified: null, ...fields }
}

export function sampleAccount(userId: string, fields: Partial<AdapterAccount> = {}): AdapterAccount {
  return { userId, type: "oidc", provider: "harbour", providerAccountId: crypto.randomUUID(), ...fields }
}

export function sampleAuthenticator(userId: string, credentialID: string): AdapterAuthenticator {
  return {
    userId,
    credentialID,
    providerAccountId: credentialID,
    credentialPublicKey: "AQ==",
    counter: 0,
    credentialDeviceType: "multiDevice",
    credentialBackedUp: true,
  }
}

/** The result of a call that may throw synchronously, as a promise. */
export async function settle<T>(call: () => T): Promise<Awaited<T>> {
  return await call()
}
