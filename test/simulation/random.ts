/** Numbers that follow from a seed. */
export interface Random {
  /** Returns a whole number from 0 to `below - 1`. */
  int(below: number): number
  /** Returns true with this probability. */
  chance(probability: number): boolean
  /** Returns one of the values. @throws RangeError for an empty list */
  pick<T>(values: readonly T[]): T
  /** Overwrites all bytes. */
  fill(bytes: Uint8Array): void
}

/** Creates a generator (mulberry32: fast, 32 bits of state; not for secrets outside of a simulation). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0

  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  return {
    int: (below) => next() % below,
    chance: (probability) => next() < probability * 2 ** 32,
    pick<T>(values: readonly T[]): T {
      if (values.length === 0) throw new RangeError("There is nothing to pick from")
      // as: the index is below the length
      return values[next() % values.length] as T
    },
    fill(bytes) {
      for (let at = 0; at < bytes.length; at++) bytes[at] = next() & 0xff
    },
  }
}

/** Mixes several numbers into the seed of another generator. */
export function mixSeeds(...parts: readonly number[]): number {
  return parts.reduce((mixed, part) => {
    const turned = Math.imul(mixed ^ part, 0x9e3779b1)
    return (turned ^ (turned >>> 15)) >>> 0
  }, 0x811c9dc5)
}
