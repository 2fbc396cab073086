import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openSupabase } from "../../src/import/sources/supabase.js"
import { makeFolder, readFixture, readSource, type SourcePlace } from "./source-fixtures.js"
import { expectSupabaseUsers, type SupabaseFixture } from "./supabase-users.js"

const dump = readFileSync(join(import.meta.dirname, "fixtures", "supabase-dump.sql"), "utf8")
const { known } = readFixture<SupabaseFixture>("supabase.json")

function prepare(text = dump): SourcePlace {
  const folder = makeFolder()
  writeFileSync(join(folder, "dump.sql"), text)
  return { argument: "dump.sql", folder }
}

const read = (place: SourcePlace, after?: string) => readSource(openSupabase, place, after)

describe("import of supabase", () => {
  it("reads users of a dump with passwords, identities and authenticator apps, whatever the order of its tables", async () => {
    await expectSupabaseUsers((options) => read({ ...prepare(), options }))
    const tables = dump.split(/(?=^COPY )/m)
    const turned = [tables[0], ...tables.slice(1).toReversed()].join("\n")
    await expectSupabaseUsers((options) => read({ ...prepare(turned), options }))
  })

  it("goes on after the cursor", async () => {
    const { rows } = await read(prepare())
    expect((await read(prepare(), rows[1]?.cursor)).rows).toEqual(rows.slice(2))
  })

  it("MIG-17: refuses broken rows of a dump with their lines, and reads the others", async () => {
    const broken = dump
      .replace("\tben@example.com\t", "\tben@example.com\tone more\t")
      .replace("eve@example.com", `eve@${"x".repeat(1_100_000)}`)
      .replace("\tfinn@example.com\t", "\t\\\\N\\0finn@example.com\t")
    const { users, refused } = await read(prepare(broken))
    const lines = dump.split("\n")
    const lineOf = (email: string) => lines.findIndex((line) => line.includes(`\t${email}\t`)) + 1
    expect(refused.filter(({ line }) => line !== undefined)).toEqual([
      { line: lineOf("ben@example.com"), reason: "The row has other fields than its table" },
      { line: lineOf("eve@example.com"), reason: "The line is longer than 1 MiB" },
    ])
    expect(users.map(({ id }) => id)).toContain(known.ada.id)
  })

  it.each([
    ["a dump with INSERT statements", `INSERT INTO "auth"."users" ("id") VALUES ('1');\n`, /INSERT statements/],
    ["an archive of pg_dump", "PGDMP\u0001", /archive/],
    ["a dump without users", dump.replace("COPY auth.users", "COPY public.users"), /no rows of auth.users/],
    ["a dump without identities", dump.replace("COPY auth.identities", "COPY public.x"), /no rows of auth.identities/],
    ["another file", "hello", /no rows of auth.users/],
  ])("refuses %s, and says what to make", async (_, text, message) => {
    await expect(read(prepare(text))).rejects.toThrow(message)
    await expect(read(prepare(text))).rejects.toThrow(/pg_dump --data-only/)
  })

  it("MIG-22: believes no address of single sign-on, which anybody's own server can assert", async () => {
    const [id, other] = ["00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000009"]
    const [row = ""] = /^.*\tada@example.com\t.*$/m.exec(dump) ?? []
    const toSso = (own: string, email: string) =>
      row
        .replace(known.ada.id, own)
        .replace("ada@example.com", email)
        .replace(/\$2b\$\S+/, "\\N")
        .replace("\tf\t", "\tt\t")
    const identities = [id, other].map((own) => `name-${own}\t${own}\t{}\tsso:5b1f\t\\N\t\\N\t\\N\t${own}\n`)
    const text = dump
      .replace(row, [toSso(id, "ada@example.com"), row, toSso(other, "ivy@example.com")].join("\n"))
      .replace(/(?<=^COPY auth.identities .*\n)/m, identities.join(""))
    const { users, refused, survey } = await read(prepare(text))
    expect(refused).toContainEqual({
      id,
      reason: "Another user has the address, and this one has it by single sign-on",
    })
    expect(users.find(({ email }) => email === "ada@example.com")?.id).toBe(known.ada.id)
    expect(users.find((user) => user.id === other)).toMatchObject({
      ...{ email: "ivy@example.com", emailVerified: null, accounts: [] },
      left: ["The account of single sign-on (SAML)"],
    })
    expect(survey.providers.has("sso:5b1f")).toBe(false)
  })

  it("leaves passwords and secrets that the server encrypted", async () => {
    const sealed = '{"key_id":"k","alg":"aes-gcm-hkdf","data":"d","nonce":"n"}'
    const text = dump.replace(/\$2b\$\S+/, sealed).replace(/\t[A-Z2-7]{32}\t/, `\t${sealed}\t`)
    const { users } = await read(prepare(text))
    const ada = users.find(({ id }) => id === known.ada.id)
    expect([ada?.password, ada?.totp]).toEqual([null, []])
    expect(ada?.left?.join()).toMatch(/password, which the server encrypted.*A second factor/)
  })
})
