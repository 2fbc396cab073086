import { createServer } from "node:http"
import { join } from "node:path"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { afterAll, describe, expect, it } from "vitest"
import { runHere } from "../command.js"
import { createApp, hash, newPath, readReport, removeFiles, writeLines } from "./app.js"

afterAll(removeFiles)

const ada = {
  id: "u1",
  name: "Ada",
  email: "Ada@Example.com",
  emailVerified: "2024-05-06T07:08:09Z",
  image: "https://img.example/a.png",
  accounts: [
    {
      provider: "github",
      providerAccountId: "1815",
      access_token: "t",
      token_type: "Bearer",
      expires_at: "2026-01-01T00:00:00Z",
    },
  ],
  password: hash,
  totp: [{ secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", label: "Phone" }],
  recoveryCodes: ["abcde-fghij", "klmno-pqrst"],
  passkeys: [
    {
      credentialId: "t0w6FdfGbuvT0VflJVBihNIrPfD5nY8u-a_OVYvAxNg",
      publicKey: "pAEBAycgBiFYINGAaQ3chAu4DJ9y9Xkof8xw/1JR1jfvR265SxltH+ou",
      counter: 1,
      transports: ["internal"],
      name: "Laptop",
    },
  ],
}

describe("latchkey import json", () => {
  it("prints its usage, and refuses unknown sources and values", async () => {
    const help = await runHere(["import", "--help"], { folder: "/" })
    expect([help.code, help.output]).toEqual([0, expect.stringContaining("--dry-run")])
    for (const args of [["import"], ["import", "nothing"], ["import", "__proto__"], ["import", "json", "a", "b"]])
      expect((await runHere(args, { folder: "/" })).code).toBe(2)
    for (const value of ["0", "10001", "1e3", ""])
      expect((await runHere(["import", "json", "a", "--batch", value], { folder: "/" })).errors).toContain("--batch")
    expect((await runHere(["import", "json", "a", "--skip", "all"], { folder: "/" })).errors).toContain("--skip")
  })

  it("stores users with their ids, accounts, passwords, factors and proven addresses", async () => {
    const { run, adapter } = createApp()
    const { code, output } = await run(writeLines([ada, { id: "u2", email: "bo@example.com" }]))
    expect([code, output]).toEqual([0, expect.stringContaining("2 users imported")])
    const email = "ada@example.com"
    expect(await adapter.getUser?.("u1")).toEqual({
      ...{ id: "u1", name: "Ada", email, image: ada.image },
      emailVerified: new Date(ada.emailVerified),
    })
    expect(await adapter.getAccount?.("1815", "github")).toMatchObject({
      ...{ userId: "u1", type: "oauth", access_token: "t", token_type: "bearer" },
      expires_at: Date.parse("2026-01-01T00:00:00Z") / 1000,
    })
    expect(await adapter.getPassword?.("u1")).toMatchObject({ hash })
    expect((await adapter.listFactors?.("u1"))?.map(({ kind }) => kind).toSorted()).toEqual(["recovery", "totp"])
    const credentialID = "t0w6FdfGbuvT0VflJVBihNIrPfD5nY8u+a/OVYvAxNg="
    expect(await adapter.getAuthenticator?.(credentialID)).toMatchObject({ userId: "u1", name: "Laptop" })
    expect(await adapter.getAccount?.(credentialID, "passkey")).toMatchObject({ userId: "u1", type: "webauthn" })
    expect(await adapter.isEmailVerified?.({ id: "u1", email })).toBe(true)
    expect(await adapter.isEmailVerified?.({ id: "u2", email: "bo@example.com" })).toBe(false)
    expect(await adapter.getUser?.("u2")).toMatchObject({ emailVerified: null })
  })

  it("writes nothing with --dry-run, and tells the same", async () => {
    const { run, adapter } = createApp()
    const path = writeLines([ada, { id: "u2", email: "ADA@example.com" }, "{"])
    const { code, output } = await run(path, "--dry-run")
    expect([code, output]).toEqual([1, expect.stringContaining("1 user would be imported")])
    expect(output).toContain("2 rows were refused")
    expect(await adapter.getUser?.("u1")).toBeNull()
    expect((await run(path)).output).toContain("2 rows were refused")
  })

  it("leaves out what --skip names", async () => {
    const { run, adapter } = createApp()
    await run(writeLines([ada]), "--skip", "passwords,factors,passkeys")
    expect(await adapter.getPassword?.("u1")).toBeNull()
    expect(await adapter.listFactors?.("u1")).toEqual([])
    expect(await adapter.listAuthenticatorsByUserId?.("u1")).toEqual([])
  })

  it("asks before it writes, and refuses to write where nobody can answer", async () => {
    const { target } = createApp()
    const { importCommand } = await import("../../src/import/import.js")
    const questions: string[] = []
    const ask = async (question: string) => {
      questions.push(question)
      return "n"
    }
    const context = { folder: "/", environment: {}, print: () => {}, printError: () => {} }
    const args = ["json", writeLines([ada])]
    expect(await importCommand(args, { ...context, ask }, async () => target)).toBe(0)
    expect(questions).toEqual(["Import them? [y/N] "])
    await expect(importCommand(args, context, async () => target)).rejects.toThrow("--yes")
    expect(await target.adapter.getUser?.("u1")).toBeNull()
  })

  it("lists providers that the app does not have before it writes, and takes other names from the configuration", async () => {
    const accounts = ["hub", "old", "corp"].map((provider) => ({ provider, providerAccountId: "1" }))
    const settings = { import: { providers: { hub: "github", old: null } } }
    const { run, adapter } = createApp(sqlite(":memory:"), settings)
    const { output } = await run(writeLines([{ id: "u1", accounts }]))
    expect(output).toMatch(/1 of hub → github\n/)
    expect(output).toMatch(/1 of old left out\n/)
    expect(output).toMatch(/1 of corp → corp, which the app does not have\n/)
    const stored = await adapter.listAccountsByUserId?.("u1")
    expect(stored?.map(({ provider }) => provider).toSorted()).toEqual(["corp", "github"])
  })

  it("maps lines by toUser of the configuration, which may leave some out", async () => {
    const toUser = (line: Readonly<Record<string, unknown>>) =>
      line["gone"] === true ? null : { id: String(line["uid"]), email: String(line["mail"]) }
    const { run, adapter } = createApp(sqlite(":memory:"), { import: { toUser } })
    const { code } = await run(
      writeLines([
        { uid: 7, mail: "a@example.com" },
        { uid: 8, gone: true },
      ]),
    )
    expect([code, await adapter.getUser?.("7")]).toEqual([0, expect.objectContaining({ email: "a@example.com" })])
    expect(await adapter.getUser?.("8")).toBeNull()
  })

  it("tells before it writes what the configuration lacks", async () => {
    const app = createApp()
    const { secondFactors: _, ...config } = app.target.config ?? { providers: [] }
    Object.assign(app.target, { config })
    const path = writeLines([ada])
    const { code, errors } = await app.run(path)
    expect([code, errors]).toEqual([2, expect.stringContaining("--skip passwords,factors,passkeys")])
    Object.assign(app.target, { config: null })
    expect((await app.run(path)).errors).toContain("--config")
    expect(await app.adapter.getUser?.("u1")).toBeNull()
  })

  it("opens no port for a configuration in the file that starts the app", async () => {
    const file = join(import.meta.dirname, "fixtures", "listening-app.ts")
    const { code, output } = await runHere(
      ["import", "json", writeLines([{ id: "u1" }]), "--dry-run", "--config", file],
      { folder: import.meta.dirname, environment: {} },
    )
    expect([code, output]).toEqual([0, expect.stringContaining("1 user would be imported")])
    const server: unknown = Reflect.get(globalThis, Symbol.for("latchkey.listening-app"))
    expect(server).toMatchObject({ listening: false })
    // An integration that starts later in this process warns again.
    expect(Reflect.has(globalThis, Symbol.for("latchkey.doctor"))).toBe(false)
    const own = createServer().listen(0)
    expect(own.listening).toBe(true)
    own.close()
  })
})

describe("the rows that latchkey import refuses", () => {
  it("MIG-05: refuses hashes of unknown formats, hostile costs, any length, and of two users", async () => {
    const { run, adapter } = createApp()
    const report = newPath()
    const costly = "$2b$31$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
    const argon2 =
      "$argon2id$v=19$m=4194304,t=100,p=255$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g"
    const hashes = ["md5:abc", "$2b$10$short", "x".repeat(1_000_000), costly, argon2]
    const bad = hashes.map((password, index) => ({
      id: `bad${index}`,
      email: `b${index}@example.com`,
      password,
    }))
    const same = ["s1", "s2"].map((id) => ({ id, email: `${id}@example.com`, password: hash }))
    const { code, output } = await run(writeLines([...bad, ...same, { id: "last" }]), "--report", report)
    const refused = readReport(report)
    expect([code, refused.map(({ id, line }) => [id, line])]).toEqual([
      1,
      [
        ["bad0", 1],
        ["bad1", 2],
        ["bad2", 3],
        ["bad3", 4],
        ["bad4", 5],
        ["s2", 7],
      ],
    ])
    expect(await adapter.getUser?.("bad1")).toBeNull()
    expect(await adapter.getPassword?.("s1")).toMatchObject({ hash })
    expect(await adapter.getUser?.("last")).not.toBeNull()
    expect(JSON.stringify(refused) + output).not.toMatch(/@example|\$2b|\$argon|md5|xxxx/)
  })

  it("MIG-17: refuses broken lines with their numbers, and stores the rest", async () => {
    const { run, adapter } = createApp()
    const report = newPath()
    const path = writeLines([
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"id":"first"}\r')]),
      { id: "a", email: "ada@example.com" },
      { id: "b", email: "ADA@Example.COM" },
      "",
      `{"id":"long","name":"${"n".repeat(10_000_000)}"}`,
      '{"id":"c" "email":"c@example.com"}',
      Buffer.from('{"id":"d","name":"Jos\u00e9"}', "latin1"),
      { id: "e", email: '"ada lovelace"@example.com' },
      { id: "f", email: "f@example.com\nbcc: g@example.com" },
      { id: "f\u0000g" },
      { id: "a" },
      { id: "h", emial: "h@example.com" },
      { id: "i", email: ["i@example.com"] },
      '{"id":"j","__proto__":{"email":"j@example.com"}}',
      "[]",
      "null",
      { email: "no-id@example.com" },
      { id: "ada@example.com", email: "x" },
      { id: "k", accounts: [{ provider: "github" }] },
      { id: "last" },
    ])
    const { code, output } = await run(path, "--report", report)
    const refused = readReport(report)
    expect(code).toBe(1)
    expect(refused.map(({ line }) => line)).toEqual([3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
    for (const id of ["first", "a", "last"]) expect(await adapter.getUser?.(id)).not.toBeNull()
    expect(JSON.stringify(refused) + output).not.toMatch(/example\.com|lovelace/i)
    expect(refused.find(({ line }) => line === 18)).toMatchObject({
      id: expect.stringMatching(/^sha256:[0-9a-f]{16}$/),
    })
  })

  it("MIG-17: refuses a file in another encoding line by line", async () => {
    const { run } = createApp()
    const path = writeLines([Buffer.from('{"id":"a"}\n{"id":"b"}', "utf16le")])
    expect(await run(path)).toMatchObject({ code: 1, output: expect.stringContaining("0 users imported") })
  })

  it("refuses what another user here has, and tells it without the address", async () => {
    const { run, adapter } = createApp()
    const report = newPath()
    await adapter.createUser?.({ id: "own", email: "ada@example.com", emailVerified: null })
    const account = { provider: "github", providerAccountId: "7" }
    await adapter.linkAccount?.({ ...account, userId: "own", type: "oauth" })
    const lines = [{ id: "a", email: "Ada@example.com" }, { id: "b", accounts: [account] }, { id: "c" }]
    await run(writeLines(lines), "--report", report)
    expect(readReport(report).map(({ id, reason }) => [id, reason])).toEqual([
      ["a", "Another user here has the address"],
      ["b", "Another user here has the account at github"],
    ])
    expect(await adapter.getUser?.("c")).not.toBeNull()
  })

  it("tells what cannot come along, and imports the user without it", async () => {
    const { run, adapter } = createApp()
    const report = newPath()
    const totp = [{ secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", digits: 8 }]
    const passkeys = [{ credentialId: "*", publicKey: "AA", counter: 0 }]
    const { code, output } = await run(
      writeLines([{ id: "a", totp, passkeys, left: ["A code by text message"] }]),
      "--report",
      report,
    )
    expect([code, output]).toEqual([0, expect.stringContaining("came along without: The authenticator app")])
    expect(readReport(report)).toEqual([
      { kind: "left", id: "a", line: 1, reason: "A code by text message" },
      { kind: "left", id: "a", line: 1, reason: expect.stringMatching(/^A passkey\. The ID/) },
      { kind: "left", id: "a", line: 1, reason: expect.stringMatching(/^The authenticator app\. factor\.digits/) },
    ])
    expect(await adapter.listFactors?.("a")).toEqual([])
  })
})
