/**
 * Whether bytes are an ECDSA signature as X.690 (DER) writes it: one sequence of two positive integers, each in its
 * shortest form, and nothing behind it. One signature has one writing, so that it cannot be varied.
 */
export function isDerSignature(bytes: Uint8Array): boolean {
  const start = bytes[1] === 0x81 ? 3 : 2
  const length = bytes[start - 1] ?? 0
  const isShortest = start === 2 ? length < 128 : length >= 128
  if (bytes[0] !== 0x30 || !isShortest || start + length !== bytes.length) return false
  const second = findIntegerEnd(bytes, start)
  return second !== null && findIntegerEnd(bytes, second) === bytes.length
}

/** Null unless a positive integer in its shortest form begins there. */
function findIntegerEnd(bytes: Uint8Array, start: number): number | null {
  const [tag, length = 0, first = 0, second = 0] = bytes.slice(start, start + 4)
  const end = start + 2 + length
  if (tag !== 0x02 || length === 0 || length > 127 || end > bytes.length) return null
  const isNegative = first >= 128
  const isPadded = first === 0 && length > 1 && second < 128
  return isNegative || isPadded ? null : end
}
