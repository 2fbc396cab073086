import { createHash } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import type { Adapter, AdapterPayload } from "oidc-provider"
import { openDatabase } from "../settings/data-folder.js"

/** A person with an account at the demo's identity provider. */
export interface Person {
  /** The claim `sub`: the provider's stable id of the person. */
  readonly sub: string
  readonly name: string
  readonly email: string
}

export interface People {
  find(sub: string): Person | null
  /** Creates or renames the person with this email address. The example people keep their names. */
  save(name: string, email: string): Person
  close(): void
}

/** The people listed on the login page. */
export const examplePeople: readonly Person[] = [
  { name: "Ada Lovelace", email: "ada@id.example" },
  { name: "Grace Hopper", email: "grace@id.example" },
  { name: "Mallory", email: "mallory@id.example" },
].map(({ name, email }) => ({ sub: toSub(email), name, email }))

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
    save: (name, email) => {
      const person = { sub: toSub(email), name, email: email.toLowerCase() }
      const example = examplePeople.find(({ sub }) => sub === person.sub)
      if (example) return example
      upsert.run(person.sub, name, person.email)
      return person
    },
    close: () => database.close(),
  }
}

function toSub(email: string): string {
  return createHash("sha256").update(email.toLowerCase()).digest("hex").slice(0, 24)
}

/** The codes, tokens and unfinished sign-ins of the identity provider. They survive a restart. */
export interface RecordStore {
  /** The records of one kind, as an `oidc-provider` adapter. */
  records(kind: string): Adapter
  close(): void
}

export function openRecordStore(file: string): RecordStore {
  const database = openDatabase(file)
  database.exec(
    `create table if not exists record (kind text not null, id text not null, payload text not null, expires_at integer,
      uid text, user_code text, grant_id text, primary key (kind, id)) strict;
     create index if not exists record_by_grant on record (grant_id)`,
  )
  return { records: (kind) => recordsOf(kind, database), close: () => database.close() }
}

function recordsOf(kind: string, database: DatabaseSync): Adapter {
  const upsert = database.prepare("insert or replace into record values (?, ?, ?, ?, ?, ?, ?)")
  const purge = database.prepare("delete from record where expires_at <= unixepoch()")
  const findBy = (column: "id" | "uid" | "user_code"): Adapter["find"] => {
    const select = database.prepare(
      `select payload from record where kind = ? and ${column} = ? and (expires_at is null or expires_at > unixepoch())`,
    )
    return async (value) => parsePayload(select.get(kind, value)?.["payload"])
  }
  const consume = database.prepare(
    "update record set payload = json_set(payload, '$.consumed', unixepoch()) where kind = ? and id = ?",
  )
  const destroy = database.prepare("delete from record where kind = ? and id = ?")
  const revoke = database.prepare("delete from record where grant_id = ?")
  return {
    upsert: async (id, payload, expiresInSeconds) => {
      purge.run()
      const expiresAt = expiresInSeconds ? Math.floor(Date.now() / 1000) + expiresInSeconds : null
      const { uid = null, userCode = null, grantId = null } = payload
      upsert.run(kind, id, JSON.stringify(payload), expiresAt, uid, userCode, grantId)
    },
    find: findBy("id"),
    findByUid: findBy("uid"),
    findByUserCode: findBy("user_code"),
    consume: async (id) => {
      consume.run(kind, id)
    },
    destroy: async (id) => {
      destroy.run(kind, id)
    },
    revokeByGrantId: async (grantId) => {
      revoke.run(grantId)
    },
  }
}

function parsePayload(text: unknown): AdapterPayload | undefined {
  return typeof text === "string" ? JSON.parse(text) : undefined
}
