/**
 * A form in which password hashes are stored. A password is given as bytes: normalized, peppered and of limited length.
 */
export interface PasswordFormat {
  /** The name of the algorithm, such as `argon2id`. */
  readonly name: string
  /** Whether the text is a hash of this format, with any costs. */
  accepts(stored: string): boolean
  /**
   * Whether the hash is that of the password.
   * @throws PasswordFormatError when the hash is malformed, or its costs are over the format's limits
   */
  verify(stored: string, password: Uint8Array): Promise<boolean>
  /**
   * Tells at an import what `verify` would tell at the first sign-in, without its work.
   * @throws PasswordFormatError when the hash is malformed, or its costs are over the format's limits
   */
  readonly assertVerifiable?: ((stored: string) => void) | undefined
}

/** A format that new passwords are hashed with. */
export interface PasswordHasher extends PasswordFormat {
  /** Hashes with a new salt. */
  hash(password: Uint8Array): Promise<string>
  /** Whether a hash has the costs of this hasher. Others are replaced after the next right password. */
  isCurrent(stored: string): boolean
  /** Why this platform cannot hash; null if it can. A service with such a hasher is refused at the start. */
  findDefect?: (() => string | null) | undefined
}

/** A stored hash cannot be verified. The message never quotes it. */
export class PasswordFormatError extends Error {
  override readonly name: string = "PasswordFormatError"
}

/** A hash in PHC string format: `$id$v=19$m=19456,t=2,p=1$salt$hash`. */
export interface PhcHash {
  readonly id: string
  readonly version?: number
  readonly parameters: ReadonlyMap<string, string>
  readonly salt: Uint8Array<ArrayBuffer>
  readonly hash: Uint8Array<ArrayBuffer>
}

/** Longer texts are not hashes. */
const maxStoredLength = 1024

const phc = /^\$([a-z\d-]{1,32})(?:\$v=(\d{1,4}))?\$([\w+/.,=-]{1,512})\$([\w+/]{8,128})\$([\w+/]{8,512})$/
const parameter = /^[a-z\d-]{1,32}=[\w+/.-]{1,64}$/

/** Null if the text is not in PHC string format with parameters, a salt and a hash. */
export function parsePhc(text: string): PhcHash | null {
  const [, id, version, parameters = "", salt = "", hash = ""] =
    text.length <= maxStoredLength ? (phc.exec(text) ?? []) : []
  // Each parameter by itself: a pattern of the whole list takes exponential time to refuse a planted text.
  const list = parameters.split(",")
  if (id === undefined || !list.every((pair) => parameter.test(pair))) return null
  const pairs = list.map((pair) => pair.split("=", 2) as [string, string]) // as: the pattern has pairs
  return {
    id,
    ...(version !== undefined && { version: Number(version) }),
    parameters: new Map(pairs),
    salt: fromBase64(salt),
    hash: fromBase64(hash),
  }
}

export function formatPhc({ id, version, parameters, salt, hash }: PhcHash): string {
  const pairs = [...parameters].map(([name, value]) => `${name}=${value}`).join(",")
  return [`$${id}`, ...(version === undefined ? [] : [`v=${version}`]), pairs, toBase64(salt), toBase64(hash)].join("$")
}

/** Reads an integer parameter within limits: stored costs decide how long this machine works. */
export function readCost({ parameters }: PhcHash, name: string, [least, most]: readonly [number, number]): number {
  const text = parameters.get(name) ?? ""
  const cost = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (cost >= least && cost <= most) return cost
  throw new PasswordFormatError(`The cost ${name} of a stored password hash is not from ${least} to ${most}`)
}

/** Standard base64 without padding, as PHC strings have it. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/={1,2}$/, "")
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    throw new PasswordFormatError("A stored password hash is not valid base64")
  }
}

/** Compares without telling by its time how much is equal. */
export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length
  for (let n = 0; n < one.length; n++) difference |= (one[n] ?? 0) ^ (other[n] ?? 0)
  return difference === 0
}

/** Node's `crypto`, which Bun and Deno have as well; undefined where there is none. Not imported, so that bundles work. */
export function findNodeCrypto(): typeof import("node:crypto") | undefined {
  return globalThis.process?.getBuiltinModule?.("node:crypto")
}

/** Node's files, likewise. */
export function findNodeFiles(): typeof import("node:fs/promises") | undefined {
  return globalThis.process?.getBuiltinModule?.("node:fs/promises")
}

/**
 * How many hashes this machine computes at a time. Unlimited on workers: their platforms limit each request, and let none
 * wait for another one.
 */
export function countProcessors(): number {
  const os: typeof import("node:os") | undefined = globalThis.process?.getBuiltinModule?.("node:os")
  return os?.availableParallelism?.() ?? Number.POSITIVE_INFINITY
}

/** Whether a package is installed. False where that cannot be told before it is imported. */
export function canImport(name: string): boolean {
  const module: typeof import("node:module") | undefined = globalThis.process?.getBuiltinModule?.("node:module")
  try {
    return module?.createRequire(import.meta.url).resolve(name) !== undefined
  } catch {
    return false
  }
}
