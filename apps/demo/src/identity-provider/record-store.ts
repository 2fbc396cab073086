import type { DatabaseSync } from "node:sqlite"
import type { Adapter, AdapterPayload } from "oidc-provider"
import { openDatabase } from "../open-database.js"

/**
 * Where the identity provider keeps its codes, tokens and half-done sign-ins, so that a restart in between loses none.
 */
export interface RecordStore {
  /** The records of one kind, as `oidc-provider` asks for them. */
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
