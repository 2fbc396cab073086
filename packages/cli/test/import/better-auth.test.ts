import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { openBetterAuth } from "../../src/import/sources/better-auth.js"
import { openSealedText } from "../../src/import/sources/sealed-text.js"
import {
  fillSqlite,
  makeFolder,
  readFixture,
  readSource,
  type SourcePlace,
  type TableFixture,
} from "./source-fixtures.js"

interface Known {
  readonly id: string
  readonly totp: string
  readonly codes: readonly string[]
}

interface Fixture extends TableFixture {
  readonly sealedBase32: string
  readonly secrets: { readonly v1: string; readonly v2: string }
  readonly known: Readonly<Record<"ada" | "ben" | "cleo", Known>>
}

const fixture = readFixture<Fixture>("better-auth@1.7.25.json")
const { known, secrets } = fixture
const environment = { BETTER_AUTH_SECRETS: `2:${secrets.v2}`, BETTER_AUTH_SECRET: secrets.v1 }

function prepare(change: (database: DatabaseSync) => void = () => {}): SourcePlace {
  const folder = makeFolder()
  const file = join(folder, "theirs.db")
  fillSqlite(file, fixture)
  const database = new DatabaseSync(file)
  change(database)
  database.close()
  return { argument: "sqlite:theirs.db", folder, environment }
}

const read = (place: SourcePlace, after?: string) => readSource(openBetterAuth, place, after)

describe("import of better-auth", () => {
  it("surveys users, providers, passwords, factors and passkeys", async () => {
    const { survey } = await read(prepare())
    expect(survey).toMatchObject({ users: 7, passwords: 3, totp: 3, recoveryCodes: 3, passkeys: 1 })
    expect(Object.fromEntries(survey.providers)).toEqual({ google: 2, microsoft: 1 })
  })

  it("reads a user with a password, an authenticator app, recovery codes and a passkey", async () => {
    const { users } = await read(prepare())
    const ada = users.find(({ id }) => id === known.ada.id)
    const stored = fixture.tables["passkey"]?.[0]
    expect(ada).toMatchObject({
      name: "Ada Example",
      email: "ada@example.com",
      emailVerified: null,
      accounts: [],
      totp: [{ secret: known.ada.totp }],
      recoveryCodes: known.ada.codes,
      passkeys: [
        { credentialId: stored?.["credentialID"], counter: 3, isBackedUp: true, transports: ["hybrid", "internal"] },
      ],
      left: [],
    })
    expect(ada?.password).toMatch(/^[\da-f]{32}:[\da-f]{128}$/)
  })

  it("opens what was sealed with a secret that has a version, factors and tokens alike", async () => {
    const { users } = await read(prepare())
    const ben = users.find(({ id }) => id === known.ben.id)
    expect([ben?.totp, ben?.recoveryCodes]).toEqual([[{ secret: known.ben.totp }], known.ben.codes])
    const eve = users.find(({ email }) => email === "eve@example.com")
    expect(eve?.accounts).toMatchObject([{ access_token: "at-eve", refresh_token: null }])
  })

  it("leaves behind tokens whose secret is gone, and keeps the account", async () => {
    const { users } = await read({ ...prepare(), environment: { BETTER_AUTH_SECRET: secrets.v1 } })
    const eve = users.find(({ email }) => email === "eve@example.com")
    expect(eve?.accounts).toMatchObject([{ providerAccountId: "google-eve", access_token: null, refresh_token: null }])
    expect(eve?.left).toEqual(["Tokens of google, sealed with another secret"])
  })

  it("takes an address as proven only if Better Auth says so, at the user's creation", async () => {
    const { users } = await read(prepare())
    const proven = users.filter(({ emailVerified }) => emailVerified).map(({ email }) => email)
    expect(proven.sort()).toEqual(["dora@example.com", "eve@example.com", "finn@example.com"])
    const row = fixture.tables["user"]?.find(({ email }) => email === "dora@example.com")
    expect(users.find(({ email }) => email === "dora@example.com")?.emailVerified).toEqual(
      new Date(String(row?.["createdAt"])),
    )
  })

  it("finds users of Microsoft by the subject of the stored ID token, as our provider does", async () => {
    const { users } = await read(prepare())
    const finn = users.find(({ email }) => email === "finn@example.com")
    expect(finn?.accounts).toMatchObject([{ provider: "microsoft", providerAccountId: "pairwise-finn" }])
    const without = await read(prepare((database) => database.exec("update account set idToken = null")))
    const other = without.users.find(({ email }) => email === "finn@example.com")
    expect([other?.accounts, other?.left]).toEqual([[], [expect.stringContaining("microsoft")]])
  })

  it("leaves a factor that was never confirmed, and its codes", async () => {
    const { users } = await read(prepare())
    const cleo = users.find(({ id }) => id === known.cleo.id)
    expect([cleo?.totp, cleo?.recoveryCodes]).toEqual([undefined, undefined])
  })

  it("tells of users whose second factor does not come along", async () => {
    const place = prepare((database) => database.exec(`delete from "twoFactor" where "userId" = '${known.ada.id}'`))
    const { users } = await read(place)
    expect(users.find(({ id }) => id === known.ada.id)?.left?.join()).toContain("The second factor")
  })

  it("keeps secrets that were moved into Better Auth, plain recovery codes, and the configured digits", async () => {
    const place = prepare((database) => {
      const update = database.prepare(`update "twoFactor" set "secret" = ?, "backupCodes" = ? where "userId" = ?`)
      update.run(fixture.sealedBase32, '["one", "two"]', known.ada.id)
    })
    const { users } = await read({ ...place, options: { totp: { digits: 8, period: 60 } } })
    const ada = users.find(({ id }) => id === known.ada.id)
    expect(ada?.totp).toEqual([{ secret: "JBSWY3DPEHPK3PXP", digits: 8, period: 60 }])
    expect(ada?.recoveryCodes).toEqual(["one", "two"])
  })

  it("refuses anonymous and banned users, and takes those whose ban has ended", async () => {
    const place = prepare((database) => {
      database.prepare(`update "user" set banned = 1 where email = ?`).run("dora@example.com")
      database
        .prepare(`update "user" set banned = 1, "banExpires" = ? where email = ?`)
        .run("2020-01-01T00:00:00.000Z", "eve@example.com")
    })
    const { users, refused } = await read(place)
    expect(refused.map(({ reason }) => reason).sort()).toEqual(["The user is anonymous", "The user is banned"])
    expect(users.map(({ email }) => email)).toContain("eve@example.com")
  })

  it("goes on after the cursor", async () => {
    const place = prepare()
    const { rows } = await read(place)
    expect((await read(place, rows[2]?.cursor)).rows).toEqual(rows.slice(3))
  })

  it("refuses another secret and a missing one before it reads a user, and repeats neither", async () => {
    const wrong = "a-wrong-secret-0123456789-abcdefghijk"
    const refusal = read({ ...prepare(), environment: { BETTER_AUTH_SECRET: wrong } })
    await expect(refusal).rejects.toThrow(/opens none of the second factors/)
    await expect(refusal).rejects.not.toThrow(wrong)
    await expect(read({ ...prepare(), environment: {} })).rejects.toThrow(/Set BETTER_AUTH_SECRET/)
  })

  it.each([
    [`alter table "account" rename to "other"`, /no table "account" of Better Auth/],
    [`alter table "account" rename column "providerId" to "other"`, /"account" has no column "providerId"/],
  ])("names what is missing after %j", async (statement, message) => {
    await expect(read(prepare((database) => database.exec(statement)))).rejects.toThrow(message)
  })

  it("reads tables and columns of other names: in snake case and the plural by itself, others as named", async () => {
    const statements = [
      `alter table "account" rename to "accounts"`,
      `alter table "accounts" rename column "providerId" to "provider_id"`,
      `alter table "twoFactor" rename to "two_factors"`,
      `alter table "user" rename to "people"`,
      `alter table "people" rename column "email" to "mail"`,
    ]
    const place = prepare((database) => database.exec(statements.join(";")))
    const options = {
      tables: { user: "people" },
      columns: { user: { email: "mail" } },
      fields: { role: "rank", createdAt: "since" },
    }
    const { users } = await read({ ...place, options })
    const ada = users.find(({ id }) => id === known.ada.id)
    expect(ada).toMatchObject({
      email: "ada@example.com",
      totp: [{ secret: known.ada.totp }],
      fields: { rank: "user" },
    })
    await expect(read({ ...place, options: { ...options, fields: { level: "level" } } })).rejects.toThrow(
      /no column "level"/,
    )
  })

  it("refuses a file that is not there, and creates none", async () => {
    await expect(read({ argument: "sqlite:missing.db", folder: makeFolder() })).rejects.toThrow(/There is no file/)
    await expect(read({ argument: undefined })).rejects.toThrow(/Name the database of Better Auth/)
  })

  it("survives hostile values: other types, a foreign seal, and names of prototypes", async () => {
    const place = prepare((database) => {
      database.exec(`update "twoFactor" set "backupCodes" = '[1, null, {"a": 1}]' where "userId" = '${known.ada.id}'`)
      database.exec(`update "account" set "providerId" = '__proto__' where "providerId" = 'google'`)
      database.exec(`update "account" set "scope" = x'00ff'`)
      database.exec(`update "user" set "createdAt" = 'yesterday', "image" = 7`)
      database.exec(`update "twoFactor" set "secret" = '$ba$2$zz' where "userId" = '${known.ben.id}'`)
    })
    const { users, survey } = await read(place)
    expect(users.find(({ id }) => id === known.ada.id)?.recoveryCodes).toEqual([])
    expect(users.find(({ id }) => id === known.ben.id)?.left?.join()).toContain("sealed with another secret")
    expect(survey.providers.get("__proto__")).toBe(2)
    expect(users.find(({ email }) => email === "dora@example.com")?.accounts).toMatchObject([{ provider: "__proto__" }])
  })
})

describe("openSealedText", () => {
  it("opens nothing else than what was sealed, whole", () => {
    const sealed = String(fixture.tables["twoFactor"]?.find(({ userId }) => userId === known.ada.id)?.["secret"])
    expect(openSealedText(sealed, ["other", secrets.v1])).toHaveLength(32)
    for (const hostile of [
      "",
      "00",
      sealed.slice(2),
      `${sealed}00`,
      sealed.replace(/^../, "zz"),
      `$ba$x$${sealed}`,
      "\0",
    ]) {
      expect(openSealedText(hostile, [secrets.v1])).toBeNull()
    }
    for (let at = 0; at < sealed.length; at += 7) {
      const other = `${sealed.slice(0, at)}${sealed[at] === "0" ? "1" : "0"}${sealed.slice(at + 1)}`
      expect(openSealedText(other, [secrets.v1])).toBeNull()
    }
  })
})
