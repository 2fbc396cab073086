import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "@latchkey/core/adapters"

/** A value that occurs nowhere else, so that the cases may run in a store that is not empty. */
export function unique(prefix: string): string {
  return `${prefix}-${crypto.randomUUID()}`
}

export function sampleUser(fields: Partial<AdapterUser> = {}): AdapterUser {
  return {
    id: crypto.randomUUID(),
    name: "Ada Lovelace",
    email: `${unique("ada")}@example.com`,
    emailVerified: null,
    image: "https://example.com/ada.png",
    ...fields,
  }
}

export function sampleAccount(userId: string, fields: Partial<AdapterAccount> = {}): AdapterAccount {
  return {
    userId,
    type: "oidc",
    provider: "harbour",
    providerAccountId: unique("subject"),
    access_token: unique("access"),
    refresh_token: unique("refresh"),
    id_token: unique("id"),
    token_type: "bearer",
    scope: "openid profile email",
    session_state: unique("state"),
    expires_at: 2_147_483_647,
    ...fields,
  }
}

export function sampleSession(userId: string, fields: Partial<AdapterSession> = {}): AdapterSession {
  return { sessionToken: unique("session"), userId, expires: new Date("2036-02-29T23:59:59.987Z"), ...fields }
}

export function sampleToken(fields: Partial<VerificationToken> = {}): VerificationToken {
  const expires = new Date("2036-07-01T00:00:00.001Z")
  return { identifier: `${unique("ada")}@example.com`, token: unique("hash"), expires, ...fields }
}

export function sampleAuthenticator(userId: string, fields: Partial<AdapterAuthenticator> = {}): AdapterAuthenticator {
  const credentialID = btoa(unique("credential"))
  return {
    credentialID,
    userId,
    providerAccountId: credentialID,
    credentialPublicKey: btoa(unique("key")),
    counter: 0,
    credentialDeviceType: "multiDevice",
    credentialBackedUp: true,
    transports: "internal,hybrid",
    ...fields,
  }
}

/** What a service gives to find an account. */
export function keyOfAccount({
  provider,
  providerAccountId,
}: AdapterAccount): Pick<AdapterAccount, "provider" | "providerAccountId"> {
  return { provider, providerAccountId }
}

/** What a service gives to spend a verification token. */
export function keyOfToken({ identifier, token }: VerificationToken): Pick<VerificationToken, "identifier" | "token"> {
  return { identifier, token }
}
