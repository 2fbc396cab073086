import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto"

interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
}

const ada: Person = { id: "ada", name: "Ada Lovelace", email: "ada@example.com" }

/** An app of your own keeps salt and hash of each password, never the password. */
const salt = randomBytes(16)
const hashOfAda = hash("correct horse")

/** Hashes before it answers, so that its time does not tell which names there are. */
export function findPerson(username: unknown, password: unknown): Person | null {
  const isRight = timingSafeEqual(hash(String(password)), hashOfAda)
  return username === "ada" && isRight ? ada : null
}

function hash(password: string): Buffer {
  return scryptSync(password, salt, 32)
}
