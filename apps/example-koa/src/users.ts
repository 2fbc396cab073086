import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto"

interface User {
  readonly id: string
  readonly name: string
  readonly email: string
}

const ada: User = { id: "ada", name: "Ada Lovelace", email: "ada@example.com" }

/** In your app, store a salt and a hash for each user, never the password. */
const salt = randomBytes(16)
const hashOfAda = hash("correct horse")

/** Always hashes the password first, so that the response time does not reveal which user names exist. */
export function findUser(username: unknown, password: unknown): User | null {
  const isRight = timingSafeEqual(hash(String(password)), hashOfAda)
  return username === "ada" && isRight ? ada : null
}

function hash(password: string): Buffer {
  return scryptSync(password, salt, 32)
}
