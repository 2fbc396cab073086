import { InvalidConfiguration } from "../errors/errors.js"
import type { Log } from "../log/log.js"
import { findNodeFiles } from "../passwords/format.js"
import { withDeadline } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import { isInFilter, readBreachFilter } from "./breach-filter.js"

/** A list of passwords that were made public. */
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

/** Whether a password is on the list. Null if the list cannot be asked: it is asked again at the next sign-in. */
export async function isBreached(password: string, list: BreachedList, log: Log): Promise<boolean | null> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(password))
  const sha1 = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
  try {
    const late = () => new Error(`The list did not answer within ${deadlineMs} ms`)
    return await withDeadline(Promise.resolve(list.has(sha1.toUpperCase())), deadlineMs, late)
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
 * downloader writes it; or the filter that `npx latchkey breached build` made of it. A search reads a few blocks.
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
