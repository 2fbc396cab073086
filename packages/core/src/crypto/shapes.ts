import type { Encrypted } from "./primitives.js"

/**
 * Sizes of A256CBC-HS512 in bytes, RFC 7518 section 5.2.5. The key's first half authenticates, its second half
 * encrypts.
 */
export const cbcHmac = { key: 64, halfKey: 32, iv: 16, block: 16, tag: 32 } as const

/** Sizes of A256GCM in bytes, RFC 7518 section 5.3. */
export const gcm = { key: 32, iv: 12, tag: 16 } as const

/** Whether the parts have the sizes of A256CBC-HS512. A shortened tag would be easier to guess. */
export function hasCbcHmacShape({ iv, ciphertext, tag }: Encrypted): boolean {
  return (
    iv.length === cbcHmac.iv &&
    tag.length === cbcHmac.tag &&
    ciphertext.length > 0 &&
    ciphertext.length % cbcHmac.block === 0
  )
}

export function hasGcmShape({ iv, tag }: Encrypted): boolean {
  return iv.length === gcm.iv && tag.length === gcm.tag
}
