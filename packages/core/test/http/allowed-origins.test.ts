import { Auth } from "@latchkey/core"
import { fakeIdentityProvider, memoryAdapter, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { createSealer } from "../../src/crypto/seal.js"
import { openHost } from "../setup/hosts.js"
import { ask, post } from "../setup/requests.js"
import { passwordProvider, pathOf } from "../setup/sign-ins.js"

const strategies = ["jwt", "database"] as const

describe.each(strategies)("a service with allowed origins and %s sessions", (strategy) => {
  function openMail(options: TestHostOptions = {}) {
    const adapter = memoryAdapter()
    const shared = { adapter, session: { strategy }, providers: [testEmail()], allowedOrigins: ["https://app.test"] }
    return { adapter, host: openHost({ ...shared, ...options }) }
  }

  it.each([
    ["https://evil.test", { host: "evil.test" }, '"evil.test" (the header Host)'],
    ["https://evil.test", { host: "app.test", "x-forwarded-host": "evil.test" }, "(the header X-Forwarded-Host)"],
    ["http://app.test", { host: "app.test" }, 'add "http://app.test"'],
    ["https://app.test:8443", { host: "app.test:8443" }, 'add "https://app.test:8443"'],
  ])("HOST-03: sends no sign-in link for the origin %s with the headers %j", async (origin, headers, words) => {
    const { adapter, host } = openMail()
    const csrfToken = await host.browser.csrfToken()
    const cookie = host.browser.cookies.list().map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
    const form = { csrfToken, email: "v@corp.test" }
    const answer = await ask(host, "/auth/signin/email", { origin, form, headers, cookie: cookie.join("; ") })
    expect([answer.status, answer.json(), answer.location]).toEqual([400, "Bad request.", null])
    expect([answer.cookies.size, host.mailbox.messages, adapter.calls]).toEqual([0, [], []])
    expect(host.logger.errorTypes()).toEqual(["UntrustedHost"])
    expect(host.logger.errors[0]?.message).toContain(words)
    await host.browser.signIn("email", { email: "v@corp.test" })
    await host.browser.open(host.mailbox.lastLink())
    expect((await host.browser.session())?.user?.email).toBe("v@corp.test")
  })

  it("HOST-03: refuses every action for an origin that is not listed", async () => {
    const { adapter, host } = openMail({ allowedOrigins: ["https://app.test", "https://*.ok.test"] })
    for (const path of [
      "signin",
      "signout",
      "error",
      "csrf",
      "session",
      "providers",
      "callback/email?token=t&email=e",
    ]) {
      const answer = await ask(host, `/auth/${path}`, { origin: "https://evil.test" })
      expect([answer.status, answer.text, answer.cookies.size], path).toEqual([400, '"Bad request."', 0])
    }
    expect([new Set(host.logger.errorTypes()), adapter.calls]).toEqual([new Set(["UntrustedHost"]), []])
  })

  it("URL-24: serves every origin that a wildcard matches, with URLs of that origin", async () => {
    const { host } = openMail({ allowedOrigins: ["https://app.test", "https://*.ok.test"] })
    for (const origin of ["https://app.test", "https://a.ok.test", "https://b.ok.test"]) {
      const answer = await ask(host, "/auth/providers", { origin })
      expect(answer.json()).toMatchObject({ email: { signinUrl: `${origin}/auth/signin/email` } })
    }
    for (const origin of ["https://ok.test", "http://a.ok.test", "https://a.b.ok.test"]) {
      expect((await ask(host, "/auth/providers", { origin })).status, origin).toBe(400)
    }
  })
})

describe("the option allowedOrigins", () => {
  it.each([
    ["an empty list", []],
    ["a string", "https://app.test"],
    ["a bare host", ["app.test"]],
    ["a path", ["https://app.test/auth"]],
    ["a regular expression", [/\.app\.test$/]],
    ["a bare wildcard", ["*"]],
    ["a wildcard below a top-level domain", ["https://*.test"]],
  ])("is refused if it is or contains %s", async (_, allowedOrigins) => {
    // as: JavaScript hosts may pass anything.
    const host = openHost({ allowedOrigins: allowedOrigins as string[] })
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^allowedOrigins(\[0\])?: /),
    ])
  })

  it("does not replace trustHost", async () => {
    const host = openHost({ allowedOrigins: ["https://app.test"], trustHost: false })
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errorTypes()).toEqual(["UntrustedHost"])
  })

  it("CSRF-10: does not allow forms from the listed origins", async () => {
    const host = openHost({
      providers: [passwordProvider()],
      allowedOrigins: ["https://app.test", "https://*.ok.test"],
    })
    const headers = { origin: "https://a.ok.test", "sec-fetch-site": "cross-site" }
    const { location } = await post(host.browser, "/auth/callback/cred", { u: "v", p: "right" }, { headers })
    expect(pathOf(location)).toBe("/auth/signin?error=MissingCSRF")
    expect([host.logger.errorTypes(), host.events.names()]).toEqual([["MissingCSRF"], []])
  })

  it("URL-01: does not allow redirects to the listed origins", async () => {
    const host = openHost({
      providers: [passwordProvider()],
      allowedOrigins: ["https://app.test", "https://*.ok.test"],
    })
    const fields = { u: "v", p: "right", callbackUrl: "https://a.ok.test/in" }
    expect((await post(host.browser, "/auth/callback/cred", fields)).location).toBe("https://app.test")
  })
})

describe("a host with a trailing dot", () => {
  it("HOST-11: is refused unless it is listed; letter case and the default port are ignored", async () => {
    const host = openHost()
    const dotted = await ask(host, "/auth/providers", { origin: "https://app.test." })
    expect([dotted.status, host.logger.errorTypes()]).toEqual([400, ["UntrustedHost"]])
    for (const origin of ["https://app.test:443", "https://APP.TEST"]) {
      for (const allowedOrigins of [undefined, ["https://app.test"]]) {
        const open = openHost(allowedOrigins ? { allowedOrigins } : {})
        const answer = await ask(open, "/auth/providers", { origin })
        expect(answer.json()).toMatchObject({ oidc: { signinUrl: "https://app.test/auth/signin/oidc" } })
      }
    }
    const allowing = openHost({ allowedOrigins: ["https://app.test."] })
    expect((await ask(allowing, "/auth/providers", { origin: "https://app.test." })).status).toBe(200)
  })
})

describe.each(strategies)("a redirect proxy with %s sessions", (strategy) => {
  const secret = "shared-by-the-proxy-and-its-previews"
  const redirectProxyUrl = "https://app.test/auth"

  function openPair(allowedOrigins: readonly string[] | undefined, previewOrigin = "https://preview.test") {
    const idp = fakeIdentityProvider({
      clients: [{ client_id: "rp", redirect_uris: ["https://app.test/auth/callback/oidc"] }],
    })
    const providers = [idp.provider({ checks: ["pkce"] })]
    const adapter = memoryAdapter()
    const shared = { idp, secret, providers, redirectProxyUrl, adapter, session: { strategy } }
    const proxy = openHost({ ...shared, ...(allowedOrigins && { allowedOrigins }) })
    const reached: string[] = []
    const preview = openHost({
      ...shared,
      ...(allowedOrigins && { allowedOrigins }),
      origin: previewOrigin,
      network: { "https://app.test": proxy.handler },
      app: ({ url }) => {
        reached.push(url)
        return new Response("")
      },
    })
    return { idp, proxy, preview, adapter, reached }
  }

  it.each([
    ["if no origins are listed", undefined],
    ["if the origin is not listed", ["https://app.test", "https://*.preview.test"]],
  ])("HOST-08: forwards no code %s, even with a valid state", async (_, allowedOrigins) => {
    const { idp, proxy, adapter } = openPair(allowedOrigins)
    const sealer = createSealer([secret], Date.now)
    const origin = "https://evil.test/auth/callback/oidc"
    const state = await sealer.seal("encodedState", { random: "r", flow: "012345678abcdefghij", origin }, 900)
    const answer = await ask(proxy, `/auth/callback/oidc?code=somebodys&state=${encodeURIComponent(state)}`)
    expect([answer.status, answer.location]).toEqual([302, "https://app.test/auth/error?error=Configuration"])
    expect(proxy.logger.errorTypes()).toEqual(["UntrustedHost"])
    expect(proxy.logger.errors[0]?.message).toContain('allowedOrigins: ["https://evil.test"]')
    expect([idp.requests.token, proxy.events.names(), adapter.calls]).toEqual([[], [], []])
  })

  it("HOST-08: forwards no code to an origin from a forged Host header", async () => {
    const { preview, proxy, reached } = openPair(undefined, "https://evil.test")
    const page = await preview.browser.signIn("oidc")
    expect([page.url.origin, page.url.search]).toEqual(["https://app.test", "?error=Configuration"])
    expect([proxy.logger.errorTypes(), reached]).toEqual([["UntrustedHost"], []])
    const listed = openPair(["https://app.test", "https://preview.test"], "https://evil.test")
    const answer = await ask(listed.proxy, "/auth/csrf", { origin: "https://evil.test" })
    expect(answer.status).toBe(400)
  })

  it.each([
    ["https://preview.test", ["https://app.test", "https://preview.test"]],
    ["https://pr-7.preview.test", ["https://app.test", "https://*.preview.test"]],
    ["http://localhost:3000", ["https://app.test", "http://localhost:3000"]],
  ])(
    "HOST-08: forwards the code to the listed origin %s, which completes the sign-in",
    async (origin, allowedOrigins) => {
      const { idp, proxy, preview } = openPair(allowedOrigins, origin)
      const page = await preview.browser.signIn("oidc", { callbackUrl: "/in" })
      expect(page.url.href).toBe(`${origin}/in`)
      expect((await preview.browser.session())?.user?.name).toBe("Ada Lovelace")
      expect([proxy.events.names(), idp.requests.token.length]).toEqual([[], 1])
      expect((await proxy.browser.signIn("oidc", { callbackUrl: "/in" })).url.href).toBe("https://app.test/in")
      expect(await proxy.browser.session()).not.toBeNull()
    },
  )
})

describe("an untrusted host", () => {
  it("HOST-01: is logged with its header and the setting to add", async () => {
    const host = openHost({ trustHost: false })
    await ask(host, "/auth/session", { origin: "https://evil.test", headers: { host: "evil.test" } })
    const [error] = host.logger.errors
    expect(error?.message).toMatch(/AUTH_URL.*trustHost: true.*"evil\.test" \(the header Host\)$/)
  })

  it("HOST-01: is refused with a new configuration object for each request", async () => {
    const host = openHost({ trustHost: false })
    const response = await Auth(new Request("https://app.test/auth/signin"), { ...host.config })
    expect([response.status, host.logger.errorTypes()]).toEqual([500, ["UntrustedHost"]])
  })
})
