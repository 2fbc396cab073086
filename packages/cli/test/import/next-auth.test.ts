import { describe, expect, it } from "vitest"
import { openNextAuth } from "../../src/import/sources/next-auth.js"
import { prepareSqlite, readFixture, readSource, type SourcePlace, type TableFixture } from "./source-fixtures.js"

const fixtures = readFixture<Readonly<Record<"kysely" | "drizzle", TableFixture>>>("auth-adapters.json")

const read = (place: SourcePlace) => readSource(openNextAuth, place)

describe("import of next-auth", () => {
  it.each(["kysely", "drizzle"] as const)(
    "reads users and accounts of the tables of @auth/%s-adapter",
    async (name) => {
      const { users, survey } = await read(prepareSqlite(fixtures[name]))
      expect(Object.fromEntries(survey.providers)).toEqual({ google: 1, github: 1 })
      const [ada, ben] = ["ada@example.com", "ben@example.com"].map((email) =>
        users.find((user) => user.email === email),
      )
      expect(ada).toMatchObject({
        name: "Ada Example",
        emailVerified: new Date("2025-03-04T05:06:07.089Z"),
        image: "https://p.example/a.png",
      })
      expect([...(ada?.accounts ?? [])].sort((one, other) => other.provider.localeCompare(one.provider))).toEqual([
        {
          ...{ provider: "google", providerAccountId: "g-1", type: "oidc", access_token: "at-ada" },
          ...{ refresh_token: "rt-ada", id_token: "it-ada", scope: "openid email", token_type: "bearer" },
          ...{ expires_at: new Date(1_795_856_301_000), session_state: "s" },
        },
        expect.objectContaining({ provider: "github", providerAccountId: "4242", type: "oauth", expires_at: null }),
      ])
      expect(ben).toMatchObject({ name: null, emailVerified: null, accounts: [] })
    },
  )

  it("MIG-22: takes a yes or no in place of the date for what it is", async () => {
    const values = ["0", "1", "'0'", "'false'", "'true'", "''"]
    const inserts = values.map(
      (value, n) => `insert into "User" (id, email, emailVerified) values ('yn${n}', '${n}', ${value})`,
    )
    const { users } = await read(prepareSqlite(fixtures.kysely, ...inserts))
    const found = users.filter(({ id }) => id.startsWith("yn")).map(({ emailVerified }) => emailVerified)
    expect(found).toEqual([null, expect.any(Date), null, null, expect.any(Date), null])
    expect(Number(found[1])).toBeGreaterThan(Date.UTC(2026))
  })

  it("reads passkeys, and leaves their accounts to them", async () => {
    const { users, survey } = await read(prepareSqlite(fixtures.drizzle))
    expect(survey.passkeys).toBe(1)
    expect(users.find(({ email }) => email === "ben@example.com")).toMatchObject({
      accounts: [],
      passkeys: [
        {
          ...{ credentialId: "Y3JlZC1iZW4=", publicKey: "pQECAyY=", counter: 4, deviceType: "multiDevice" },
          ...{ isBackedUp: true, transports: ["internal", "hybrid"] },
        },
      ],
    })
  })

  it("reads columns in snake case, and tables of another name", async () => {
    const renamed = ["userId:user_id", "providerAccountId:provider_account_id"].map((pair) => {
      const [from, to] = pair.split(":")
      return `alter table "Account" rename column "${from}" to "${to}"`
    })
    const others = [
      `alter table "User" rename column "emailVerified" to "email_verified"`,
      `alter table "User" rename to "t3_user"`,
      `alter table "Account" rename to "t3_account"`,
    ]
    const place = prepareSqlite(fixtures.kysely, ...renamed, ...others)
    await expect(read(place)).rejects.toThrow(/no table "user" of Auth.js. Name it .*import: \{ tables: \{ user/)
    const { users } = await read({ ...place, options: { tables: { user: "t3_user", account: "t3_account" } } })
    const ada = users.find(({ email }) => email === "ada@example.com")
    expect([ada?.emailVerified, ada?.accounts?.length]).toEqual([new Date("2025-03-04T05:06:07.089Z"), 2])
    await expect(read({ ...place, options: { tables: { user: "toString" } } })).rejects.toThrow(/no table "toString"/)
  })

  it("takes passwords from a column only if it is named", async () => {
    const place = prepareSqlite(
      fixtures.kysely,
      `alter table "User" add column "password" text`,
      `update "User" set "password" = 'x'`,
    )
    const without = await read(place)
    expect(without.users.map(({ password }) => password)).toEqual([null, null])
    expect(without.survey.remarks?.join()).toContain('columns: { user: { password: "password" } }')
    const { users, survey } = await read({ ...place, options: { columns: { user: { password: "password" } } } })
    expect([users.map(({ password }) => password), survey.passwords, survey.remarks]).toEqual([["x", "x"], 2, []])
  })
})
