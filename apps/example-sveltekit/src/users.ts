import { randomBytes, randomUUID, scryptSync, timingSafeEqual } from "node:crypto"
import type { AdapterUser } from "@latchkey/core/adapters"
import type { SqliteAdapter } from "@latchkey/kysely-adapter/sqlite"

const ada = { name: "Ada Lovelace", email: "ada@example.com" }

/** In your app, store a salt and a hash for each user, never the password. */
const salt = randomBytes(16)
const hashOfAda = hash("correct horse")

/** Always hashes the password first, so that the response time does not reveal which user names exist. */
export async function findUser(
  adapter: SqliteAdapter,
  username: unknown,
  password: unknown,
): Promise<AdapterUser | null> {
  const isRight = timingSafeEqual(hash(String(password)), hashOfAda)
  if (username !== "ada" || !isRight) return null
  // Sessions that can be ended need a stored user. Your app stores one when a person signs up.
  const stored = await adapter.getUserByEmail(ada.email)
  return stored ?? adapter.createUser({ ...ada, id: randomUUID(), emailVerified: null })
}

function hash(password: string): Buffer {
  return scryptSync(password, salt, 32)
}
