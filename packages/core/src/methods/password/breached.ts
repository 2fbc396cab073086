import { toHex } from "../../crypto/encoding.js"
import { InvalidConfiguration } from "../../errors/errors.js"
import type { Log } from "../../log/log.js"
import { withDeadline } from "../../runtime/promise.js"
import type { Awaitable } from "../../types/basics.js"
import { findNodeFiles } from "./format.js"

/** A list of passwords that are known from data breaches. */
export interface BreachedList {
  /** Whether the list has the password with this SHA-1, in upper-case hexadecimal. */
  has(sha1: string): Awaitable<boolean>
}

/** Milliseconds. The visitor is waiting. */
const deadlineMs = 1_000
/** A range with padding has about 1,000 lines of 40 characters. */
const maxAnswerLength = 200_000

/**
 * Asks Have I Been Pwned. It learns the first five of forty digits of a hash, and with padding not even how many passwords
 * have them.
 */
export const onlineList: BreachedList = {
  async has(sha1) {
    const [prefix, suffix] = [sha1.slice(0, 5), sha1.slice(5)]
    const headers = { "add-padding": "true", "user-agent": "latchkey" }
    const signal = AbortSignal.timeout(deadlineMs)
    const response = await fetch(`https://api.pwnedpasswords.com/range/${prefix}`, { headers, signal })
    if (!response.ok) throw new Error(`The list of breached passwords answered ${response.status}`)
    const text = await response.text()
    if (text.length > maxAnswerLength) throw new Error("The list of breached passwords answered too much")
    // Padding has the count 0.
    return text.split("\n").some((line) => line.startsWith(`${suffix}:`) && Number(line.slice(suffix.length + 1)) > 0)
  },
}

/** The SHA-1 in upper-case hexadecimal, which finds a password in a list. Nothing relies on its strength. */
export async function sha1(password: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(password))
  return toHex(new Uint8Array(digest)).toUpperCase()
}

/** Whether a password is on the list. Null if the list cannot be asked: it is asked again at the next sign-in. */
export async function isBreached(password: string, list: BreachedList, log: Log): Promise<boolean | null> {
  const hash = await sha1(password)
  try {
    const late = () => new Error(`The list did not answer within ${deadlineMs} ms`)
    const found: unknown = await withDeadline(Promise.resolve(list.has(hash)), deadlineMs, late)
    if (found === undefined || found === null) throw new TypeError("The list did not answer")
    return Boolean(found)
  } catch {
    // Without the error: it may have the prefix in a URL.
    log.warn("breached-list-unavailable")
    return null
  }
}

/** Bytes that hold at least one whole line: forty digits, a colon, a count and a line break. */
const windowSize = 160
const linePattern = /(?:^|\n)([\dA-F]{40})(?::\d*)?\r?\n/

/**
 * A copy of the list of Have I Been Pwned as one file: lines of `SHA-1:count` in upper case, sorted by hash, as its
 * downloader writes it; or the filter that `npx --no latchkey breached build` made of it. A search reads a few blocks.
 * @param path The file. It may be replaced while the service runs.
 */
export function fileList(path: string): BreachedList {
  return {
    async has(sha1) {
      const files = findNodeFiles()
      if (!files) throw new InvalidConfiguration('breached: this platform has no files. Use "online"')
      const file = await files.open(path, "r")
      try {
        const filter = await readBreachFilter(file)
        if (filter) return await isInFilter(sha1, filter, file)
        const { size } = await file.stat()
        return await search(sha1, size, async (position) => {
          const { buffer, bytesRead } = await file.read(new Uint8Array(windowSize), 0, windowSize, position)
          return new TextDecoder().decode(buffer.subarray(0, bytesRead))
        })
      } finally {
        await file.close()
      }
    },
  }
}

/** A binary search over bytes: the first whole line after the middle decides which half to go on with. */
async function search(sha1: string, size: number, read: (position: number) => Promise<string>): Promise<boolean> {
  let [low, high] = [0, size]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    // From a line break before it, so that a line that begins here is whole; the last line may lack its own.
    const text = await read(Math.max(0, middle - 1))
    const found = linePattern.exec(`${middle === 0 ? "\n" : ""}${text}\n`)?.[1]
    if (found === sha1) return true
    if (found === undefined || found > sha1) high = middle
    else low = middle + 1
  }
  return false
}

type FileHandle = Awaited<ReturnType<NonNullable<ReturnType<typeof findNodeFiles>>["open"]>>

/**
 * A Bloom filter of the list of breached passwords: about 1.8 bytes for each of them, and one of a thousand other passwords
 * is taken for one of them. The file has a header, and then the bits.
 */
interface BreachFilter {
  /** Bits that each hash sets. */
  readonly hashes: number
  readonly bits: number
}

/** What `buildBreachFilter` did. */
export interface BuiltFilter {
  /** Passwords in the filter. */
  readonly passwords: number
  /** The size of the file. */
  readonly bytes: number
}

/** Options of {@link buildBreachFilter}. */
export interface BreachFilterOptions {
  /** The downloaded list: lines of `SHA-1:count`. */
  readonly from: string
  /** The file to write. It is replaced when the new one is complete. */
  readonly to: string
  /** Leaves out passwords that were seen less often. Default: 1. NIST SP 800-63B-4 advises against very large lists. */
  readonly seen?: number | undefined
}

/** Begins the file. A text list begins with digits of a hash. */
const magic = "latchkey breached 1"
const headerSize = 32

/** For one wrong match in a thousand: log2(1000) bits for each password, and 1 / ln 2 times as much room. */
const hashesEach = 10
const bitsEach = 14.4

/** The header of a filter. Null if the file is something else. @throws Error for a file that was cut off */
async function readBreachFilter(file: FileHandle): Promise<BreachFilter | null> {
  const header = new Uint8Array(headerSize)
  const { bytesRead } = await file.read(header, 0, headerSize, 0)
  if (bytesRead < headerSize || new TextDecoder().decode(header.subarray(0, magic.length)) !== magic) return null
  const view = new DataView(header.buffer)
  const filter = { hashes: view.getUint8(magic.length), bits: Number(view.getBigUint64(headerSize - 8)) }
  const { size } = await file.stat()
  if (size === headerSize + Math.ceil(filter.bits / 8)) return filter
  throw new Error("The filter of breached passwords is incomplete. Build it again")
}

/** Whether the filter may have a password. @param sha1 In upper-case hexadecimal. */
async function isInFilter(sha1: string, filter: BreachFilter, file: FileHandle): Promise<boolean> {
  const byte = new Uint8Array(1)
  for (const bit of listBits(sha1, filter)) {
    await file.read(byte, 0, 1, headerSize + Math.floor(bit / 8))
    if (((byte[0] ?? 0) & (1 << (bit % 8))) === 0) return false
  }
  return true
}

/** The bits of a hash. It is evenly distributed, so that two parts of it replace any other hash functions. */
function listBits(sha1: string, { hashes, bits }: BreachFilter): readonly number[] {
  // 48 bits each: the sums are exact.
  const [first, second] = [sha1.slice(0, 12), sha1.slice(12, 24)].map((part) => Number.parseInt(part, 16))
  return Array.from({ length: hashes }, (_, n) => ((first ?? 0) + n * (second ?? 0)) % bits)
}

/**
 * Writes a filter of the downloaded list of Have I Been Pwned, for `fileList(path)`. Reads the list twice, and needs as much
 * memory as the filter has bytes.
 * @throws InvalidConfiguration for a list without such lines
 */
export async function buildBreachFilter({ from, to, seen = 1 }: BreachFilterOptions): Promise<BuiltFilter> {
  const files = findNodeFiles()
  if (!files) throw new InvalidConfiguration("buildBreachFilter: this platform has no files")
  const each = async (use: (sha1: string) => void): Promise<void> => {
    const file = await files.open(from, "r")
    for await (const line of file.readLines()) {
      const [, sha1, count = "1"] = entryPattern.exec(line) ?? []
      if (sha1 !== undefined && Number(count) >= seen) use(sha1.toUpperCase())
    }
  }
  let passwords = 0
  await each(() => {
    passwords += 1
  })
  if (passwords === 0) {
    throw new InvalidConfiguration(`${from}: has no line of the form SHA-1:count with a count of at least ${seen}`)
  }
  const filter = { hashes: hashesEach, bits: Math.ceil(passwords * bitsEach) }
  const bytes = new Uint8Array(headerSize + Math.ceil(filter.bits / 8))
  writeHeader(bytes, filter)
  await each((sha1) => {
    for (const bit of listBits(sha1, filter)) {
      const at = headerSize + Math.floor(bit / 8)
      bytes[at] = (bytes[at] ?? 0) | (1 << (bit % 8))
    }
  })
  // A service that reads the former file meanwhile must not see half of this one.
  await files.writeFile(`${to}.new`, bytes)
  await files.rename(`${to}.new`, to)
  return { passwords, bytes: bytes.length }
}

const entryPattern = /^([\dA-Fa-f]{40})(?::(\d+))?\s*$/

function writeHeader(bytes: Uint8Array<ArrayBuffer>, { hashes, bits }: BreachFilter): void {
  bytes.set(new TextEncoder().encode(magic))
  const view = new DataView(bytes.buffer)
  view.setUint8(magic.length, hashes)
  view.setBigUint64(headerSize - 8, BigInt(bits))
}
