import { InvalidConfiguration } from "../../errors/errors.js"
import {
  canImport,
  findNodeCrypto,
  formatPhc,
  isEqual,
  PasswordFormatError,
  type PasswordHasher,
  type PhcHash,
  parsePhc,
  readCost,
} from "./format.js"

/** The costs of a hash. */
export interface Argon2idOptions {
  /** KiB. Default: 19,456 (19 MiB), the least of OWASP's Password Storage Cheat Sheet. */
  readonly memory?: number | undefined
  /** Default: 2. */
  readonly passes?: number | undefined
  /** Default: 1. */
  readonly parallelism?: number | undefined
}

/** What a stored hash may cost. */
const limits = { m: [8, 262_144], t: [1, 16], p: [1, 16] } as const
/** KiB times passes, which is the time of a hash: about 25 times that of the default. */
const maxWork = 2 ** 20

const version = 19
const saltLength = 16
const hashLength = 32

interface Costs {
  readonly m: number
  readonly t: number
  readonly p: number
}

export interface Derivation extends Costs {
  readonly password: Uint8Array
  readonly salt: Uint8Array
  readonly length: number
}

type Derive = (derivation: Derivation) => Promise<Uint8Array>

/**
 * Argon2id, RFC 9106: by Node's own crypto (24.7 and later, Bun), else by the optional package `@node-rs/argon2`. Every
 * instance of an app needs one of the two: a hash of another algorithm would lock its owner out of the others.
 */
export function argon2id({ memory = 19_456, passes = 2, parallelism = 1 }: Argon2idOptions = {}): PasswordHasher {
  const costs = { m: memory, t: passes, p: parallelism }
  assertCosts(costs)
  return {
    name: "argon2id",
    findDefect: () => (findNodeCrypto()?.argon2 || canImport(packageName) ? null : missing),
    accepts: (stored) => stored.startsWith("$argon2id$"),
    isCurrent(stored) {
      const parsed = parsePhc(stored)
      return (
        parsed?.id === "argon2id" && Object.entries(costs).every(([n, c]) => parsed.parameters.get(n) === String(c))
      )
    },
    async hash(password) {
      const salt = crypto.getRandomValues(new Uint8Array(saltLength))
      const hash = new Uint8Array(await derive({ ...costs, password, salt, length: hashLength }))
      const parameters = new Map(Object.entries(costs).map(([name, cost]) => [name, String(cost)]))
      return formatPhc({ id: "argon2id", version, parameters, salt, hash })
    },
    async verify(stored, password) {
      const { salt, hash, ...read } = parse(stored)
      return isEqual(await derive({ ...read, password, salt, length: hash.length }), hash)
    },
    assertVerifiable: (stored) => void parse(stored),
  }
}

/** @throws PasswordFormatError when the hash is malformed, or its costs are over the limits */
function parse(stored: string): Costs & Pick<PhcHash, "salt" | "hash"> {
  const parsed = parsePhc(stored)
  if (parsed?.id !== "argon2id" || parsed.version !== version) {
    throw new PasswordFormatError("A stored password hash is not an Argon2id hash of version 19")
  }
  const { salt, hash } = parsed
  return { ...readCosts(parsed), salt, hash }
}

function assertCosts(costs: Costs): void {
  for (const [name, [least, most]] of Object.entries(limits)) {
    const cost: unknown = Reflect.get(costs, name)
    if (Number.isSafeInteger(cost) && Number(cost) >= least && Number(cost) <= most) continue
    throw new InvalidConfiguration(`argon2id: ${optionOf[name]} must be an integer from ${least} to ${most}`)
  }
  // RFC 9106 section 3.1.
  if (costs.m < 8 * costs.p) throw new InvalidConfiguration("argon2id: memory must be at least 8 times parallelism")
  if (costs.m * costs.t > maxWork) {
    throw new InvalidConfiguration(`argon2id: memory times passes must be at most ${maxWork}`)
  }
}

const optionOf: Readonly<Record<string, string>> = { m: "memory", t: "passes", p: "parallelism" }

function readCosts(parsed: PhcHash): Costs {
  const read = (name: keyof Costs) => readCost(parsed, name, limits[name])
  const costs = { m: read("m"), t: read("t"), p: read("p") }
  if (costs.m * costs.t <= maxWork && costs.m >= 8 * costs.p) return costs
  throw new PasswordFormatError("The costs m, t and p of a stored password hash do not go together")
}

/** Derives a hash with the salt and the costs given. */
export async function derive(derivation: Derivation): Promise<Uint8Array> {
  deriveHere ??= await findDerive()
  return deriveHere(derivation)
}

let deriveHere: Derive | undefined

async function findDerive(): Promise<Derive> {
  const node = findNodeCrypto()
  if (node?.argon2) {
    return ({ m, t, p, password, salt, length }) =>
      new Promise((resolve, reject) => {
        const parameters = { message: password, nonce: salt, memory: m, passes: t, parallelism: p, tagLength: length }
        node.argon2("argon2id", parameters, (error, key) => (error ? reject(error) : resolve(key)))
      })
  }
  try {
    const { hashRaw }: typeof import("@node-rs/argon2") = await import(/* @vite-ignore */ packageName)
    return ({ m, t, p, password, salt, length }) =>
      hashRaw(password, { memoryCost: m, timeCost: t, parallelism: p, salt, outputLen: length })
  } catch {
    throw new InvalidConfiguration(missing)
  }
}

/** Not written into the import: bundlers would look for it in apps that do not need it. */
const packageName = "@node-rs/argon2"
const missing =
  "argon2id: this platform has no Argon2. Use Node 24.7 or later, install @node-rs/argon2, or pass your own `hash`"
