import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"

export interface StoredPassword {
  readonly userId: string
  readonly hash: string
}

/** Maps user names to users and their password hashes. */
export interface PasswordStore {
  find(username: string): StoredPassword | null
  /** The user's name for password sign-in, or null. */
  findUsername(userId: string): string | null
  /** @returns false if the user name is taken; nothing is written then */
  create(username: string, password: StoredPassword): boolean
}

/**
 * Passwords in a table of the demo. The sign-in service never sees it: credentials are up to the host app.
 * @param database May have other tables. The caller closes it.
 */
export function passwordStore(database: DatabaseSync): PasswordStore {
  database.exec(
    "create table if not exists demo_password (username text primary key, user_id text not null, hash text not null) strict",
  )
  const byName = database.prepare("select user_id, hash from demo_password where username = ?")
  const byUser = database.prepare("select username from demo_password where user_id = ?")
  const insert = database.prepare("insert or ignore into demo_password (username, user_id, hash) values (?, ?, ?)")
  return {
    find: (username) => {
      const row = byName.get(username)
      return row ? { userId: String(row["user_id"]), hash: String(row["hash"]) } : null
    },
    findUsername: (userId) => {
      const row = byUser.get(userId)
      return row ? String(row["username"]) : null
    },
    create: (username, { userId, hash }) => insert.run(username, userId, hash).changes === 1,
  }
}

/** Longer input is rejected without hashing, which costs this machine more than the sender. */
const maxInputLength = 256

export interface PasswordCheck {
  /** The hash algorithm in use. */
  algorithm(): Promise<PasswordHasher["name"]>
  hash(password: string): Promise<string>
  /** The id of the user, or null. An unknown name takes as long as a wrong password. */
  findUser(username: unknown, password: unknown): Promise<string | null>
}

/** Checks user names and passwords against the store. */
export function passwordCheck(
  store: PasswordStore,
  loadHasher: () => Promise<PasswordHasher> = loadPasswordHasher,
): PasswordCheck {
  const hasher = once(loadHasher)
  // Verified for an unknown user, so that the response time does not reveal which names exist.
  const decoy = once(async () => (await hasher()).hash(randomBytes(16).toString("hex")))
  return {
    algorithm: async () => (await hasher()).name,
    hash: async (password) => (await hasher()).hash(password),
    findUser: async (username, password) => {
      if (!isShortText(username) || !isShortText(password)) return null
      const stored = store.find(username.trim().toLowerCase())
      const hash = stored?.hash ?? (await decoy())
      const isMatch = await (await hasher()).verify(hash, password)
      return stored && isMatch ? stored.userId : null
    },
  }
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= maxInputLength
}

function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined
  return () => {
    created ??= create()
    return created
  }
}

/** Hashes passwords slowly, each with its own salt. */
export interface PasswordHasher {
  readonly name: "argon2id" | "scrypt"
  /** Self-describing text: algorithm, costs, salt and hash. */
  hash(password: string): Promise<string>
  /** @throws for a hash of another algorithm */
  verify(hash: string, password: string): Promise<boolean>
}

/** Argon2id where its native code can be loaded, else scrypt, which is part of Node. */
async function loadPasswordHasher(): Promise<PasswordHasher> {
  try {
    return await argon2Hasher()
  } catch {
    // This machine has no native build. The start-up summary shows the algorithm in use.
    return scryptHasher()
  }
}

/**
 * Argon2id, RFC 9106, with 19 MiB and two passes, the minimum of OWASP's Password Storage Cheat Sheet.
 * @throws when the native code cannot be loaded on this machine
 * @internal Exported for its tests.
 */
export async function argon2Hasher(): Promise<PasswordHasher> {
  const { hash, verify } = await import("@node-rs/argon2")
  const costs = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
  return {
    name: "argon2id",
    hash: (password) => hash(password, costs),
    verify: (stored, password) => verify(stored, password),
  }
}

/**
 * Scrypt, RFC 7914, with N = 2^17, r = 8, p = 1 as in OWASP's Password Storage Cheat Sheet, written as
 * `$scrypt$ln=17,r=8,p=1$salt$key`.
 * @internal Exported for its tests.
 */
export function scryptHasher(): PasswordHasher {
  return {
    name: "scrypt",
    hash: async (password) => {
      const salt = randomBytes(16)
      const key = await deriveKey(password, { logCost: 17, blockSize: 8, parallelism: 1, salt })
      return `$scrypt$ln=17,r=8,p=1$${toUnpaddedBase64(salt)}$${toUnpaddedBase64(key)}`
    },
    verify: async (stored, password) => {
      const parsed = parseScryptHash(stored)
      return timingSafeEqual(await deriveKey(password, parsed), parsed.key)
    },
  }
}

interface ScryptHash {
  readonly logCost: number
  readonly blockSize: number
  readonly parallelism: number
  readonly salt: Buffer
  readonly key: Buffer
}

const scryptFormat = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/

function parseScryptHash(stored: string): ScryptHash {
  const [, logCost, blockSize, parallelism, salt = "", key = ""] = scryptFormat.exec(stored) ?? []
  const parsed = {
    logCost: Number(logCost),
    blockSize: Number(blockSize),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    key: Buffer.from(key, "base64"),
  }
  if (parsed.key.length !== 32) throw new Error("The stored password hash is not a scrypt hash.")
  return parsed
}

function deriveKey(password: string, hash: Omit<ScryptHash, "key">): Promise<Buffer> {
  const N = 2 ** hash.logCost
  // Scrypt needs 128 * N * r bytes; Node throws above `maxmem`.
  const costs = { N, r: hash.blockSize, p: hash.parallelism, maxmem: 256 * N * hash.blockSize }
  return new Promise((resolve, reject) => {
    scrypt(password, hash.salt, 32, costs, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

function toUnpaddedBase64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "")
}
