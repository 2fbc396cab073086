import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterFactor,
  AdapterSession,
  AdapterSessionDetail,
  AdapterUser,
  Awaitable,
  VerificationToken,
} from "@latchkey/core/adapters"
import { expect } from "vitest"

/** The name of an adapter's method. */
export type AdapterMethod = keyof Adapter

/** A promise that an adapter keeps, and its test. */
export interface AdapterCase {
  /**
   * A sentence with the adapter as its subject, such as "finds a user by email", after the id of the security case that it
   * proves, if any.
   */
  readonly claim: string
  /** The methods that the test calls. */
  readonly needs: readonly AdapterMethod[]
  /**
   * Rejects if the promise is broken. Runs only for adapters with the needed methods.
   * @param callers Number of concurrent callers.
   */
  run(adapter: Required<Adapter>, callers: number): Promise<void>
}

/**
 * Expects a record with these fields. A null field can be absent, and a store can add fields; a date must be a `Date` of
 * the same millisecond.
 */
export function expectRecord(actual: unknown, expected: object): void {
  expect(actual).toBeTypeOf("object")
  expect(withoutNulls(actual ?? {})).toMatchObject(withoutNulls(expected))
  for (const [field, value] of Object.entries(expected)) {
    if (value === null) expect(Reflect.get(actual ?? {}, field) ?? null, field).toBeNull()
  }
}

/** Expects null or undefined. */
export function expectNull(actual: unknown): void {
  expect(actual ?? null).toBeNull()
}

/** Expects a call to throw or reject. */
export async function expectRejection(call: () => unknown): Promise<void> {
  await expect((async () => await call())()).rejects.toThrow()
}

/** The result of a call, or null if it fails. For input that an adapter can reject, but must not find. */
export async function orRejected<T>(call: () => Awaitable<T>): Promise<T | null> {
  try {
    return await call()
  } catch {
    // Rejecting the input is as good as finding nothing.
    return null
  }
}

function withoutNulls(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined))
}

/** A unique value, so that tests can run in a store that is not empty. */
export function unique(prefix: string): string {
  return `${prefix}-${crypto.randomUUID()}`
}

/** A user with unique id and email. */
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

/** An account with unique id and tokens. */
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

/** A session with a unique token. */
export function sampleSession(userId: string, fields: Partial<AdapterSession> = {}): AdapterSession {
  return { sessionToken: unique("session"), userId, expires: new Date("2036-02-29T23:59:59.987Z"), ...fields }
}

/** A unique verification token. */
export function sampleToken(fields: Partial<VerificationToken> = {}): VerificationToken {
  const expires = new Date("2036-07-01T00:00:00.001Z")
  return { identifier: `${unique("ada")}@example.com`, token: unique("hash"), expires, ...fields }
}

/** An authenticator with unique credential id and key. */
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

/** The details of a live session with a unique id. */
export function sampleDetail(userId: string, fields: Partial<AdapterSessionDetail> = {}): AdapterSessionDetail {
  return {
    id: unique("sid"),
    userId,
    sessionToken: null,
    provider: "harbour",
    providerAccountId: unique("subject"),
    providerSession: unique("op-session"),
    amr: "pwd otp",
    createdAt: new Date("2026-03-29T00:59:59.998Z"),
    lastSeenAt: new Date("2026-03-29T01:30:00.321Z"),
    expires: new Date("2036-02-29T23:59:59.987Z"),
    userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
    network: "192.0.2.0/24",
    label: null,
    ...fields,
  }
}

/** A second factor with unique id and secret, never used. */
export function sampleFactor(userId: string, fields: Partial<AdapterFactor> = {}): AdapterFactor {
  return {
    id: unique("factor"),
    userId,
    kind: "totp",
    secret: unique("sealed"),
    label: null,
    lastStep: null,
    version: 0,
    createdAt: new Date("2026-06-07T08:09:10.011Z"),
    lastUsedAt: null,
    ...fields,
  }
}

/** Runs all callers at once. Returns their results and the number of failures. */
export async function runConcurrently<T>(
  callers: number,
  call: (index: number) => PromiseLike<T> | T,
): Promise<{ readonly results: readonly T[]; readonly failures: number }> {
  const outcomes = await Promise.allSettled(Array.from({ length: callers }, async (_, index) => await call(index)))
  const results = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []))
  return { results, failures: callers - results.length }
}

/** The key by which an account is found. */
export function keyOfAccount({
  provider,
  providerAccountId,
}: AdapterAccount): Pick<AdapterAccount, "provider" | "providerAccountId"> {
  return { provider, providerAccountId }
}

/** The key by which a verification token is consumed. */
export function keyOfToken({ identifier, token }: VerificationToken): Pick<VerificationToken, "identifier" | "token"> {
  return { identifier, token }
}
