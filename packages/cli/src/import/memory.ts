import { createHash } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const firstSize = 1024

/**
 * Returns a function that remembers texts, and tells whether it was given one before: 52 bits of a digest for each, which takes
 * 16 to 32 bytes. Of a million texts, two are taken for one another with a probability of one in 9,000.
 */
export function createMemory(): (text: string) => boolean {
  let slots = new Float64Array(firstSize)
  let count = 0
  return (text) => {
    if (2 * count >= slots.length) slots = grow(slots)
    const digest = createHash("sha256").update(text).digest()
    const isKnown = !add(slots, 1 + digest.readUIntBE(0, 6) * 16 + (digest.readUInt8(6) & 15))
    if (!isKnown) count += 1
    return isKnown
  }
}

function grow(slots: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * slots.length)
  for (const value of slots) if (value !== 0) add(larger, value)
  return larger
}

/** @returns false if the value is there already */
function add(slots: Float64Array, value: number): boolean {
  let at = value % slots.length
  while (slots[at] !== 0) {
    if (slots[at] === value) return false
    at = (at + 1) % slots.length
  }
  slots[at] = value
  return true
}

/** A heap that has grown by more is collected. What an import needs takes 10 to 20 MB, besides the modules. */
const maxGrowthBytes = 24 * 1024 * 1024

/**
 * Returns a function that collects garbage once there is much of it. By itself, the engine lets it grow to several hundred
 * megabytes, which a small server may not have.
 */
export function createTidying(): () => void {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("globalThis.gc")
  const maxHeapBytes = process.memoryUsage().heapUsed + maxGrowthBytes
  return () => {
    if (typeof collect === "function" && process.memoryUsage().heapUsed > maxHeapBytes) collect()
  }
}
