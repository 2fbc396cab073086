import { TooManyRequests } from "@latchkey/core/errors"
import { bcrypt, importPassword, phpass } from "@latchkey/core/passwords"
import { memoryAdapter } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import {
  address,
  cheap,
  isSignedIn,
  newPassword,
  openPasswords,
  password,
  signIn,
  strategies,
} from "../setup/password-setup.js"
import { post } from "../setup/requests.js"

const wrong = "https://app.test/auth/signin?error=CredentialsSignin&code=credentials"

afterEach(() => void vi.unstubAllEnvs())

describe.each(strategies)("with %s sessions, a sign-in by password", (strategy) => {
  it("starts a session of the stored user, as published clients ask for it", async () => {
    const { host, signUp } = openPasswords({ strategy })
    await signUp()
    const browser = host.newBrowser()
    await browser.signIn("password", { email: " Ada@Example.COM ", password })
    expect((await browser.session())?.user?.email).toBe(address)
    expect(host.leaks()).toEqual([])
  })

  it("gives the callbacks of the app no password", async () => {
    const asked = vi.fn((_: unknown) => true)
    const { host, signUp } = openPasswords({ strategy, callbacks: { signIn: asked } })
    await signUp()
    await signIn(host.newBrowser())
    expect(asked.mock.lastCall?.[0]).toMatchObject({
      credentials: { email: address },
      account: { provider: "password" },
    })
    expect(JSON.stringify(asked.mock.calls)).not.toContain(password)
  })

  it("PASS-02: refuses an unknown address as it refuses a wrong password: status, body and headers", async () => {
    const { host, signUp } = openPasswords({ strategy })
    await signUp()
    const answers = []
    for (const [email, typed] of [
      [address, newPassword],
      ["eve@example.com", newPassword],
      ["no address", newPassword],
      [address, ""],
      [address, "x".repeat(1025)],
    ] as const) {
      const answer = await signIn(host.newBrowser(), typed, email)
      const names = [...answer.cookies.keys()]
      answers.push({
        status: answer.status,
        location: answer.location,
        text: answer.text,
        names,
        headers: shape(answer.headers),
      })
    }
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ status: 302, location: wrong })
  })

  it("keeps a user out whose password is another's", async () => {
    const { host, signUp } = openPasswords({ strategy })
    await signUp()
    await signUp("ben@example.com", newPassword)
    const browser = host.newBrowser()
    expect((await signIn(browser, newPassword)).location).toBe(wrong)
    expect(await isSignedIn(browser)).toBe(false)
  })
})

/** Headers with values that differ by visitor left out; their lengths stay. */
function shape(headers: Headers): readonly string[] {
  return [...headers].map(([name, value]) =>
    name === "set-cookie" ? `${name}: ${value.split("=")[0]}` : `${name}: ${value}`,
  )
}

describe("a sign-in by password", () => {
  it.each([
    ["an object", { email: { $ne: null }, password }],
    ["a list", { email: [address], password }],
    ["a number", { email: address, password: 7 }],
  ])("refuses %s in place of text", async (_, fields) => {
    const { host, signUp } = openPasswords()
    await signUp()
    const browser = host.newBrowser()
    const csrfToken = await browser.csrfToken()
    const headers = { "content-type": "application/json" }
    const body = JSON.stringify({ ...fields, csrfToken })
    expect((await browser.fetch("/auth/callback/password", { method: "POST", headers, body })).status).toBe(400)
  })

  it("replaces the hash of a former system after a right password", async () => {
    const { host, adapter } = openPasswords({ passwords: { accept: [bcrypt(), phpass()] } })
    const { id } = await adapter.createUser({ id: "u", email: address, emailVerified: new Date() })
    const { hash } = await import("bcryptjs")
    const former = await hash(password, 4)
    expect(await importPassword(host.config, id, former)).toBe(true)
    expect(await importPassword(host.config, id, former)).toBe(false)
    await expect(importPassword(host.config, id, "plain text")).rejects.toThrow(/^hash: has none of the formats/)
    const before = await adapter.getPassword(id)
    await signIn(host.newBrowser(), newPassword)
    expect(await adapter.getPassword(id)).toEqual(before)
    const browser = host.newBrowser()
    await signIn(browser)
    expect(await isSignedIn(browser)).toBe(true)
    const after = await adapter.getPassword(id)
    expect(after?.hash).toMatch(/^\$argon2id\$/)
    expect(after?.changedAt).toEqual(before?.changedAt)
    await signIn(host.newBrowser())
    expect(await adapter.getPassword(id)).toEqual(after)
  })

  it("keeps the time of a password whose hash it replaces, if the adapter has text without a time zone", async () => {
    vi.stubEnv("TZ", "America/New_York")
    const adapter = memoryAdapter()
    const { id: userId } = await adapter.createUser({ id: "u", email: address, emailVerified: new Date() })
    const { hash } = await import("bcryptjs")
    const changedAt = new Date("2026-11-30T03:00:00Z")
    await adapter.setPassword({ userId, hash: await hash(password, 4), changedAt, from: null })
    const getPassword = async (id: string) => {
      const stored = await adapter.getPassword(id)
      const text: unknown = stored?.changedAt.toISOString().replace("T", " ").replace("Z", "")
      return stored && { ...stored, changedAt: text as Date } // as: what some drivers return
    }
    const { host } = openPasswords({ adapter, override: { getPassword }, passwords: { accept: [bcrypt()] } })
    const browser = host.newBrowser()
    await signIn(browser)
    expect(await isSignedIn(browser)).toBe(true)
    expect(await adapter.getPassword(userId)).toMatchObject({ changedAt, hash: expect.stringMatching(/^\$argon2id\$/) })
  })

  it.each([
    ["costs that would stop the service", "$argon2id$v=19$m=4194304,t=1000,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMa"],
    ["rounds that would stop the service", `$2b$31$${"a".repeat(53)}`],
    ["10 MB", `$argon2id$${"a".repeat(10_000_000)}`],
    ["10 MB of salt", `$2b$04$${"a".repeat(10_000_000)}`],
    ["no text", ""],
    ["a NUL", `$2b$04$${"a".repeat(52)}\0`],
    ["no string", null as unknown as string], // as: apps in JavaScript
  ])("MIG-05: imports no hash with %s", async (_, hash) => {
    const { host, adapter } = openPasswords({ passwords: { accept: [bcrypt(), phpass()] } })
    const { id } = await adapter.createUser({ id: "u", email: address, emailVerified: new Date() })
    await expect(importPassword(host.config, id, hash)).rejects.toMatchObject({
      type: "InvalidRequest",
      message: expect.stringMatching(/^hash: .{10,120}$/),
    })
    expect(await adapter.getPassword(id)).toBeNull()
  })

  it.each(strategies)("PASS-03: leaves no %s session of a password that is changed meanwhile", async (strategy) => {
    const adapter = memoryAdapter()
    const { id: userId } = await adapter.createUser({ id: "u", email: address, emailVerified: new Date() })
    const store = async (typed: string, from: string | null) => {
      const hash = await cheap.hash(new TextEncoder().encode(typed))
      await adapter.setPassword({ userId, hash, changedAt: new Date(from === null ? 0 : 1), from })
      return hash
    }
    const former = await store(password, null)
    const { host } = openPasswords({
      strategy,
      adapter,
      override: {
        // A change that ends all sessions just before this one begins.
        async createSessionDetail(detail, options) {
          await store(newPassword, former)
          await adapter.endSessions({ userId })
          return adapter.createSessionDetail(detail, options)
        },
      },
    })
    expect((await signIn(host.browser)).location).toBe(wrong)
    expect(await isSignedIn(host.browser)).toBe(false)
    expect(await adapter.listSessionsByUserId(userId)).toEqual([])
  })

  it("PASS-03: does not undo a reset that takes place while the hash is replaced", async () => {
    const { host, adapter } = openPasswords({ passwords: { accept: [bcrypt()] } })
    const { id: userId } = await adapter.createUser({ id: "u", email: address, emailVerified: new Date() })
    const former = await (await import("bcryptjs")).hash(password, 4)
    await importPassword(host.config, userId, former)
    const reset = { userId, hash: await cheap.hash(new TextEncoder().encode(newPassword)), changedAt: new Date() }
    const getPassword = vi.spyOn(adapter, "getPassword")
    getPassword.mockImplementationOnce(async () => ({ userId, hash: former, changedAt: new Date(0) }))
    await adapter.setPassword({ ...reset, from: former })
    const racing = openPasswords({ adapter, passwords: { accept: [bcrypt()] } })
    const browser = racing.host.newBrowser()
    expect((await signIn(browser)).location).toBe(wrong)
    expect((await adapter.getPassword(userId))?.hash).toBe(reset.hash)
  })

  it("PASS-06: refuses a hostile record like a wrong password, and logs it", async () => {
    const { host, adapter } = openPasswords()
    const { id } = await adapter.createUser({ id: "u", email: address, emailVerified: new Date() })
    const hostile = "$argon2id$v=19$m=4194304,t=1000,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMa"
    await adapter.setPassword({ userId: id, hash: hostile, changedAt: new Date(), from: null })
    expect((await signIn(host.newBrowser())).location).toBe(wrong)
    expect(host.logger.texts().join("\n")).toContain("The cost m of a stored password hash")
    expect(host.logger.texts().join("\n")).not.toContain("CTFhFdXPJO1aFaMa")
  })

  it("PASS-05: answers 429 to most of 300 parallel sign-ins, and session checks meanwhile", async () => {
    const { host, signUp } = openPasswords()
    const browser = await signUp()
    const visitors = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const visitor = host.newBrowser()
        await visitor.csrfToken()
        return visitor
      }),
    )
    const attempts = visitors.map((visitor) => signIn(visitor, newPassword))
    expect((await browser.session())?.user?.email).toBe(address)
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([302, 429]))
    expect(statuses.filter((status) => status === 302).length).toBeLessThan(150)
    await signIn(host.newBrowser())
  })

  it("PASS-05: answers 413 to 10 MB", async () => {
    const { host } = openPasswords()
    const browser = host.newBrowser()
    expect((await signIn(browser, "x".repeat(10_000_000))).status).toBe(413)
  })

  it("PASS-10: emails the user after ten wrong passwords and a right one", async () => {
    const { host, mails, signUp } = openPasswords({
      rateLimit: {},
      clientAddress: (request: Request) => request.headers.get("x-from") ?? "192.0.2.1",
    })
    await signUp()
    const from = (n: number) => ({ headers: { "x-from": `198.51.${n}.7` } })
    const attempt = async (typed: string, n: number) =>
      post(host.newBrowser(), "/auth/callback/password", { email: address, password: typed }, from(n))
    await attempt(password, 99)
    const before = mails.length
    for (let n = 0; n < 10; n++) expect((await attempt(newPassword, n)).location).toBe(wrong)
    expect((await attempt(password, 50)).location).toBe("https://app.test")
    expect(mails.slice(before).map(({ to, subject }) => [to, subject])).toEqual([
      [address, "A sign-in at app.test after many wrong passwords"],
    ])
  })

  it("PASS-10: is refused after ten wrong passwords from one network", async () => {
    const { host, signUp } = openPasswords({ rateLimit: {}, clientAddress: () => "192.0.2.1" })
    await signUp()
    const statuses = []
    for (let n = 0; n < 11; n++) statuses.push((await signIn(host.newBrowser(), newPassword)).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 302), 429])
    expect((await signIn(host.newBrowser())).status).toBe(429)
  })

  it("keeps what was typed out of the error of the app's own search", async () => {
    const find = (typed: string) => Promise.reject(new Error(`no row for ${typed}`))
    const { host } = openPasswords({ passwords: { find } })
    const typed = "a name that is a password"
    await signIn(host.newBrowser(), password, typed)
    const texts = host.logger.texts().join("\n")
    expect([texts.includes("find failed"), texts.includes(typed)]).toEqual([true, false])
  })

  it("signs in although the machine is too busy to replace an old hash", async () => {
    const busy = { ...cheap, isCurrent: () => false }
    const { host, adapter, signUp } = openPasswords({ passwords: { hash: busy } })
    await signUp()
    await signIn(host.newBrowser())
    const { id = "" } = (await adapter.getUserByEmail(address)) ?? {}
    const before = await adapter.getPassword(id)
    const hash = vi.spyOn(busy, "hash").mockRejectedValue(new TooManyRequests("busy"))
    const browser = host.newBrowser()
    await signIn(browser)
    expect(await isSignedIn(browser)).toBe(true)
    expect(hash).toHaveBeenCalled()
    expect(await adapter.getPassword(id)).toEqual(before)
  })

  it("finds users by another name", async () => {
    const { host, adapter, signUp } = openPasswords({
      passwords: {
        find: async (typed) => (typed === "ada" ? ((await adapter.getUserByEmail(address))?.id ?? null) : null),
      },
    })
    await signUp()
    const browser = host.newBrowser()
    expect((await signIn(browser)).location).toBe(wrong)
    await signIn(browser, password, "ada")
    expect(await isSignedIn(browser)).toBe(true)
  })

  it.each([undefined, "", Number.NaN, {}, false])(
    "PASS-10: signs nobody in by address if find returns %o in place of null",
    async (nothing) => {
      const { host, signUp } = openPasswords({ passwords: { find: async () => nothing as never } }) // as: JavaScript can
      await signUp()
      const browser = host.newBrowser()
      expect((await signIn(browser)).location).toBe(wrong)
      expect(await isSignedIn(browser)).toBe(false)
    },
  )

  it("PASS-10: mails nobody about a user without an address, such as an imported one", async () => {
    const users = memoryAdapter()
    const { host, mails, signUp } = openPasswords({
      adapter: users,
      rateLimit: {},
      clientAddress: (request: Request) => request.headers.get("x-from") ?? "192.0.2.1",
      passwords: { find: async () => user?.id ?? null },
    })
    await signUp()
    const user = await users.getUserByEmail(address)
    // as: the contract has an address for each user, and databases have null.
    if (user) await users.updateUser({ id: user.id, email: null as unknown as string })
    const before = mails.length
    const attempt = (typed: string, n: number) =>
      post(
        host.newBrowser(),
        "/auth/callback/password",
        { email: "ada", password: typed },
        { headers: { "x-from": `198.51.${n}.7` } },
      )
    for (let n = 0; n < 10; n++) expect((await attempt(newPassword, n)).location).toBe(wrong)
    expect((await attempt(password, 50)).location).toBe("https://app.test")
    expect(mails.slice(before)).toEqual([])
  })
})
