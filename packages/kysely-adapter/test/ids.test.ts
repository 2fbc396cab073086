import { DatabaseSync } from "node:sqlite"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { testAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { expires, sampleAccount, sampleUser } from "./samples.js"

for (const ids of ["integer", "uuid"] as const) {
  testAdapter({
    name: `sqlite with ids: ${ids}`,
    create() {
      const adapter = sqlite(":memory:", { ids })
      return { adapter, close: adapter.close }
    },
  })
}

describe("ids of users", () => {
  it.each([
    ["integer", /^[1-9]\d*$/],
    ["uuid", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
  ] as const)("are made by the database, whatever the service proposes (%s)", (ids, form) => {
    const adapter = sqlite(":memory:", { ids })
    const made = Array.from({ length: 50 }, () => adapter.createUser(sampleUser())).map((user) => ({ ...user }))
    expect(new Set(made.map((user) => Reflect.get(user, "id"))).size).toBe(50)
    for (const user of made) expect(Reflect.get(user, "id")).toMatch(form)
    adapter.close()
  })

  it("are what the service says by default", () => {
    const adapter = sqlite(":memory:")
    expect(adapter.createUser(sampleUser({ id: "ada" }))).toMatchObject({ id: "ada" })
    adapter.close()
  })

  it("are never given to a second user after the first is gone", async () => {
    const adapter = sqlite(":memory:", { ids: "integer" })
    const first = await adapter.createUser(sampleUser())
    await adapter.deleteUser(first.id)
    expect((await adapter.createUser(sampleUser())).id).not.toBe(first.id)
    adapter.close()
  })

  it("ADP-13: are found by one text alone", async () => {
    const adapter = sqlite(":memory:", { ids: "integer" })
    const { id } = await adapter.createUser(sampleUser())
    expect(adapter.getUser(id)).toMatchObject({ id })
    for (const text of [
      `0${id}`,
      `${id} `,
      ` ${id}`,
      `${id}.0`,
      `${id}x`,
      `+${id}`,
      `${id}e0`,
      "9223372036854775808",
      "-1",
    ]) {
      expect(adapter.getUser(text)).toBeNull()
      expect(adapter.deleteUser(text)).toBeNull()
    }
    expect(() => adapter.createSession({ sessionToken: "t", userId: `${id}x`, expires })).toThrow("userId must be")
    adapter.close()
  })
})

describe("ids that every row has in tables of another library", () => {
  const tables = `
    create table "User" (id text primary key, name text, email text unique, emailVerified text, image text);
    create table "Account" (id text primary key not null, userId text not null references "User" (id) on delete cascade,
      type text not null, provider text not null, providerAccountId text not null, refresh_token text, access_token text,
      expires_at integer, token_type text, scope text, id_token text, session_state text);
    create table "Session" (id text primary key not null, sessionToken text not null, userId text not null, expires text)`

  it("are filled where the database does not", () => {
    const database = new DatabaseSync(":memory:")
    database.exec(tables)
    const plain = sqlite(database)
    plain.createUser(sampleUser({ id: "ada" }))
    expect(() => plain.linkAccount(sampleAccount("ada"))).toThrow("NOT NULL constraint failed: Account.id")
    const adapter = sqlite(database, { account: { rowId: "id" }, session: { rowId: "id" } })
    const account = sampleAccount("ada")
    expect(adapter.linkAccount(account)).toEqual(account)
    expect(adapter.linkAccount({ ...sampleAccount("ada"), id: "chosen" })).not.toHaveProperty("id")
    adapter.createSession({ sessionToken: "t", userId: "ada", expires })
    const rows = database.prepare(`select id from "Account" union all select id from "Session"`).all()
    expect(new Set(rows.map((row) => row["id"])).size).toBe(3)
    for (const row of rows) expect(row["id"]).toMatch(/^[0-9a-f-]{36}$/)
  })
})
