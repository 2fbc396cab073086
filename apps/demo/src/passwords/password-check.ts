import { randomBytes } from "node:crypto"
import { loadPasswordHasher } from "./load-password-hasher.js"
import type { PasswordHasher } from "./password-hasher.js"
import type { PasswordStore } from "./password-store.js"

/** Longer input is refused unread: hashing it would cost this machine more than it costs the sender. */
const longestInput = 256

export interface PasswordCheck {
  /** Name of the hash algorithm in use. */
  algorithm(): Promise<PasswordHasher["name"]>
  hash(password: string): Promise<string>
  /** The id of the user whom this name and password belong to, or null. The two reasons for null take the same time. */
  findUser(username: unknown, password: unknown): Promise<string | null>
}

/** Checks names and passwords against what is stored. */
export function passwordCheck(
  store: PasswordStore,
  loadHasher: () => Promise<PasswordHasher> = loadPasswordHasher,
): PasswordCheck {
  const hasher = once(loadHasher)
  // Verified in place of the hash of an unknown user, so that the time of the answer does not tell which names exist.
  const decoy = once(async () => (await hasher()).hash(randomBytes(16).toString("hex")))
  return {
    algorithm: async () => (await hasher()).name,
    hash: async (password) => (await hasher()).hash(password),
    findUser: async (username, password) => {
      if (!isShortText(username) || !isShortText(password)) return null
      const stored = store.find(username.trim().toLowerCase())
      const hash = stored?.hash ?? (await decoy())
      const isRight = await (await hasher()).verify(hash, password)
      return stored && isRight ? stored.userId : null
    },
  }
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= longestInput
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
