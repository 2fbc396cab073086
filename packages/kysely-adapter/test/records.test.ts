import { type SqliteAdapter, sqlite } from "@latchkey/kysely-adapter/sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const expires = new Date("2040-01-01T00:00:00.000Z")

describe("records in the tables", () => {
  let adapter: SqliteAdapter
  const all = (text: string) =>
    adapter.database
      .prepare(text)
      .all()
      .map((row) => ({ ...row }))

  beforeEach(() => {
    adapter = sqlite(":memory:")
    adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
  })
  afterEach(() => adapter.close())

  it("ignores extra keys from a provider, even if they look like SQL", () => {
    const account = { userId: "ada", type: "oidc", provider: "harbour", providerAccountId: "1" } as const
    adapter.linkAccount({ ...account, 'id", "x': "1", userid: "eve", not_before_policy: 0, user_id: "eve" })
    expect(adapter.getAccount("1", "harbour")).toEqual(account)
    adapter.updateUser({ id: "ada", ...{ 'name" = (select 1), "image': "x", isAdmin: true } })
    expect(adapter.getUser("ada")).not.toHaveProperty("isAdmin")
  })

  it("does not change the id of a user", () => {
    adapter.updateUser({ id: "ada", name: "Ada" })
    expect(all(`select id, name from "User"`)).toEqual([{ id: "ada", name: "Ada" }])
  })

  it("generates the id of a user without one", async () => {
    const user = await adapter.createUser({ email: "b@example.com", emailVerified: null } as never)
    expect(user.id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("allows several users without an email, and finds none of them by it", () => {
    for (const id of ["b", "c"]) adapter.createUser({ id, email: null, emailVerified: null } as never)
    expect(adapter.getUserByEmail(null as never)).toBeNull()
    expect(adapter.getUser("c")).toMatchObject({ email: null })
  })

  it("rejects a session and an account of a user who does not exist", () => {
    const account = { userId: "eve", type: "oidc", provider: "harbour", providerAccountId: "1" } as const
    expect(() => adapter.createSession({ sessionToken: "t", userId: "eve", expires })).toThrow("FOREIGN KEY")
    expect(() => adapter.linkAccount(account)).toThrow("FOREIGN KEY")
  })

  it("stores dates as ISO text in UTC", () => {
    adapter.createSession({ sessionToken: "t", userId: "ada", expires: new Date(1735787045678) })
    expect(all(`select expires from "Session"`)).toEqual([{ expires: "2025-01-02T03:04:05.678Z" }])
  })

  it("reads dates that another library stored as milliseconds", async () => {
    adapter.database.exec(`insert into "Session" values ('t', 'ada', 1735787045678)`)
    expect((await adapter.getSessionAndUser("t"))?.session.expires).toEqual(new Date(1735787045678))
  })

  it("names the field with an invalid date", () => {
    adapter.database.exec(`insert into "Session" values ('t', 'ada', 'soon')`)
    expect(() => adapter.getSessionAndUser("t")).toThrow("expires contains no valid date")
  })

  it("leaves out the fields that an account does not have", () => {
    adapter.linkAccount({ userId: "ada", type: "email", provider: "mail", providerAccountId: "ada@example.com" })
    expect(Object.keys(adapter.getAccount("ada@example.com", "mail") ?? {})).toEqual([
      "userId",
      "type",
      "provider",
      "providerAccountId",
    ])
  })

  it("removes expired rows and nothing else", () => {
    const now = new Date("2030-01-01T00:00:00.000Z")
    const instants = ["2029-12-31T23:59:59.999Z", "2030-01-01T00:00:00.000Z", "2030-01-01T00:00:00.001Z"]
    for (const instant of instants) {
      adapter.createSession({ sessionToken: instant, userId: "ada", expires: new Date(instant) })
      adapter.createVerificationToken({ identifier: "a@example.com", token: instant, expires: new Date(instant) })
      adapter.consumeOnce?.(instant, new Date(instant))
    }
    adapter.database.exec(`insert into "Session" values ('milliseconds', 'ada', 1)`)
    expect(adapter.removeExpired(now)).toBe(3)
    expect(all(`select sessionToken from "Session" order by 1`)).toEqual([
      { sessionToken: "2030-01-01T00:00:00.000Z" },
      { sessionToken: "2030-01-01T00:00:00.001Z" },
      { sessionToken: "milliseconds" },
    ])
  })

  it("finds a session and its user in one query", () => {
    const plan = all(
      `explain query plan select * from "Session" o join "User" u on u.id = o.userId where o.sessionToken = 't'`,
    )
    expect(plan.map((row) => String(row["detail"]))).toEqual([
      expect.stringContaining("SEARCH o USING INDEX"),
      expect.stringContaining("SEARCH u USING INDEX"),
    ])
  })
})

describe("tables and columns with the host's names", () => {
  const names = {
    user: {
      name: "people",
      columns: { email: "e_mail", emailVerified: "verified_at", role: "role_name" },
      extra: { role: "text" },
    },
    account: { name: "identities", columns: { providerAccountId: "subject", userId: "person_id" } },
    session: { name: "visits", columns: { sessionToken: "token", userId: "person_id" } },
  } as const

  it("stores all records in them, including extra columns", () => {
    const adapter = sqlite(":memory:", {
      ...names,
      user: { ...names.user, extra: {}, columns: { email: "e_mail", emailVerified: "verified_at" } },
    })
    adapter.database.exec("alter table people add column role_name text not null default 'reader'")
    const named = sqlite(adapter.database, names)
    named.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    named.createUser({ id: "ben", email: "ben@example.com", emailVerified: null, ...{ role: "writer" } })
    named.linkAccount({ userId: "ben", type: "oidc", provider: "harbour", providerAccountId: "1" })
    named.createSession({ sessionToken: "t", userId: "ben", expires })
    expect(named.getUserByEmail("ada@example.com")).toMatchObject({ role: "reader" })
    expect(named.getUserByAccount({ provider: "harbour", providerAccountId: "1" })).toMatchObject({ role: "writer" })
    expect(named.getSessionAndUser("t")).toMatchObject({ session: { userId: "ben" }, user: { role: "writer" } })
    expect(named.updateUser({ id: "ben", ...{ role: "owner" } })).toMatchObject({ role: "owner" })
    adapter.close()
  })
})
