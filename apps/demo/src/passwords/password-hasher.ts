/** Turns passwords into hashes that are slow to guess from, each with a salt of its own. */
export interface PasswordHasher {
  readonly name: "argon2id" | "scrypt"
  /** Self-describing text: algorithm, costs, salt and hash. */
  hash(password: string): Promise<string>
  /** @throws when the hash was not made by this algorithm. */
  verify(hash: string, password: string): Promise<boolean>
}
