import { describe, expect, it } from "vitest"
import { openLucia } from "../../src/import/sources/lucia.js"
import { prepareSqlite, readFixture, readSource, type SourcePlace, type TableFixture } from "./source-fixtures.js"

const fixtures = readFixture<Readonly<Record<"three" | "two", TableFixture>>>("lucia@3.2.2.json")

const read = (place: SourcePlace) => readSource(openLucia, place)

describe("import of lucia", () => {
  it("reads users, their passwords, and providers from the table and from columns", async () => {
    const { users, survey } = await read(prepareSqlite(fixtures.three))
    expect(survey).toMatchObject({ users: 3, passwords: 2 })
    expect(Object.fromEntries(survey.providers)).toEqual({ google: 1, github: 1 })
    const [ada, ben, cleo] = ["ada", "ben", "cleo"].map((name) => users.find((user) => user.name === name))
    expect(ada).toMatchObject({ email: "ada@example.com", emailVerified: expect.any(Date), accounts: [] })
    expect(ada?.password).toMatch(/^[\da-f]{32}:[\da-f]{128}$/)
    expect(ben).toMatchObject({ emailVerified: null, accounts: [{ provider: "github", providerAccountId: "4242" }] })
    expect(ben?.password).toMatch(/^s2:/)
    expect(cleo).toMatchObject({
      email: null,
      accounts: [{ provider: "google", providerAccountId: "g-1" }],
      password: null,
    })
  })

  it("reads the keys of Lucia 2: a password by its address, and IDs with colons", async () => {
    const { users, survey } = await read(prepareSqlite(fixtures.two, `update user set email = null`))
    expect(Object.fromEntries(survey.providers)).toEqual({ github: 1, discord: 1 })
    expect(users.map(({ email, accounts }) => ({ email, accounts }))).toEqual([
      { email: "dora@example.com", accounts: [{ provider: "github", providerAccountId: "77" }] },
      { email: null, accounts: [{ provider: "discord", providerAccountId: "88:99" }] },
    ])
    expect(users[0]?.password).toMatch(/^s2:/)
  })

  it("reads columns that are named for a provider, and refuses those that are not there", async () => {
    const place = prepareSqlite(fixtures.three, `alter table user rename column github_id to gh`)
    const { users } = await read({ ...place, options: { columns: { user: { github: "gh" } } } })
    expect(users.find(({ name }) => name === "ben")?.accounts).toEqual([
      { provider: "github", providerAccountId: "4242" },
    ])
    await expect(read({ ...place, options: { columns: { user: { github: "github" } } } })).rejects.toThrow(
      /no column "github"/,
    )
  })

  it("takes a date for when an address was proven", async () => {
    const { users } = await read(
      prepareSqlite(fixtures.three, `update user set email_verified = 1741064767 where username = 'ben'`),
    )
    expect(users.find(({ name }) => name === "ben")?.emailVerified).toEqual(new Date("2025-03-04T05:06:07Z"))
  })

  it.each([
    ["says so if there are passwords and no addresses", ", password_hash", true],
    ["says nothing about addresses of users who sign in at a provider", ", github_id", false],
  ])("%s", async (_title, columns, isSaid) => {
    const place = prepareSqlite(fixtures.three, `create table "people" as select id, username${columns} from user`)
    const { survey } = await read({ ...place, options: { tables: { user: "people" } } })
    const sentence = 'The table "people" has no addresses: its users sign in by name'
    expect(survey.remarks?.join().includes(sentence)).toBe(isSaid)
  })
})
