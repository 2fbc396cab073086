import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  Awaitable,
  VerificationToken,
} from "@latchkey/core/adapters"
import { expect } from "vitest"

export type AdapterMethod = keyof Adapter

/** One promise that an adapter keeps. */
export interface AdapterCase {
  /**
   * A sentence with the adapter as its subject: "finds a user by email"; before it the security case that it proves.
   */
  readonly claim: string
  /** The methods that it takes to see whether the promise is kept. */
  readonly needs: readonly AdapterMethod[]
  /** Rejects when the promise is broken. Called only with adapters that have the needed methods. */
  run(adapter: Required<Adapter>, callers: number): Promise<void>
}

/**
 * The record has the expected fields. A field that is null may as well be absent, and a store may add fields of its
 * own; a date must be a `Date` of the same millisecond.
 */
export function expectRecord(actual: unknown, expected: object): void {
  expect(actual).toBeTypeOf("object")
  expect(withoutNulls(actual ?? {})).toMatchObject(withoutNulls(expected))
  for (const [field, value] of Object.entries(expected)) {
    if (value === null) expect(Reflect.get(actual ?? {}, field) ?? null, field).toBeNull()
  }
}

/** "Not there", which some stores say with null and some with undefined. */
export function expectNothing(actual: unknown): void {
  expect(actual ?? null).toBeNull()
}

/** The call is refused, at once or later. */
export async function expectRefusal(call: () => unknown): Promise<void> {
  await expect((async () => await call())()).rejects.toThrow()
}

/** What a call gives; nothing when it is refused. For input that may be refused but must find nothing. */
export async function orRefusal<T>(call: () => Awaitable<T>): Promise<T | null> {
  try {
    return await call()
  } catch {
    // A refusal is one of the right answers; the caller looks at what was found.
    return null
  }
}

function withoutNulls(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined))
}

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
