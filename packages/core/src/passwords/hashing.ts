import { macHex } from "../crypto/hash.js"
import { randomHex } from "../crypto/random.js"
import { InvalidConfiguration } from "../errors/errors.js"
import { lazy } from "../runtime/cache.js"
import {
  countProcessors,
  formatPhc,
  type PasswordFormat,
  PasswordFormatError,
  type PasswordHasher,
  parsePhc,
} from "./format.js"
import { createQueue, type Queue } from "./queue.js"
import { isTooLong, normalizePassword } from "./text.js"

/** How passwords are hashed. */
export interface HashingOptions {
  /** Hashes new passwords. */
  readonly hasher: PasswordHasher
  /** Formats of former systems, which are verified and replaced. */
  readonly accept: readonly PasswordFormat[]
  /** Secrets that are kept apart from the store, newest first. */
  readonly pepper: readonly string[]
}

/** What a stored hash tells about a password. */
export interface Verdict {
  readonly isRight: boolean
  /** Whether a new hash should replace the stored one: its format, its costs or its pepper is an old one. */
  readonly isOutdated: boolean
  /** Whether the password has to be looked up among the breached ones: the list could not be asked before. */
  readonly isUnchecked: boolean
}

/** Hashes and verifies passwords, with limited memory. */
export interface Hashing {
  /** @throws TooManyRequests when too many are waiting; so do the methods below */
  assertRoom(): void
  /**
   * @param password Normalized.
   * @param isChecked Whether it was looked up among the breached ones. If not, the stored text notes that.
   */
  hash(password: string, options?: { readonly isChecked: boolean }): Promise<string>
  /**
   * Does the same work for a user who does not exist (null) as for a wrong password, so that its time tells nothing.
   * @param typed As it was typed.
   * @throws PasswordFormatError for a stored text that cannot be verified
   */
  verify(typed: string, stored: string | null): Promise<Verdict>
  /** Whether a text is a hash that could be verified. */
  accepts(stored: string): boolean
}

const maxWaiting = 50

/** Shared by all configurations: they share the memory. */
const machineQueue = createQueue(countProcessors(), maxWaiting)

const encoder = new TextEncoder()
const wrong: Verdict = { isRight: false, isOutdated: false, isUnchecked: false }

/** The parameter of a PHC string that names the pepper. */
const keyIdName = "keyid"
/** The parameter that notes that the list of breached passwords could not be asked. */
const uncheckedName = "unchecked"

export function createHashing(options: HashingOptions, queue: Queue = machineQueue): Hashing {
  const { hasher, accept, pepper } = options
  const formats: readonly PasswordFormat[] = [hasher, ...accept]
  const loadPeppers = lazy(() => Promise.all(pepper.map(toPepper)))
  const decoy = lazy(() => hashWithPepper(randomHex(16)))

  async function hashWithPepper(password: string): Promise<string> {
    const [newest] = await loadPeppers()
    if (!newest) return hasher.hash(encoder.encode(password))
    return withParameter(await hasher.hash(await newest.apply(password)), keyIdName, newest.id)
  }

  /** The bytes that a stored hash was made from. Former systems hashed the text as it was typed. */
  async function toBytes(typed: string, stored: string, format: PasswordFormat): Promise<Uint8Array> {
    if (format !== hasher) return encoder.encode(typed)
    const keyId = findKeyId(stored)
    const normalized = normalizePassword(typed)
    if (keyId === undefined) return encoder.encode(normalized)
    const found = (await loadPeppers()).find(({ id }) => id === keyId)
    if (found) return found.apply(normalized)
    throw new PasswordFormatError(
      "The pepper of a stored password hash is not in the list. Add it again, as the last one",
    )
  }

  async function isOutdated(stored: string, format: PasswordFormat): Promise<boolean> {
    const [newest] = await loadPeppers()
    return format !== hasher || !hasher.isCurrent(stored) || findKeyId(stored) !== newest?.id
  }

  /** Verifies against a hash that no password has. */
  async function verifyNothing(typed: string): Promise<Verdict> {
    const stored = await decoy()
    await hasher.verify(stored, await toBytes(typed, stored, hasher))
    return wrong
  }

  async function verifyStored(typed: string, stored: string): Promise<Verdict> {
    const format = formats.find((each) => each.accepts(stored))
    try {
      if (!format) {
        throw new PasswordFormatError("A stored password hash has none of the formats of `hash` and `accept`")
      }
      const isRight = await format.verify(stored, await toBytes(typed, stored, format))
      if (!isRight) return wrong
      const isUnchecked = parsePhc(stored)?.parameters.has(uncheckedName) ?? false
      return { isRight, isOutdated: await isOutdated(stored, format), isUnchecked }
    } catch (error) {
      if (error instanceof PasswordFormatError) await verifyNothing(typed)
      throw error
    }
  }

  return {
    assertRoom: () => queue.assertRoom(),
    async hash(password, { isChecked } = { isChecked: true }) {
      const stored = await queue.run(() => hashWithPepper(password))
      return isChecked || parsePhc(stored) === null ? stored : withParameter(stored, uncheckedName, "1")
    },
    accepts: (stored) => formats.some((format) => format.accepts(stored)),
    async verify(typed, stored) {
      // Longer texts are never stored, so that this tells nothing about an account.
      if (isTooLong(typed)) return wrong
      return queue.run(async () => {
        await decoy()
        return stored === null ? verifyNothing(typed) : verifyStored(typed, stored)
      })
    },
  }
}

interface Pepper {
  /** Names it in the stored hash. It reveals nothing of it. */
  readonly id: string
  apply(password: string): Promise<Uint8Array>
}

async function toPepper(secret: string): Promise<Pepper> {
  const id = (await macHex(secret, "password pepper id", "")).slice(0, 16)
  return { id, apply: async (password) => encoder.encode(await macHex(secret, "password pepper", password)) }
}

function findKeyId(stored: string): string | undefined {
  return parsePhc(stored)?.parameters.get(keyIdName)
}

function withParameter(stored: string, name: string, value: string): string {
  const parsed = parsePhc(stored)
  if (parsed) return formatPhc({ ...parsed, parameters: new Map([...parsed.parameters, [name, value]]) })
  throw new InvalidConfiguration("pepper: needs a hasher that writes PHC strings with parameters, such as argon2id()")
}
