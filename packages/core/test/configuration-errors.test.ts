import { memoryAdapter, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { ask } from "./answers.js"
import { openHost } from "./hosts.js"
import { passwordProvider } from "./sign-ins.js"

const untrusted = { trustHost: false }

/** An option that a host without types may write. */
const odd = (options: Record<string, unknown>): TestHostOptions => options

describe("a configuration with a mistake", () => {
  it.each(["signin", "signout", "error", "verify-request"])(
    "GET /%s is the built-in error page with status 500 (HOST-01)",
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
  ] as const)("%s /%s is 500 with a general message (CONF-01)", async (method, path) => {
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
  ])("leads to the host's own error page %s", async (error, location) => {
    const answer = await ask(openHost({ ...untrusted, pages: { error } }), "/auth/signin")
    expect([answer.status, answer.location]).toEqual([302, location])
  })

  it.each(["/oops", "https://app.test/oops", "/oops?error=Configuration"])(
    "shows the built-in page when the host's own sends visitors away: callbackUrl=%s (PAGE-12)",
    async (callbackUrl) => {
      const host = openHost({ ...untrusted, pages: { error: "/oops" } })
      const answer = await ask(host, `/auth/signin?callbackUrl=${encodeURIComponent(callbackUrl)}`)
      expect([answer.status, answer.headers.get("content-type")]).toEqual([500, "text/html; charset=utf-8"])
      expect(host.logger.errorTypes()).toEqual(["UntrustedHost", "ErrorPageLoop"])
    },
  )

  it("still answers 400 to what is no action", async () => {
    expect((await ask(openHost(untrusted), "/auth/unknown")).status).toBe(400)
  })
})

describe("the mistakes that are looked for", () => {
  const bare = { id: "bare", name: "Bare", type: "oauth", clientId: "rp" }
  it.each<[string, string, TestHostOptions]>([
    ["no trust in the host", "UntrustedHost", untrusted],
    ["no secret (KEY-01)", "MissingSecret", odd({ secret: undefined })],
    ["an empty secret", "MissingSecret", { secret: "" }],
    ["an empty list of secrets", "MissingSecret", { secret: [] }],
    ["an empty secret in a list (KEY-05)", "InvalidConfiguration", { secret: ["a".repeat(32), ""] }],
    [
      "fifty secrets (KEY-05)",
      "InvalidConfiguration",
      { secret: Array.from({ length: 50 }, (_, n) => `${n}-${"a".repeat(32)}`) },
    ],
    ["an OAuth provider without endpoints (CONF-04)", "InvalidEndpoints", odd({ providers: [bare] })],
    [
      "an OAuth provider without userinfo (CONF-04)",
      "InvalidEndpoints",
      odd({ providers: [{ ...bare, authorization: "https://idp.test/a", token: "https://idp.test/t" }] }),
    ],
    [
      "two providers of one id (CONF-03)",
      "InvalidConfiguration",
      { providers: ({ idp }) => [idp.provider(), idp.provider()] },
    ],
    [
      "a provider id that no path can hold",
      "InvalidConfiguration",
      { providers: ({ idp }) => [idp.provider({ id: "__proto__" })] },
    ],
    [
      "credentials without authorize",
      "MissingAuthorize",
      odd({ providers: [{ ...passwordProvider(), authorize: undefined }] }),
    ],
    ["stored sessions without an adapter", "MissingAdapter", { session: { strategy: "database" } }],
    ["an adapter that cannot store sessions", "MissingAdapterMethods", { adapter: {} }],
    [
      "an adapter that cannot use up a link (ADP-10)",
      "MissingAdapterMethods",
      {
        providers: [testEmail()],
        adapter: { createVerificationToken: async () => null, getUserByEmail: async () => null },
      },
    ],
    [
      "a WebAuthn provider without the switch (WAN-01)",
      "ExperimentalFeatureNotEnabled",
      odd({ providers: [{ id: "key", name: "Key", type: "webauthn" }] }),
    ],
    [
      "an implicit flow (OAU-55)",
      "InvalidConfiguration",
      { providers: ({ idp }) => [idp.provider({ authorization: { params: { response_type: "id_token" } } })] },
    ],
    ["a lifetime that is no number (CONF-07)", "InvalidConfiguration", { session: { maxAge: Number.NaN } }],
    ["an endless lifetime (CONF-07)", "InvalidConfiguration", { session: { maxAge: Number.POSITIVE_INFINITY } }],
    ["a negative lifetime (CONF-07)", "InvalidConfiguration", { session: { maxAge: -1 } }],
    ["a lifetime as text (CONF-07)", "InvalidConfiguration", odd({ session: { maxAge: "30" } })],
    ["a page that is a script (CONF-05)", "InvalidConfiguration", { pages: { signIn: "javascript:1" } }],
    ["a page of another host by two slashes (CONF-05)", "InvalidConfiguration", { pages: { signIn: "//x" } }],
    ["a cookie name that ends itself (COOK-15)", "InvalidConfiguration", { cookies: { state: { name: "a;b" } } }],
    [
      "a cookie path with an attribute (COOK-15)",
      "InvalidConfiguration",
      { cookies: { state: { options: { path: "/;Domain=evil.test" } } } },
    ],
    [
      "a __Host- cookie with a domain (COOK-03)",
      "InvalidConfiguration",
      { cookies: { state: { name: "__Host-x", options: { domain: "app.test" } } } },
    ],
    [
      "SameSite=None without Secure (COOK-04)",
      "InvalidConfiguration",
      { cookies: { state: { name: "x", options: { sameSite: "none", secure: false } } } },
    ],
    [
      "partitioned without Secure (COOK-05)",
      "InvalidConfiguration",
      { cookies: { state: { name: "x", options: { partitioned: true, secure: false } } } },
    ],
    [
      "providers that cannot be read",
      "InvalidConfiguration",
      odd({
        providers: [
          () => {
            throw new Error("no settings")
          },
        ],
      }),
    ],
  ])("%s is %s", async (_, type, options) => {
    const host = openHost(options)
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errorTypes()).toEqual([type])
  })

  it("the host comes before the secret, the secret before the providers", async () => {
    const all = { trustHost: false, secret: "", providers: [{ ...passwordProvider(), authorize: undefined }] }
    const first = openHost(odd(all))
    await ask(first, "/auth/session")
    const second = openHost(odd({ ...all, trustHost: true }))
    await ask(second, "/auth/session")
    expect([first.logger.errorTypes(), second.logger.errorTypes()]).toEqual([["UntrustedHost"], ["MissingSecret"]])
  })

  it("a method counts as present when it is a key of the adapter", async () => {
    const lazy = new Proxy(memoryAdapter(), {})
    expect((await ask(openHost({ adapter: lazy }), "/auth/session")).status).toBe(200)
  })
})

describe("switches that weaken the service", () => {
  it.each<[string, TestHostOptions]>([
    ["debug-enabled", { debug: true }],
    ["checks-none", { providers: ({ idp }) => [idp.provider({ checks: ["none"] })] }],
    ["email-linking-enabled", { providers: ({ idp }) => [idp.provider({ allowDangerousEmailAccountLinking: true })] }],
    ["short-secret", { secret: "short-of-thirty-two" }],
  ])("warn with %s (CONF-09)", async (code, options) => {
    const host = openHost(options)
    await ask(host, "/auth/session")
    await ask(host, "/auth/session")
    expect(host.logger.warnings).toEqual([code])
  })
})
