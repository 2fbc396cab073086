import { createHash } from "node:crypto"
import { openDatabase } from "../open-database.js"

/** Someone who has an account at the demo's identity provider. */
export interface Person {
  /** The provider's lasting name for this person: the claim `sub`. */
  readonly sub: string
  readonly name: string
  readonly email: string
}

export interface People {
  find(sub: string): Person | null
  /** The person with this address, under this name from now on. */
  remember(name: string, email: string): Person
  close(): void
}

/** The people whom the login page offers. */
export const examplePeople: readonly Person[] = [
  { name: "Ada Lovelace", email: "ada@id.example" },
  { name: "Grace Hopper", email: "grace@id.example" },
  { name: "Mallory", email: "mallory@id.example" },
].map(({ name, email }) => ({ sub: subOf(email), name, email }))

export function openPeople(file: string): People {
  const database = openDatabase(file)
  database.exec(
    "create table if not exists person (sub text primary key, name text not null, email text not null) strict",
  )
  const byId = database.prepare("select sub, name, email from person where sub = ?")
  const upsert = database.prepare("insert or replace into person (sub, name, email) values (?, ?, ?)")
  return {
    find: (sub) => {
      const example = examplePeople.find((person) => person.sub === sub)
      if (example) return example
      const row = byId.get(sub)
      return row ? { sub: String(row["sub"]), name: String(row["name"]), email: String(row["email"]) } : null
    },
    remember: (name, email) => {
      const person = { sub: subOf(email), name, email: email.toLowerCase() }
      const example = examplePeople.find(({ sub }) => sub === person.sub)
      if (example) return example
      upsert.run(person.sub, name, person.email)
      return person
    },
    close: () => database.close(),
  }
}

function subOf(email: string): string {
  return createHash("sha256").update(email.toLowerCase()).digest("hex").slice(0, 24)
}
