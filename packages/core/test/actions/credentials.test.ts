import { CredentialsSignin } from "@latchkey/core"
import type { CredentialsConfig, User } from "@latchkey/core/types"
import { memoryAdapter, type TestHost, type TestHostOptions } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { Model, ObjectId, Person } from "../setup/class-users.js"
import { openHost } from "../setup/hosts.js"
import { type Strategy, strategies } from "../setup/oauth-stage.js"
import { post, readAnswer } from "../setup/requests.js"
import { expectQuiet, passwordProvider, pathOfPage, sessionCookie } from "../setup/sign-ins.js"

const right = { u: "v", p: "right" }

const openCredentials = (provider: Partial<CredentialsConfig> = {}, options: TestHostOptions = {}): TestHost =>
  openHost({ providers: [passwordProvider(provider)], ...options })

/** A host that records what `authorize` receives. */
function openNoting() {
  const given: { fields: Record<string, unknown>; request: Request }[] = []
  const host = openCredentials({
    authorize(fields, request) {
      given.push({ fields, request })
      return { id: "u-v" }
    },
  })
  return { host, given }
}

describe("POST /callback/<credentials>", () => {
  it("starts a jwt session, and passes user and account to callbacks and events", async () => {
    const asked: unknown[] = []
    const host = openCredentials(
      {},
      {
        callbacks: {
          signIn(params) {
            asked.push(params)
            return true
          },
        },
      },
    )
    const page = await host.browser.signIn("cred", { ...right, callbackUrl: "/in" })
    expect(page.url.href).toBe("https://app.test/in")
    const user = { id: "u-v", name: "V", email: "v@corp.test" }
    const account = { providerAccountId: "u-v", type: "credentials", provider: "cred" }
    expect(asked).toEqual([{ user, account, credentials: right }])
    expect(host.events.of("signIn")).toMatchObject([{ user, account }])
  })

  it("remembers the callback URL when the signIn callback redirects somewhere else first", async () => {
    let isReady = false
    const { browser } = openCredentials({}, { callbacks: { signIn: () => isReady || "/terms" } })
    const signIn = (fields: Record<string, string>) => post(browser, "/auth/callback/cred", { ...right, ...fields })
    expect((await signIn({ callbackUrl: "/in" })).location).toBe("https://app.test/terms")
    isReady = true
    expect((await signIn({})).location).toBe("https://app.test/in")
  })

  it("works with the form of the built-in page", async () => {
    const { browser } = openCredentials()
    await browser.open("/auth/signin?callbackUrl=/in")
    const page = await browser.submit('form[action$="/callback/cred"]', right)
    expect(page.url.href).toBe("https://app.test/in")
    expect(await browser.session()).not.toBeNull()
  })

  it("CRED-10: calls authorize with the submitted fields and a POST request with the same headers and query", async () => {
    const { host, given } = openNoting()
    const headers = { "x-tenant": "corp" }
    await post(
      host.browser,
      "/auth/callback/cred?tenant=1",
      { ...right, callbackUrl: "/in", json: "true" },
      { headers },
    )
    const [{ fields, request } = { fields: {}, request: new Request("https://missing.test") }] = given
    expect({ ...fields }).toEqual(right)
    expect([request.method, new URL(request.url).search, request.headers.get("x-tenant")]).toEqual([
      "POST",
      "?tenant=1",
      "corp",
    ])
    expect(await request.json()).toEqual(right)
  })

  it.each(["  blanks  ", "emoji \u{1F511}", "e\u0301", "nul\0", "a".repeat(64), "a".repeat(128), "+&=%"])(
    "CRED-07: hands over the password %j as it is",
    async (p) => {
      const { host, given } = openNoting()
      await post(host.browser, "/auth/callback/cred", { u: "v", p })
      expect(given[0]?.fields["p"]).toBe(p)
    },
  )

  it("CRED-07: rejects a password larger than the body limit", async () => {
    const { host, given } = openNoting()
    const answer = await post(host.browser, "/auth/callback/cred", { u: "v", p: "a".repeat(70_000) })
    expect([answer.status, answer.text, given]).toEqual([413, '"Bad request."', []])
    await expectQuiet(host, host.browser)
  })

  it("CRED-04: ignores a password in the URL, and does not log it", async () => {
    const { host, given } = openNoting()
    host.canaries.watch("the password", "hunter2hunter2")
    const page = await host.browser.open("/auth/callback/cred?u=v&p=hunter2hunter2")
    expect([pathOfPage(page), given]).toEqual(["/auth/error?error=Configuration", []])
    expect(host.leaks()).toEqual([])
    await expectQuiet(host, host.browser)
  })

  it("CRED-09: prevents prototype pollution by field names", async () => {
    const { host, given } = openNoting()
    const csrfToken = await host.browser.csrfToken()
    const body = `{"csrfToken":"${csrfToken}","__proto__":{"polluted":true},"constructor":"polluted","u":"v"}`
    const headers = { "content-type": "application/json" }
    await readAnswer(await host.browser.fetch("/auth/callback/cred", { method: "POST", body, headers }))
    await post(host.browser, "/auth/callback/cred", {
      "__proto__[polluted]": "1",
      "constructor.prototype.polluted": "1",
    })
    expect(given).toHaveLength(2)
    expect(given.map(({ fields }) => Reflect.get(fields, "polluted"))).toEqual([undefined, undefined])
    expect(Object.hasOwn(given[0]?.fields ?? {}, "__proto__")).toBe(false)
  })

  it.each([
    ["an operator of a database", { u: { $ne: null } }],
    ["a list", { u: ["v"] }],
    ["an empty object", { p: {} }],
    ["an object with its own conversion", { p: { toString: "right" } }],
  ])("CRED-09, RATE-05: rejects %s in a JSON field before authorize and the rate limit see it", async (_, fields) => {
    const { host, given } = openNoting()
    const json = { ...right, csrfToken: await host.browser.csrfToken(), ...fields }
    const answer = await readAnswer(await host.browser.fetch("/auth/callback/cred", { json }))
    expect([answer.status, answer.text, given]).toEqual([400, '"Bad request."', []])
    expect(host.logger.errors).toMatchObject([
      { type: "InvalidRequest", message: expect.stringMatching(/must be text/) },
    ])
    await expectQuiet(host, host.browser)
  })

  it("RATE-05: passes numbers and booleans of a JSON body as the text that a form would send", async () => {
    const { host, given } = openNoting()
    const json = { csrfToken: await host.browser.csrfToken(), u: 0, p: false, otp: 12, remember: true, empty: null }
    await host.browser.fetch("/auth/callback/cred", { json })
    expect(given.map(({ fields }) => fields)).toEqual([{ u: "0", p: "false", otp: "12", remember: "true" }])
    expect(await given[0]?.request.json()).toEqual({ u: "0", p: "false", otp: "12", remember: "true" })
  })

  it("passes the last of several fields with the same name, such as a checkbox after its hidden field", async () => {
    const { host, given } = openNoting()
    const body = new URLSearchParams([
      ["csrfToken", await host.browser.csrfToken()],
      ["remember", "0"],
      ["remember", "1"],
    ])
    await host.browser.fetch("/auth/callback/cred", { method: "POST", body })
    expect(given.map(({ fields }) => fields)).toEqual([{ remember: "1" }])
  })

  it("CRED-06: converts a numeric id to text, and creates an id if there is none (documented)", async () => {
    for (const [user, id] of [
      [{ id: 7 }, "7"],
      [{ name: "V" }, expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ] as const) {
      const host = openCredentials({ authorize: () => user as never }) // as: possible in plain JavaScript
      await host.browser.signIn("cred", right)
      expect(host.events.of("signIn")).toMatchObject([{ user: { id }, account: { providerAccountId: id } }])
    }
  })
})

/** With stored sessions, the store has user V. */
async function openStrategy(
  strategy: Strategy,
  provider: Partial<CredentialsConfig> = {},
  options: TestHostOptions = {},
) {
  const adapter = memoryAdapter()
  if (strategy === "database") await adapter.createUser({ id: "u-v", email: "v@corp.test", emailVerified: null })
  const host = openCredentials(provider, { adapter, session: { strategy }, ...options })
  const before = adapter.calls.length
  return { host, expectUnwritten: () => expect(adapter.calls.slice(before).map(({ method }) => method)).toEqual([]) }
}

describe.each(strategies)("POST /callback/<credentials>: rejections, with %s sessions", (strategy) => {
  it("CRED-01, ENUM-02: gives the same reply for a wrong password and an unknown user", async () => {
    const { host, expectUnwritten } = await openStrategy(strategy)
    const wrong = await post(host.browser, "/auth/callback/cred", { u: "v", p: "wrong" })
    const unknown = await post(host.browser, "/auth/callback/cred", { u: "w", p: "right" })
    expect(wrong.location).toBe("https://app.test/auth/signin?error=CredentialsSignin&code=credentials")
    const shown = ({ status, location, text, headers, cookies }: typeof wrong) => [
      [status, location, text, [...cookies.keys()]],
      [...headers].filter(([name]) => name !== "set-cookie"),
    ]
    expect(shown(unknown)).toEqual(shown(wrong))
    expect(host.logger.errorTypes()).toEqual(["CredentialsSignin", "CredentialsSignin"])
    await expectQuiet(host, host.browser)
    expectUnwritten()
    expect((await host.browser.signIn("cred", { ...right, callbackUrl: "/in" })).url.pathname).toBe("/in")
  })

  it("CRED-01: shows the code of a CredentialsSignin that authorize throws", async () => {
    class Locked extends CredentialsSignin {
      override code = "locked"
    }
    const { host, expectUnwritten } = await openStrategy(strategy, {
      authorize: () => {
        throw new Locked()
      },
    })
    expect(pathOfPage(await host.browser.signIn("cred", right))).toBe(
      "/auth/signin?error=CredentialsSignin&code=locked",
    )
    await expectQuiet(host, host.browser)
    expectUnwritten()
  })

  it("CRED-02: ends in a Configuration error for any other error of authorize, without its text", async () => {
    const err = new Error("SELECT * FROM users WHERE name = 'v'")
    const { host, expectUnwritten } = await openStrategy(strategy, { authorize: () => Promise.reject(err) })
    const page = await host.browser.signIn("cred", right)
    expect([pathOfPage(page), page.text().includes("SELECT")]).toEqual(["/auth/error?error=Configuration", false])
    expect(host.logger.errors).toMatchObject([{ type: "CallbackRouteError", cause: { err, provider: "cred" } }])
    await expectQuiet(host, host.browser)
    expectUnwritten()
  })

  it("CRED-05: keeps passwords out of the log, also with debug on", async () => {
    const { host } = await openStrategy(strategy, {}, { debug: true })
    host.canaries.watch("the password", "hunter2hunter2")
    await host.browser.signIn("cred", { u: "v", p: "hunter2hunter2" })
    await host.browser.signIn("cred", { u: "hunter2hunter2", p: "right" })
    expect(host.leaks()).toEqual([])
  })

  it.each([[{ id: "" }], [{ id: {} }], [[]], [true], ["v"]])("CRED-06: rejects %j as a user", async (user) => {
    const { host, expectUnwritten } = await openStrategy(strategy, { authorize: () => user as never }) // as: possible in plain JavaScript
    expect(pathOfPage(await host.browser.signIn("cred", right))).toBe("/auth/error?error=Configuration")
    expect(host.logger.errors).toHaveLength(1)
    await expectQuiet(host, host.browser)
    expectUnwritten()
  })
})

const hex = "64f1c0ffee64f1c0ffee64f1"
const fields = { name: "V", email: "v@corp.test", role: "admin" }

describe.each(strategies)("a user that authorize returns, with %s sessions", (strategy) => {
  it.each<[string, () => object, string]>([
    ["a model with a text as id", () => new Model({ ...fields, id: "u-v" }), "u-v"],
    ["a model with a numeric id", () => new Model({ ...fields, id: 7 }), "7"],
    ["a model with an ObjectId", () => new Model({ ...fields, id: new ObjectId(hex) }), hex],
    ["an instance with private fields", () => new Person("u-v"), "u-v"],
    [
      "an instance with private fields and a bigint as id",
      () => new Person(12345678901234567890n),
      "12345678901234567890",
    ],
    ["a plain object with an ObjectId", () => ({ ...fields, id: new ObjectId(hex) }), hex],
    ["a plain object with a bigint as id", () => ({ ...fields, id: 7n }), "7"],
  ])("keeps its name, email and role, and has its id as text: %s", async (_, make, id) => {
    const seen: unknown[] = []
    const adapter = memoryAdapter()
    if (strategy === "database") await adapter.createUser({ id, email: fields.email, name: "V", emailVerified: null })
    const host = openCredentials(
      { authorize: () => make() as never }, // as: possible in plain JavaScript
      {
        adapter,
        session: { strategy },
        callbacks: {
          signIn({ user }) {
            seen.push(Reflect.get(user, "role"), user.id)
            return true
          },
          jwt({ token, user, trigger }) {
            if (user && trigger === "signIn") seen.push(Reflect.get(user, "role"), user.id)
            return token
          },
        },
      },
    )
    await host.browser.signIn("cred", right)
    expect(await host.browser.session()).toMatchObject({ user: { name: "V", email: "v@corp.test" } })
    expect(new Set(seen)).toEqual(new Set(["admin", id]))
    expect(host.events.of("signIn")).toMatchObject([{ user: { id, name: "V" }, account: { providerAccountId: id } }])
    expect(host.logger.errorTypes()).toEqual([])
  })

  it("CRED-06: is rejected with bytes as id, whose text is not unique", async () => {
    const { host, expectUnwritten } = await openStrategy(strategy, {
      authorize: () => ({ id: new Uint8Array([255, 254]) }) as never, // as: possible in plain JavaScript
    })
    expect(pathOfPage(await host.browser.signIn("cred", right))).toBe("/auth/error?error=Configuration")
    expect(host.logger.errors[0]?.message).toMatch(/whose id is text, a number, a bigint/)
    await expectQuiet(host, host.browser)
    expectUnwritten()
  })
})

describe.each([
  ["a model", () => new Model({ ...fields, id: 7 })],
  ["an instance with private fields", () => new Person(7)],
])("an instance of a class with a numeric id: %s", (_, make) => {
  async function signInWith(use: (user: User) => void) {
    const host = openCredentials(
      { authorize: () => make() as never }, // as: possible in plain JavaScript
      {
        callbacks: {
          signIn({ user }) {
            use(user)
            return true
          },
        },
      },
    )
    await host.browser.signIn("cred", right)
    expect(host.logger.errors).toEqual([])
    return host.events.of("signIn")[0]?.user ?? {}
  }

  it("has its methods and its class in the callbacks", async () => {
    const seen: unknown[] = []
    await signInWith((user) => {
      const instance = user as unknown as Model // as: the callback gets what authorize returned
      seen.push(instance.hasRole("admin"), instance.hasRole("guest"), instance instanceof make().constructor)
    })
    expect(seen).toEqual([true, false, true])
  })

  it("passes what one callback writes on to the next", async () => {
    const user = await signInWith((given) => Object.assign(given, { role: "guest", tenant: "corp", id: "own" }))
    expect(user).toMatchObject({ role: "guest", tenant: "corp", id: "own" })
    expect({ ...user }).toMatchObject({ id: "own" })
  })

  it("can be spread, like the copy of a plain object", async () => {
    const user = await signInWith(() => {})
    expect({ ...user }).toMatchObject({ ...make(), id: "7" })
  })
})

describe("credentials with an adapter", () => {
  it("credentials with JWT sessions never write to the adapter", async () => {
    const adapter = memoryAdapter()
    const host = openCredentials({}, { adapter, session: { strategy: "jwt" } })
    await host.browser.signIn("cred", right)
    expect([await host.browser.session(), adapter.calls]).toEqual([expect.anything(), []])
  })

  it("CRED-08: credentials with database sessions start one for a known user", async () => {
    const adapter = memoryAdapter()
    await adapter.createUser({ id: "u-v", email: "v@corp.test", emailVerified: null, name: "Stored V" })
    const host = openCredentials({}, { adapter, session: { strategy: "database" } })
    await host.browser.signIn("cred", right)
    expect(host.browser.cookies.get(sessionCookie)).toMatch(/^[0-9a-f]{64}$/)
    expect((await host.browser.session())?.user?.name).toBe("Stored V")
    expect(adapter.calls.map(({ method }) => method)).toContain("createSession")
  })

  it.each([{ id: "u-v" }, {}])(
    "CRED-06, CRED-08: and stored sessions refuse %j whom it does not know",
    async (user) => {
      const adapter = memoryAdapter()
      const authorize = () => user
      const host = openCredentials({ authorize }, { adapter, session: { strategy: "database" } })
      expect(pathOfPage(await host.browser.signIn("cred", right))).toBe("/auth/error?error=Configuration")
      expect(host.logger.errors).toHaveLength(1)
      expect(host.logger.errors[0]?.message).toMatch(/user/)
      await expectQuiet(host, host.browser, adapter)
    },
  )
})
