import { argon2Hasher } from "./argon2-hasher.js"
import type { PasswordHasher } from "./password-hasher.js"
import { scryptHasher } from "./scrypt-hasher.js"

/** Argon2id where its native code can be loaded, else scrypt, which every Node has. */
export async function loadPasswordHasher(): Promise<PasswordHasher> {
  try {
    return await argon2Hasher()
  } catch {
    // No build of the native code for this machine. The start-up summary names the algorithm in use.
    return scryptHasher()
  }
}
