import { skipCSRFCheck } from "@latchkey/core"
import { memoryAdapter, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { ask } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

const untrusted = { trustHost: false }

/** Options that a JavaScript host may pass. */
const odd = (options: Record<string, unknown>): TestHostOptions => options

describe("an invalid configuration", () => {
  it.each(["signin", "signout", "error", "verify-request"])(
    "HOST-01: answers GET /%s with the built-in error page and status 500",
    async (page) => {
      const host = openHost(untrusted)
      const answer = await ask(host, `/auth/${page}`)
      expect([answer.status, answer.headers.get("content-type")]).toEqual([500, "text/html; charset=utf-8"])
      expect(host.logger.errorTypes()).toEqual(["UntrustedHost"])
      expect(answer.text).not.toContain("trustHost")
    },
  )

  it.each([
    ["GET", "session"],
    ["GET", "csrf"],
    ["GET", "providers"],
    ["GET", "callback/oidc?code=c&state=s"],
    ["POST", "signin/oidc"],
    ["POST", "session"],
    ["POST", "signout"],
  ] as const)("HOST-01, CONF-01: answers %s /%s with status 500 and a general message", async (method, path) => {
    const host = openHost(untrusted)
    const answer = await ask(host, `/auth/${path}`, { method })
    expect([answer.status, answer.headers.get("content-type")]).toEqual([500, "application/json"])
    expect(answer.json()).toEqual({ message: expect.stringMatching(/server configuration.*server log/) })
    expect(answer.cookies.size).toBe(0)
    expect(host.logger.errorTypes()).toEqual(["UntrustedHost"])
  })

  it.each([
    ["/oops", "https://app.test/oops?error=Configuration"],
    ["/oops?x=1", "https://app.test/oops?x=1&error=Configuration"],
  ])("redirects to the app's own error page %s", async (error, location) => {
    const answer = await ask(openHost({ ...untrusted, pages: { error } }), "/auth/signin")
    expect([answer.status, answer.location]).toEqual([302, location])
  })

  it.each(["/oops", "https://app.test/oops", "/oops?error=Configuration"])(
    "PAGE-12: shows the built-in error page if the app's own page redirected to the service: callbackUrl=%s",
    async (callbackUrl) => {
      const host = openHost({ ...untrusted, pages: { error: "/oops" } })
      const answer = await ask(host, `/auth/signin?callbackUrl=${encodeURIComponent(callbackUrl)}`)
      expect([answer.status, answer.headers.get("content-type")]).toEqual([500, "text/html; charset=utf-8"])
      expect(host.logger.errorTypes()).toEqual(["UntrustedHost", "ErrorPageLoop"])
    },
  )

  it("still answers 400 to an unknown action", async () => {
    expect((await ask(openHost(untrusted), "/auth/unknown")).status).toBe(400)
  })
})

describe("the validation of the configuration", () => {
  const bare = { id: "bare", name: "Bare", type: "oauth", clientId: "rp" }
  it.each<[string, string, TestHostOptions]>([
    ["an untrusted host", "UntrustedHost", untrusted],
    ["KEY-01: a missing secret", "MissingSecret", odd({ secret: undefined })],
    ["an empty secret", "MissingSecret", { secret: "" }],
    ["an empty list of secrets", "MissingSecret", { secret: [] }],
    ["KEY-05: a secret that is not a string", "InvalidConfiguration", odd({ secret: [7] })],
    ["KEY-05: an empty secret in a list", "InvalidConfiguration", { secret: ["a".repeat(32), ""] }],
    [
      "KEY-05: fifty secrets",
      "InvalidConfiguration",
      { secret: Array.from({ length: 50 }, (_, n) => `${n}-${"a".repeat(32)}`) },
    ],
    ["CONF-04: an OAuth provider without endpoints", "InvalidEndpoints", odd({ providers: [bare] })],
    [
      "CONF-04: an OAuth provider without userinfo",
      "InvalidEndpoints",
      odd({ providers: [{ ...bare, authorization: "https://idp.test/a", token: "https://idp.test/t" }] }),
    ],
    [
      "CONF-03: two providers with the same id",
      "InvalidConfiguration",
      { providers: ({ idp }) => [idp.provider(), idp.provider()] },
    ],
    [
      "a provider id that is not safe in a path",
      "InvalidConfiguration",
      { providers: ({ idp }) => [idp.provider({ id: "__proto__" })] },
    ],
    [
      "a credentials provider without authorize",
      "MissingAuthorize",
      odd({ providers: [{ ...passwordProvider(), authorize: undefined }] }),
    ],
    ["database sessions without an adapter", "MissingAdapter", { session: { strategy: "database" } }],
    ["an adapter that cannot store sessions", "MissingAdapterMethods", { adapter: {} }],
    [
      "ADP-10: an adapter that cannot consume a sign-in link",
      "MissingAdapterMethods",
      {
        providers: [testEmail()],
        adapter: { createVerificationToken: async () => null, getUserByEmail: async () => null },
      },
    ],
    [
      "an implicit flow (OAU-55)",
      "InvalidConfiguration",
      { providers: ({ idp }) => [idp.provider({ authorization: { params: { response_type: "id_token" } } })] },
    ],
    ["CONF-07: a session lifetime of NaN", "InvalidConfiguration", { session: { maxAge: Number.NaN } }],
    [
      "CONF-07: an infinite session lifetime",
      "InvalidConfiguration",
      { session: { maxAge: Number.POSITIVE_INFINITY } },
    ],
    ["CONF-07: a negative session lifetime", "InvalidConfiguration", { session: { maxAge: -1 } }],
    ["CONF-07: a token lifetime of NaN", "InvalidConfiguration", { jwt: { maxAge: Number.NaN } }],
    [
      "CONF-07: an infinite time between session updates",
      "InvalidConfiguration",
      { session: { updateAge: Number.POSITIVE_INFINITY } },
    ],
    ["CONF-07: a session lifetime as a string", "InvalidConfiguration", odd({ session: { maxAge: "30" } })],
    ["CONF-05: a javascript: URL as a page", "InvalidConfiguration", { pages: { signIn: "javascript:1" } }],
    ["CONF-05: a data: URL as a page", "InvalidConfiguration", { pages: { error: "data:text/html,x" } }],
    [
      "CONF-05: a page on another host, after a slash and a backslash",
      "InvalidConfiguration",
      { pages: { newUser: "/\\x" } },
    ],
    ["CONF-05: a page on another host, after two slashes", "InvalidConfiguration", { pages: { signIn: "//x" } }],
    ["COOK-15: a cookie name with a semicolon", "InvalidConfiguration", { cookies: { state: { name: "a;b" } } }],
    [
      "COOK-15: a cookie path with another attribute",
      "InvalidConfiguration",
      { cookies: { state: { options: { path: "/;Domain=evil.test" } } } },
    ],
    [
      "COOK-15: a cookie domain with another header",
      "InvalidConfiguration",
      { cookies: { state: { options: { domain: "evil.test\r\nX: y" } } } },
    ],
    [
      "COOK-03: a __Host- cookie with a path",
      "InvalidConfiguration",
      { cookies: { state: { name: "__Host-x", options: { path: "/a" } } } },
    ],
    [
      "COOK-03: a __Host- cookie without Secure",
      "InvalidConfiguration",
      { cookies: { state: { name: "__Host-x", options: { secure: false } } } },
    ],
    [
      "COOK-03: a __Host- cookie with a domain",
      "InvalidConfiguration",
      { cookies: { state: { name: "__Host-x", options: { domain: "app.test" } } } },
    ],
    [
      "COOK-04: SameSite=None without Secure",
      "InvalidConfiguration",
      { cookies: { state: { name: "x", options: { sameSite: "none", secure: false } } } },
    ],
    [
      "COOK-05: partitioned without Secure",
      "InvalidConfiguration",
      { cookies: { state: { name: "x", options: { partitioned: true, secure: false } } } },
    ],
    [
      "a provider factory that throws",
      "InvalidConfiguration",
      odd({
        providers: [
          () => {
            throw new Error("no settings")
          },
        ],
      }),
    ],
  ])("%s is refused with %s", async (_, type, options) => {
    const host = openHost(options)
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errorTypes()).toEqual([type])
  })

  it("reports an untrusted host before a missing secret, and that before providers", async () => {
    const all = { trustHost: false, secret: "", providers: [{ ...passwordProvider(), authorize: undefined }] }
    const first = openHost(odd(all))
    await ask(first, "/auth/session")
    const second = openHost(odd({ ...all, trustHost: true }))
    await ask(second, "/auth/session")
    expect([first.logger.errorTypes(), second.logger.errorTypes()]).toEqual([["UntrustedHost"], ["MissingSecret"]])
  })

  it.each([
    [{ id: "bare" }, "providers.bare.authorization, providers.bare.token, providers.bare.userinfo: "],
    [{ id: "bare", authorization: "https://idp.test/a", userinfo: "https://idp.test/u" }, "providers.bare.token: "],
  ])("CONF-04: logs the missing fields of %j, but no secret", async (given, words) => {
    const clientSecret = "c4n4ry-of-the-client"
    const host = openHost(odd({ providers: [{ ...bare, ...given, clientSecret }] }))
    host.canaries.watch("client secret", clientSecret)
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errorTypes()).toEqual(["InvalidEndpoints"])
    expect(host.logger.errors[0]?.message.startsWith(words)).toBe(true)
  })

  it.each(["https://login.corp.test/in", "http://localhost:3000/in", "/in?lang=de"])(
    "CONF-05: accepts the page %s",
    async (signIn) => {
      const host = openHost({ pages: { signIn } })
      const { status, location } = await ask(host, "/auth/signin")
      expect([status, location?.startsWith(signIn), host.logger.errors]).toEqual([302, true, []])
    },
  )

  it("KEY-05: accepts ten secrets, even the same one", async () => {
    const secret = "0123456789abcdef0123456789abcdef"
    const host = openHost({ secret: [secret, ...Array(9).fill(secret)] })
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
    expect([host.logger.errors, host.logger.warnings]).toEqual([[], []])
  })

  it("treats null as a missing page", async () => {
    const host = openHost(
      odd({ pages: { signIn: null, signOut: null, error: null, verifyRequest: null, newUser: null } }),
    )
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
    const pages = await Promise.all(
      ["signin", "signout", "error", "verify-request"].map((page) => ask(host, `/auth/${page}`)),
    )
    expect(pages.map(({ headers }) => headers.get("content-type"))).toEqual(Array(4).fill("text/html; charset=utf-8"))
    expect(host.logger.errors).toEqual([])
    const failed = await ask(host, "/auth/callback/oidc?code=1&state=forged")
    expect(failed.headers.get("location")).toMatch(/^https:\/\/app\.test\/auth\/error\?error=Configuration/)
  })

  it("does not warn about a redirect proxy with allowedOrigins", async () => {
    const host = openHost({ redirectProxyUrl: "https://proxy.test/auth", allowedOrigins: ["https://app.test"] })
    await ask(host, "/auth/session")
    expect(host.logger.warnings).toEqual([])
  })

  it("accepts an adapter that is a proxy", async () => {
    const lazy = new Proxy(memoryAdapter(), {})
    expect((await ask(openHost({ adapter: lazy }), "/auth/session")).status).toBe(200)
  })
})

describe("the secret in production", () => {
  beforeEach(() => {
    vi.stubEnv("NODE_ENV", "production")
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it.each([undefined, "", []])(
    "KEY-01: every action fails without a secret (%j) and reveals no details",
    async (secret) => {
      const adapter = memoryAdapter()
      const host = openHost(odd({ secret, adapter, providers: [passwordProvider(), testEmail()] }))
      const requests = [
        ...[
          "session",
          "csrf",
          "providers",
          "signin",
          "signout",
          "error",
          "verify-request",
          "callback/email?token=t",
        ].map((path) => [path, {}] as const),
        ...["session", "signin/email", "callback/cred", "signout"].map((path) => [path, { form: { u: "v" } }] as const),
      ]
      for (const [path, options] of requests) {
        const answer = await ask(host, `/auth/${path}`, options)
        expect([path, answer.status, answer.cookies.size]).toEqual([path, 500, 0])
        expect(answer.text).not.toMatch(/MissingSecret|AUTH_SECRET|secret:/)
      }
      expect(host.logger.errorTypes()).toEqual(requests.map(() => "MissingSecret"))
      expect([adapter.calls, host.events.names(), host.mailbox.messages]).toEqual([[], [], []])
    },
  )

  it.each(["a", "0123456789abcdef0123456789abcde", "a".repeat(64), "changeme-0123456789-0123456789-abc"])(
    "KEY-02: refuses the weak secret %s",
    async (secret) => {
      const host = openHost({ secret })
      expect((await ask(host, "/auth/session")).status).toBe(500)
      expect(host.logger.errorTypes()).toEqual(["InvalidConfiguration"])
      expect(host.logger.errors[0]?.message).toMatch(/^secret: .*openssl rand -hex 32/)
    },
  )

  it("KEY-02: accepts a secret of 32 random characters", async () => {
    const host = openHost({ secret: "0f9c2ab74d1e83655ac0b9e7d2431f68", providers: [passwordProvider()] })
    expect((await ask(host, "/auth/session")).status).toBe(200)
    expect(host.logger.texts()).toEqual([])
  })
})

describe("options that weaken security", () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it("CONF-09: warn once with insecure-url if production is reached by http", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const host = openHost({ secret: "0f9c2ab74d1e83655ac0b9e7d2431f68", rateLimit: false })
    for (const origin of ["http://app.test", "http://app.test", "https://app.test"])
      await ask(host, "/auth/session", { origin })
    expect(host.logger.warnings).toEqual(["insecure-url"])
  })

  it.each<[string, TestHostOptions]>([
    ["debug-enabled", { debug: true }],
    ["checks-none", { providers: ({ idp }) => [idp.provider({ checks: ["none"] })] }],
    ["email-linking-enabled", { providers: ({ idp }) => [idp.provider({ allowDangerousEmailAccountLinking: true })] }],
    ["csrf-disabled", { skipCSRFCheck }],
    ["short-secret", { secret: "short-of-thirty-two" }],
    ["weak-secret", { secret: "a".repeat(64) }],
    ["redirect-proxy-origins", { redirectProxyUrl: "https://proxy.test/auth" }],
    [
      "redirect-proxy-origins",
      { providers: ({ idp }) => [idp.provider({ redirectProxyUrl: "https://proxy.test/auth" })] },
    ],
  ])("CONF-09: warn with %s", async (code, options) => {
    const host = openHost(options)
    await ask(host, "/auth/session")
    await ask(host, "/auth/csrf")
    expect(host.logger.warnings).toEqual([code])
  })
})
