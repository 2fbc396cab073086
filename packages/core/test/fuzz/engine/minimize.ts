/** Removes smaller and smaller pieces while the input still fails in the same way. */
export async function minimize(
  input: Uint8Array,
  fails: (smaller: Uint8Array) => Promise<boolean>,
  maxTries = 2_000,
): Promise<Uint8Array> {
  let best = input
  let tries = 0
  for (let size = Math.ceil(input.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length && tries < maxTries; tries++) {
      const smaller = Uint8Array.from([...best.subarray(0, at), ...best.subarray(at + size)])
      if (await fails(smaller)) best = smaller
      else at += size
    }
  }
  return best
}
