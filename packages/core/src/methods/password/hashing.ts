import { macHex } from "../../crypto/hash.js"
import { randomHex } from "../../crypto/random.js"
import { InvalidConfiguration, TooManyRequests } from "../../errors/errors.js"
import { lazy } from "../../runtime/cache.js"
import type { Awaitable } from "../../types/basics.js"
import {
  countProcessors,
  formatPhc,
  type PasswordFormat,
  PasswordFormatError,
  type PasswordHasher,
  parsePhc,
} from "./format.js"
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
  /** Whether a text is a hash of one of the formats. */
  accepts(stored: string): boolean
  /** @throws PasswordFormatError for a text that could not be verified: of another format, malformed, with hostile costs */
  assertVerifiable(stored: string): void
}

const maxWaiting = 50

/** Longer texts are not hashes of any format: not even tried. */
const maxImportedLength = 8192

/** Shared by all configurations: they share the memory. */
export const machineQueue: Queue = createQueue(countProcessors(), maxWaiting)

const encoder = new TextEncoder()
const wrong: Verdict = { isRight: false, isOutdated: false, isUnchecked: false }

/** The parameter of a PHC string that names the pepper. */
const keyIdName = "keyid"
/** The parameter that notes that the list of breached passwords could not be asked. */
const uncheckedName = "unchecked"

export function createHashing(options: HashingOptions, queue: Queue = machineQueue): Hashing {
  const { hasher, accept, pepper } = options
  const loadPeppers = lazy(() => Promise.all(pepper.map(toPepper)))
  const kit: Kit = {
    hasher,
    formats: [hasher, ...accept],
    loadPeppers,
    loadDecoy: lazy(() => hashWithPepper(randomHex(16), { hasher, loadPeppers })),
  }
  return {
    assertRoom: () => queue.assertRoom(),
    async hash(password, { isChecked } = { isChecked: true }) {
      const stored = await queue.run(() => hashWithPepper(password, kit))
      return isChecked || parsePhc(stored) === null ? stored : withParameter(stored, uncheckedName, "1")
    },
    accepts: (stored) => stored.length <= maxImportedLength && kit.formats.some((format) => format.accepts(stored)),
    assertVerifiable: (stored) => getFormat(stored, kit).assertVerifiable?.(stored),
    async verify(typed, stored) {
      // Longer texts are never stored, so that this tells nothing about an account.
      if (isTooLong(typed)) return wrong
      return queue.run(async () => {
        await kit.loadDecoy()
        return stored === null ? verifyNothing(typed, kit) : verifyStored(typed, stored, kit)
      })
    },
  }
}

/** What passwords are hashed and verified with. */
interface Kit {
  readonly hasher: PasswordHasher
  /** That of the hasher, and those of former systems. */
  readonly formats: readonly PasswordFormat[]
  /** The newest first. */
  readonly loadPeppers: () => Awaitable<readonly Pepper[]>
  /** A hash that no password has. */
  readonly loadDecoy: () => Awaitable<string>
}

async function hashWithPepper(
  password: string,
  { hasher, loadPeppers }: Pick<Kit, "hasher" | "loadPeppers">,
): Promise<string> {
  const [newest] = await loadPeppers()
  if (!newest) return hasher.hash(encoder.encode(password))
  return withParameter(await hasher.hash(await newest.apply(password)), keyIdName, newest.id)
}

async function verifyStored(typed: string, stored: string, kit: Kit): Promise<Verdict> {
  try {
    const format = getFormat(stored, kit)
    const isRight = await format.verify(stored, await toBytes(typed, stored, format, kit))
    // Only `true` counts: an app's own format may return an object.
    if (isRight !== true) return wrong
    const isUnchecked = parsePhc(stored)?.parameters.has(uncheckedName) ?? false
    return { isRight, isOutdated: await isOutdated(stored, format, kit), isUnchecked }
  } catch (error) {
    if (error instanceof PasswordFormatError) await verifyNothing(typed, kit)
    throw error
  }
}

/** @throws PasswordFormatError for a text of another format */
function getFormat(stored: string, { formats }: Kit): PasswordFormat {
  const format = formats.find((each) => each.accepts(stored))
  if (format) return format
  throw new PasswordFormatError("A stored password hash has none of the formats of `hash` and `accept`")
}

async function verifyNothing(typed: string, kit: Kit): Promise<Verdict> {
  const decoy = await kit.loadDecoy()
  await kit.hasher.verify(decoy, await toBytes(typed, decoy, kit.hasher, kit))
  return wrong
}

/** The bytes that a stored hash was made from. Former systems hashed the text as it was typed. */
async function toBytes(typed: string, stored: string, format: PasswordFormat, kit: Kit): Promise<Uint8Array> {
  if (format !== kit.hasher) return encoder.encode(typed)
  const keyId = findKeyId(stored)
  const normalized = normalizePassword(typed)
  if (keyId === undefined) return encoder.encode(normalized)
  const found = (await kit.loadPeppers()).find(({ id }) => id === keyId)
  if (found) return found.apply(normalized)
  throw new PasswordFormatError(
    "The pepper of a stored password hash is not in the list. Add it again, as the last one",
  )
}

async function isOutdated(stored: string, format: PasswordFormat, { hasher, loadPeppers }: Kit): Promise<boolean> {
  const [newest] = await loadPeppers()
  return format !== hasher || !hasher.isCurrent(stored) || findKeyId(stored) !== newest?.id
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

/** Runs work a few at a time. */
interface Queue {
  /** @throws TooManyRequests when too many are waiting */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** @throws TooManyRequests when too many are waiting, so that a request is refused before it counts as an attempt */
  assertRoom(): void
}

/** Seconds after which a refused client may ask again: 50 hashes take a second or two. */
const retryAfterSeconds = 5

/**
 * Each hash takes tens of megabytes, so that without a limit a burst of sign-ins would use up the memory.
 * @internal Exported for its tests.
 */
export function createQueue(atOnce: number, maxWaiting: number): Queue {
  const waiting: (() => void)[] = []
  let running = 0

  function assertRoom(): void {
    if (running < atOnce || waiting.length < maxWaiting) return
    throw new TooManyRequests("Too many passwords are waiting to be hashed", { retryAfterSeconds })
  }

  /** Hands the place to the next one, so that a newcomer cannot take it in between. */
  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else running--
  }

  return {
    assertRoom,
    async run(work) {
      assertRoom()
      if (running < atOnce) running++
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
