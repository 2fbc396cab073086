import { createHash } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const firstSize = 1024

/** Texts that are remembered. */
export interface Memory {
  /** Tells whether it was given a text before. */
  has(text: string): boolean
  /** Remembers a text. @returns whether it was given the text before */
  add(text: string): boolean
}

/**
 * Remembers 52 bits of a digest of each text, which takes 16 to 32 bytes. Of a million texts, two are taken for one another with
 * a probability of one in 9,000.
 */
export function createMemory(): Memory {
  let slots = new Float64Array(firstSize)
  let count = 0
  return {
    has: (text) => slots[find(slots, toValue(text))] !== 0,
    add(text) {
      if (2 * count >= slots.length) slots = grow(slots)
      const value = toValue(text)
      const at = find(slots, value)
      const isKnown = slots[at] !== 0
      slots[at] = value
      if (!isKnown) count += 1
      return isKnown
    },
  }
}

function toValue(text: string): number {
  const digest = createHash("sha256").update(text).digest()
  return 1 + digest.readUIntBE(0, 6) * 16 + (digest.readUInt8(6) & 15)
}

function grow(slots: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * slots.length)
  for (const value of slots) if (value !== 0) larger[find(larger, value)] = value
  return larger
}

/** @returns where a value is, or would be */
function find(slots: Float64Array, value: number): number {
  let at = value % slots.length
  while (slots[at] !== 0 && slots[at] !== value) at = (at + 1) % slots.length
  return at
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
