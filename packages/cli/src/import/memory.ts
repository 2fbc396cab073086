import { createHash } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** They grow one at a time, so that the old and the new slots of all texts never exist at once. */
const partCount = 256

/** Texts that are remembered. */
export interface Memory {
  /** Tells whether it was given a text before. */
  has(text: string): boolean
  /** Remembers a text. @returns whether it was given the text before */
  add(text: string): boolean
}

/**
 * Remembers 52 bits of a digest of each text, which takes 11 to 16 bytes. Of a million texts, two are taken for one another with
 * a probability of one in 9,000.
 */
export function createMemory(): Memory {
  const parts = Array.from({ length: partCount }, () => ({ slots: new Float64Array(4), count: 0 }))

  function choose(value: number): { slots: Float64Array; count: number } {
    const part = parts[value % partCount]
    if (!part) throw new RangeError("A part for each value")
    return part
  }

  return {
    has(text) {
      const value = toValue(text)
      const { slots } = choose(value)
      return slots[find(slots, value)] !== 0
    },
    add(text) {
      const value = toValue(text)
      const part = choose(value)
      if (4 * part.count >= 3 * part.slots.length) part.slots = grow(part.slots)
      const at = find(part.slots, value)
      const isKnown = part.slots[at] !== 0
      part.slots[at] = value
      if (!isKnown) part.count += 1
      return isKnown
    },
  }
}

function toValue(text: string): number {
  const digest = createHash("sha256").update(text).digest()
  return 1 + digest.readUIntBE(0, 6) * 16 + (digest.readUInt8(6) & 15)
}

function grow(slots: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(Math.ceil(1.5 * slots.length))
  for (const value of slots) if (value !== 0) larger[find(larger, value)] = value
  return larger
}

/** @returns where a value is, or would be */
function find(slots: Float64Array, value: number): number {
  let at = Math.floor(value / partCount) % slots.length
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
