import type { AuthenticatedData } from "./primitives.js"

const encoder = new TextEncoder()

/** An encoded protected header as what a token's tag covers, RFC 7516 section 5.1 step 14. */
export function toAuthenticatedData(header: string): AuthenticatedData {
  const bytes = encoder.encode(header)
  const lengthBlock = new Uint8Array(8)
  new DataView(lengthBlock.buffer).setUint32(4, bytes.length * 8)
  return { bytes, lengthBlock }
}
