import type { PasswordHasher } from "./password-hasher.js"

/**
 * Argon2id, RFC 9106, with 19 MiB and two passes, the least that OWASP's Password Storage Cheat Sheet allows.
 * @throws when the native code cannot be loaded on this machine.
 */
export async function argon2Hasher(): Promise<PasswordHasher> {
  const { hash, verify } = await import("@node-rs/argon2")
  const costs = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
  return {
    name: "argon2id",
    hash: (password) => hash(password, costs),
    verify: (stored, password) => verify(stored, password),
  }
}
