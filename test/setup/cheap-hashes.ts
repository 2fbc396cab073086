import crypto from "node:crypto"
import { afterAll, expect } from "vitest"

// Vitest loads this file before each test file. Argon2id is slow on purpose, and most tests need a hash, not its cost. Its
// parameters are stored and compared as in production. Tests of hashing, which stand in one folder, compute at full cost.

const hashing = /packages\/core\/src\/methods\/password\//

const { argon2 } = crypto

const cheap: typeof argon2 = (algorithm, parameters, callback) =>
  argon2(algorithm, { ...parameters, memory: 8 * parameters.parallelism, passes: 1 }, callback)

// The service reads the property at each hash.
if (!hashing.test((expect.getState().testPath ?? "").replaceAll("\\", "/"))) {
  Object.assign(crypto, { argon2: cheap })
  // Another file may follow in the same process.
  afterAll(() => void Object.assign(crypto, { argon2 }))
}
