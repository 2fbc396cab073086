import { InvalidConfiguration } from "../errors/errors.js"
import { findNodeFiles } from "./format.js"

/** Bytes that hold at least one whole line: forty digits, a colon, a count and a line break. */
const windowSize = 160
const linePattern = /(?:^|\n)([\dA-F]{40})(?::\d*)?\r?\n/

/**
 * A copy of the list of Have I Been Pwned as one file: lines of `SHA-1:count` in upper case, sorted by hash, as its
 * downloader writes it. A search reads a few blocks of it.
 * @param path The file. It may be replaced while the service runs.
 */
export function fileList(path: string): { has(sha1: string): Promise<boolean> } {
  return {
    async has(sha1) {
      const files = findNodeFiles()
      if (!files) throw new InvalidConfiguration('breached: this platform has no files. Use "online"')
      const file = await files.open(path, "r")
      try {
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
