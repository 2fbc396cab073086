import { hash, randomBytes } from "node:crypto"
import type { AdapterAccount, VerificationToken } from "@latchkey/core/adapters"

/** The keys of a user, all in one hash slot. */
export interface UserKeys {
  readonly user: string
  /** A pending change of the email, with the other changes of the same update. */
  readonly change: string
  readonly verifiedEmails: string
  /** The emails to release after the user was deleted. */
  readonly addresses: string
  readonly accounts: string
  readonly sessions: string
  readonly credentials: string
  readonly factors: string
  readonly changes: string
  readonly password: string
  /** The details of sessions, the instants of their last use, and of their end. */
  readonly details: string
  readonly lastUses: string
  readonly ends: string
}

/** The names of all keys. Values from outside appear in them only as digests: fixed length, plain characters. */
export interface StoreKeys {
  ofUser(id: string): UserKeys
  ofUserDigest(digest: string): UserKeys
  email(digest: string): string
  account(digest: string): string
  session(digest: string): string
  credential(digest: string): string
  token(digest: string): string
  consumed(digest: string): string
  factor(digest: string): string
  /** A change of an account. */
  change(digest: string): string
  /** The changes of a kind. */
  changesOfKind(digest: string): string
  temporary(digest: string): string
  lease(digest: string): string
  /** A value of a token store. */
  tokens(digest: string): string
  /** The users with sessions that began with an account. */
  accountSessions(digest: string): string
  /** The users with sessions that began with a session at a provider. */
  providerSession(digest: string): string
}

/**
 * @param prefix begins every key
 * @throws TypeError if the prefix contains braces, which Redis reads as the part of the key that determines its slot
 */
export function createKeys(prefix: string): StoreKeys {
  if (/[{}]/.test(prefix)) throw new TypeError("RedisAdapter: prefix must not contain braces")
  const key = (kind: string) => (digest: string) => `${prefix}:${kind}:{${digest}}`
  const ofUserDigest = (digest: string): UserKeys => ({
    user: key("user")(digest),
    change: key("change")(digest),
    // This name and `spent` below are part of the stored layout.
    verifiedEmails: key("proven")(digest),
    addresses: key("addresses")(digest),
    accounts: key("accounts")(digest),
    sessions: key("sessions")(digest),
    credentials: key("credentials")(digest),
    factors: key("factors")(digest),
    changes: key("changes")(digest),
    password: key("password")(digest),
    details: key("details")(digest),
    lastUses: key("seen")(digest),
    ends: key("ends")(digest),
  })
  return {
    ofUser: (id) => ofUserDigest(digestOf(id)),
    ofUserDigest,
    email: key("email"),
    account: key("account"),
    session: key("session"),
    credential: key("credential"),
    token: key("token"),
    consumed: key("spent"),
    factor: key("factor"),
    change: key("account-change"),
    changesOfKind: key("kind"),
    temporary: key("temporary"),
    lease: key("lease"),
    tokens: key("tokens"),
    accountSessions: key("began-account"),
    providerSession: key("began-session"),
  }
}

/**
 * The digest of a value. JSON distinguishes types, the borders between parts, and lone surrogates, which UTF-8 cannot
 * represent.
 */
export function digestOf(...parts: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(parts), "base64url")
}

/** The length of what `digestOf` returns. */
export const digestLength = 43

export function digestOfAccount({
  provider,
  providerAccountId,
}: Pick<AdapterAccount, "provider" | "providerAccountId">): string {
  return digestOf(provider, providerAccountId)
}

export function digestOfToken({ identifier, token }: Pick<VerificationToken, "identifier" | "token">): string {
  return digestOf(identifier, token)
}

/** A unique id of 22 characters, for an incarnation of a user, a claim or a call. */
export function createUniqueId(): string {
  return randomBytes(16).toString("base64url")
}

/** The length of what `createUniqueId` returns. */
export const uniqueIdLength = 22
