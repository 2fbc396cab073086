import { createHash } from "node:crypto"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setEnvDefaults } from "@latchkey/core"
import { argon2id, buildBreachFilter, fileList } from "@latchkey/core/passwords"
import Loops from "@latchkey/core/providers/loops"
import Passwords, { type PasswordsOptions } from "@latchkey/core/providers/passwords"
import Resend from "@latchkey/core/providers/resend"
import type { AuthConfig } from "@latchkey/core/types"
import { memoryAdapter, testHost } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { getService } from "../../src/auth.js"
import { onlineList } from "../../src/methods/password/breached.js"
import { address, cheap, openPasswords, password } from "../setup/password-setup.js"
import { post } from "../setup/requests.js"

const send = () => {}

const findMistake = (options: Partial<PasswordsOptions>, changes: Partial<AuthConfig> = {}) => {
  const config = {
    providers: [Passwords({ mail: { send }, ...options })],
    secret: "a secret of at least thirty-two characters",
    trustHost: true,
    adapter: memoryAdapter(),
    ...changes,
  }
  return getService(config).mistake?.message ?? null
}

describe("Passwords", () => {
  afterEach(() => void vi.unstubAllGlobals())

  it.each([
    ["an object that sends", { send }],
    ["a provider with a key", Resend({ apiKey: "re_123456" })],
  ])("accepts %s as its mailer", (_, mail) => expect(findMistake({ mail })).toBeNull())

  it.each([
    [
      "a mailer that is none",
      { mail: "smtp" as never },
      /^providers\.password\.mail: must be an email provider, such as/,
    ],
    ["no mailer", { mail: undefined as never }, /^providers\.password\.mail: must be an email provider/],
    [
      "a provider of templates",
      { mail: Loops({ transactionalId: "t", apiKey: "k" }) },
      /mail: sends sign-in emails only/,
    ],
    [
      "a provider that the host's own function sends for",
      { mail: Resend({ sendVerificationRequest: send }) },
      /^providers\.password\.mail: sends sign-in emails only: it has a template, or its own/,
    ],
    [
      "a provider without a key",
      { mail: Resend },
      /^providers\.password\.mail\.apiKey: is missing\. You can also set AUTH_RESEND_KEY/,
    ],
    ["a length of 0", { minLength: 0 }, /^providers\.password\.minLength: must be an integer from 1 to 64/],
    ["a short pepper", { pepper: ["short"] }, /^providers\.password\.pepper: must be a list of secrets of at least 32/],
    ["a hasher that is none", { hash: {} as never }, /^providers\.password\.hash: must be a hasher/],
    [
      "formats that are none",
      { accept: ["bcrypt"] as never },
      /^providers\.password\.accept: must be a list of formats/,
    ],
    [
      "an unknown option",
      { minlength: 8 } as never,
      /^providers\.password\.minlength: unknown option\. Use mail, minLength/,
    ],
    ["an unknown list", { breached: "offline" as never }, /^providers\.password\.breached: must be "online", fileList/],
  ])("refuses %s at the start", (_, options, sentence) => expect(findMistake(options)).toMatch(sentence))

  it("is refused at the start without what it needs, and says what to write", () => {
    const { getPassword, setPassword, seeSession, ...published } = memoryAdapter()
    expect(findMistake({}, { adapter: published })).toMatch(
      /^providers\.password: the adapter lacks getPassword, setPassword, seeSession\. Use @latchkey\/kysely-adapter or/,
    )
  })

  it("is refused where the platform has no Argon2, with the reason", () => {
    vi.stubGlobal("process", { env: {}, getBuiltinModule: () => undefined })
    expect(findMistake({})).toMatch(
      /^providers\.password\.hash: argon2id: this platform has no Argon2\. Use Node 24\.7/,
    )
    expect(findMistake({ hash: { ...argon2id(), findDefect: () => null } })).toBeNull()
  })

  it("takes the key of its mailer from the environment", () => {
    const config: AuthConfig = { providers: [Passwords({ mail: Resend })] }
    setEnvDefaults({ AUTH_RESEND_KEY: "re_123456" }, config)
    expect(findMistake({}, { providers: config.providers })).toBeNull()
  })

  it("sends whole emails by a provider", async () => {
    const fetch = vi.fn(async (_: unknown, __: RequestInit) => new Response("{}"))
    vi.stubGlobal("fetch", fetch)
    const { host } = openPasswords({
      passwords: { mail: Resend({ apiKey: "re_123456", from: "App <no-reply@app.test>" }) },
    })
    await post(host.browser, "/auth/password/sign-up", { email: address, password })
    const sent = JSON.parse(String(fetch.mock.lastCall?.[1].body))
    expect(sent).toMatchObject({
      to: address,
      from: "App <no-reply@app.test>",
      subject: "Confirm your address for app.test",
    })
    expect(sent.text).toMatch(/\n\d{6}\n/)
    expect(sent.html).toContain("password/sign-up?token=")
  })

  it("does not exist for an app without it", async () => {
    const { browser } = testHost()
    for (const path of ["sign-up", "forgot", "reset", "change"])
      expect((await browser.fetch(`/auth/password/${path}`)).status).toBe(400)
  })

  it("hashes with Argon2id, 19 MiB and two passes, unless told otherwise", async () => {
    const { adapter, signUp } = openPasswords({ passwords: { hash: argon2id() } })
    await signUp()
    const { id = "" } = (await adapter.getUserByEmail(address)) ?? {}
    expect((await adapter.getPassword(id))?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(cheap.name).toBe("argon2id")
  })
})

const sha1Of = (text: string) => createHash("sha1").update(text).digest("hex").toUpperCase()

describe("a list of passwords that were made public", () => {
  afterEach(() => void vi.unstubAllGlobals())

  it("is asked online for five digits of the hash, with padding, whose lines count for nothing", async () => {
    const [known, padded] = [sha1Of("known"), sha1Of("padded")]
    const fetch = vi.fn(async (url: string, _: RequestInit) => {
      const suffix = url.endsWith(known.slice(0, 5)) ? `${known.slice(5)}:7` : `${padded.slice(5)}:0`
      return new Response(`0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n${suffix}\r\n`)
    })
    vi.stubGlobal("fetch", fetch)
    expect([await onlineList.has(known), await onlineList.has(padded)]).toEqual([true, false])
    expect(fetch.mock.calls[0]?.[0]).toBe(`https://api.pwnedpasswords.com/range/${known.slice(0, 5)}`)
    expect(fetch.mock.calls[0]?.[1].headers).toMatchObject({ "add-padding": "true" })
    expect(JSON.stringify(fetch.mock.calls)).not.toContain(known.slice(5))
  })

  it("is found in a sorted file with any line ends and counts", async () => {
    const hashes = Array.from({ length: 5000 }, (_, n) => sha1Of(`password ${n}`)).sort()
    for (const [end, last] of [
      ["\r\n", ""],
      ["\n", "\n"],
    ]) {
      const path = join(tmpdir(), `breached-${crypto.randomUUID()}.txt`)
      writeFileSync(path, hashes.map((hash, n) => `${hash}:${n * n}`).join(end) + last)
      const list = fileList(path)
      for (const hash of [hashes[0], hashes[1], hashes[2500], hashes[4998], hashes[4999]])
        expect(await list.has(hash ?? "")).toBe(true)
      for (const hash of [sha1Of("another"), "0".repeat(40), "F".repeat(40)]) expect(await list.has(hash)).toBe(false)
      rmSync(path)
    }
  })

  it("is found in a filter, with those that were seen often enough, and hardly any other", async () => {
    const lines = Array.from({ length: 5000 }, (_, n) => `${sha1Of(`password ${n}`)}:${n % 2 === 0 ? 100 : 99}`)
    const [from, to] = [0, 1].map((n) => join(tmpdir(), `breached-${crypto.randomUUID()}-${n}`)) as [string, string] // as: two
    writeFileSync(from, `${lines.join("\r\n")}\r\n`)
    expect(await buildBreachFilter({ from, to, seen: 100 })).toEqual({ passwords: 2500, bytes: 32 + 4500 })
    const list = fileList(to)
    const has = (n: number, word = "password") => list.has(sha1Of(`${word} ${n}`))
    const count = async (all: readonly (boolean | PromiseLike<boolean>)[]) =>
      (await Promise.all(all)).filter(Boolean).length
    expect(await count(Array.from({ length: 500 }, (_, n) => has(2 * n)))).toBe(500)
    const others = Array.from({ length: 1000 }, (_, n) => (n % 2 === 0 ? has(n + 1) : has(n, "another")))
    expect(await count(others)).toBeLessThan(10)
    // A copy that was cut off.
    writeFileSync(to, readFileSync(to).subarray(0, 4000))
    await expect(list.has(sha1Of("password 0"))).rejects.toThrow("is incomplete. Build it again")
    for (const path of [from, to]) rmSync(path)
  })

  it("makes no filter of a file without hashes, and leaves the former one", async () => {
    const path = join(tmpdir(), `breached-${crypto.randomUUID()}.txt`)
    writeFileSync(path, "password\n123456\n")
    await expect(buildBreachFilter({ from: path, to: path })).rejects.toThrow("has no line of the form SHA-1:count")
    expect(readFileSync(path, "utf8")).toBe("password\n123456\n")
    rmSync(path)
  })

  it("is not there if its file is missing, which accepts the password and warns", async () => {
    const { host } = openPasswords({ passwords: { breached: fileList("/nowhere/list.txt") } })
    const answer = await post(host.browser, "/auth/password/sign-up", { email: address, password })
    expect(answer.status).toBe(302)
    expect(host.logger.warnings).toContain("breached-list-unavailable")
  })
})
