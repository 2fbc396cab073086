import type { AdapterAccount, AdapterUser } from "@latchkey/core/adapters"

export const expires = new Date("2040-02-29T23:59:59.987Z")

/** A user whose email is as unique as the id. */
export function sampleUser(fields: Partial<AdapterUser> = {}): AdapterUser {
  const id = crypto.randomUUID()
  return { id, email: `${id}@example.com`, emailVerified: null, ...fields }
}

export function sampleAccount(userId: string, fields: Partial<AdapterAccount> = {}): AdapterAccount {
  return { userId, type: "oidc", provider: "harbour", providerAccountId: crypto.randomUUID(), ...fields }
}
