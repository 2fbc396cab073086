import { hash } from "node:crypto"
import type { AdapterAccount, VerificationToken } from "@latchkey/core/adapters"

/** The keys of a user, all in one hash slot. */
export interface UserKeys {
  readonly user: string
  /** A new address, with the changes that come with it, until the address is claimed. */
  readonly change: string
  readonly proven: string
  /** The addresses of one who is being removed. */
  readonly addresses: string
  readonly accounts: string
  readonly sessions: string
  readonly credentials: string
}

/** Names of keys. Whatever comes from outside is in them as a digest of fixed length and plain characters. */
export interface StoreKeys {
  ofUser(id: string): UserKeys
  email(digest: string): string
  account(digest: string): string
  session(digest: string): string
  credential(digest: string): string
  token(digest: string): string
  spent(digest: string): string
}

/**
 * @param prefix - begins every key
 * @throws TypeError for a prefix with braces, which Redis would take for the part of a key that chooses its slot
 */
export function createKeys(prefix: string): StoreKeys {
  if (/[{}]/.test(prefix)) throw new TypeError("RedisAdapter: prefix must have no braces")
  const key = (kind: string) => (digest: string) => `${prefix}:${kind}:{${digest}}`
  return {
    ofUser(id) {
      const digest = digestOf(id)
      return {
        user: key("user")(digest),
        change: key("change")(digest),
        proven: key("proven")(digest),
        addresses: key("addresses")(digest),
        accounts: key("accounts")(digest),
        sessions: key("sessions")(digest),
        credentials: key("credentials")(digest),
      }
    },
    email: key("email"),
    account: key("account"),
    session: key("session"),
    credential: key("credential"),
    token: key("token"),
    spent: key("spent"),
  }
}

/**
 * Which digest stands for a value. JSON keeps apart what is spelt alike: types, the borders between parts, and halves
 * of characters, which UTF-8 cannot hold.
 */
export function digestOf(...parts: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(parts), "base64url")
}

export function digestOfAccount({
  provider,
  providerAccountId,
}: Pick<AdapterAccount, "provider" | "providerAccountId">): string {
  return digestOf(provider, providerAccountId)
}

export function digestOfToken({ identifier, token }: Pick<VerificationToken, "identifier" | "token">): string {
  return digestOf(identifier, token)
}
