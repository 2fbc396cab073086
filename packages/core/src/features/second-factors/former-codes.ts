import { derive } from "../../methods/password/argon2id.js"
import { machineQueue } from "../../methods/password/hashing.js"

/** The least costs of OWASP's Password Storage Cheat Sheet. */
const costs = { m: 19_456, t: 2, p: 1, length: 32 } as const

/**
 * The hash of a recovery code as earlier versions stored it.
 * @throws TooManyRequests when too many passwords and codes are waiting to be hashed
 */
export async function hashFormerCode(code: string, salt: Uint8Array): Promise<Uint8Array> {
  const password = new TextEncoder().encode(code)
  return new Uint8Array(await machineQueue.run(() => derive({ ...costs, password, salt })))
}
