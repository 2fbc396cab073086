import { type Browser, createBrowser, memoryAdapter } from "@latchkey/testkit"
import { integrationUser } from "@latchkey/testkit/integration"
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { appConfig, right, sessionCookie } from "./config.js"
import { type AppRequest, type KitApp, openApp } from "./kit-app.js"

let app: KitApp

beforeAll(async () => {
  app = await openApp()
})

// SvelteKit logs to the console what a page or an action throws.
beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined)
})

afterEach(() => {
  vi.restoreAllMocks()
})

const open = (options: AppRequest) => createBrowser({ handler: app.toHandler(options) })

async function signIn(browser: Browser, fields = right) {
  const page = await browser.open("/login")
  return await browser.submit(page.form(), fields)
}

const sessionLines = ({ headers }: Pick<Response, "headers">) =>
  headers.getSetCookie().filter((line) => line.startsWith(`${sessionCookie}=`))

describe("the form action signIn", () => {
  it("throws the rejection, for the page's action to handle", async () => {
    const browser = open(appConfig())
    const page = await signIn(browser, { ...right, password: "wrong" })
    expect([page.status, page.find("[role=alert]")?.text]).toEqual([400, "credentials"])
    expect(await browser.session()).toBeNull()
  })

  it.each(["https://evil.test", "null"])(
    "CSRF-10, CSRF-11: rejects a form from the origin %s that SvelteKit let through",
    async (origin) => {
      const { config, logger } = appConfig()
      const browser = open({ config })
      const body = new URLSearchParams({ providerId: "credentials", ...right })
      const page = await browser.open("/login", { body, headers: { origin, "sec-fetch-site": "cross-site" } })
      expect(page.status).toBe(500)
      expect(await browser.session()).toBeNull()
      expect(logger.records).toMatchObject([{ error: "MissingCSRF" }])
    },
  )

  it("URL-01: never redirects to another site", async () => {
    const browser = open(appConfig())
    const body = new URLSearchParams({ providerId: "credentials", ...right, redirectTo: "https://evil.test" })
    const response = await browser.fetch("/login", { body, headers: { accept: "text/html" } })
    expect([response.status, response.headers.get("location")]).toEqual([302, "https://app.test"])
  })

  it("RATE-01: counts by the client's address", async () => {
    const { config } = appConfig({ rateLimit: { budgets: { callback: { limit: 1, windowSeconds: 60 } } } })
    const wrong = { ...right, password: "wrong" }
    const one = open({ config, clientAddress: "192.0.2.7" })
    expect((await signIn(one, wrong)).status).toBe(400)
    expect((await signIn(one)).status).toBe(500)
    expect((await signIn(open({ config, clientAddress: "192.0.2.8" }))).url.pathname).toBe("/private")
  })

  it("signs in with a password and redirects to redirectTo", async () => {
    const browser = open(appConfig())
    const page = await signIn(browser)
    expect([page.url.pathname, page.find("h1")?.text]).toEqual(["/private", "Private"])
    expect((await browser.open("/")).find("#user")?.text).toBe(integrationUser.name)
    expect(browser.cookies.refused).toEqual([])
    expect(browser.cookies.find(sessionCookie)).toMatchObject({ isHttpOnly: true, isSecure: true, sameSite: "Lax" })
  })

  it("redirects to a provider with the form's parameters, and sets the cookies of the flow", async () => {
    const browser = open(appConfig())
    const page = await browser.open("/")
    const away = await browser.submit(page.form("#in"))
    expect(away.url.origin).toBe("https://id.harbour.test")
    expect(away.url.searchParams.get("login_hint")).toBe("ada")
    expect(browser.cookies.names()).toContainEqual(expect.stringMatching(/^__Secure-authjs\.state\./))
  })

  it.each([{}, { providerId: "unknown" }])(
    "redirects to the sign-in page without a known provider: %j",
    async (form) => {
      const browser = open(appConfig())
      const body = new URLSearchParams({ ...form, redirectTo: "/private" })
      const page = await browser.open("/login", { body })
      expect(page.url.href).toBe("https://app.test/auth/signin?callbackUrl=%2Fprivate")
    },
  )

  it("reads the fields from its second argument when the action has read the form", async () => {
    const browser = open(appConfig())
    const body = new URLSearchParams({ providerId: "credentials", ...right })
    const page = await browser.open("/together?/in", { body })
    expect([page.find("#action-user")?.text, page.find("#user")?.text]).toEqual([
      integrationUser.name,
      integrationUser.name,
    ])
  })
})

describe("the form action signOut", () => {
  it("ends the session, even if it was read earlier in the request", async () => {
    const options = { ...appConfig(), readsSessionInHook: true }
    const browser = open(options)
    await signIn(browser)
    const page = await browser.open("/")
    const left = await browser.submit(page.form("#out"))
    expect(left.url.pathname).toBe("/bye")
    const [hop] = left.hops
    expect(hop?.status).toBe(302)
    expect(browser.cookies.get(sessionCookie)).toBeUndefined()
    expect(await browser.session()).toBeNull()
  })

  it("ends the session for the rest of the request", async () => {
    const browser = open({ ...appConfig(), readsSessionInHook: true })
    await signIn(browser)
    const page = await browser.open("/together?/out", { body: new URLSearchParams() })
    expect([page.find("#action-user")?.text, page.find("#user")?.text]).toEqual(["signed out", "signed out"])
    expect(sessionLines(page)).toEqual([expect.stringContaining("Max-Age=0")])
  })
})

describe("event.locals.auth()", () => {
  it("CONF-01: throws when the session cannot be read", async () => {
    const good = appConfig()
    const browser = open(good)
    await signIn(browser)
    const cookie = `${sessionCookie}=${browser.cookies.get(sessionCookie)}`
    for (const changes of [{ trustHost: false }, { allowedOrigins: ["https://other.test"] }]) {
      const { config, logger } = appConfig(changes)
      const response = await app.respond(new Request("https://app.test/private", { headers: { cookie } }), { config })
      expect([response.status, sessionLines(response)]).toEqual([500, []])
      expect(logger.errorTypes()).toContain("UntrustedHost")
    }
  })

  it("returns null when signed out, so a guarded page redirects to the sign-in page", async () => {
    const browser = open(appConfig())
    const page = await browser.open("/private")
    expect(page.hops.map(({ status }) => status)).toEqual([303, 200])
    expect(page.url.href).toBe("https://app.test/login?redirectTo=%2Fprivate")
  })

  it("reads the session once per request", async () => {
    const { config, session } = appConfig()
    const browser = open({ config, readsSessionInHook: true })
    await signIn(browser)
    session.mockClear()
    const page = await browser.open("/private")
    expect(page.status).toBe(200)
    expect(session).toHaveBeenCalledTimes(1)
    expect((await browser.open("/")).find("#same")?.text).toBe("true")
  })

  it("renews the session cookie on the response", async () => {
    const browser = open(appConfig())
    await signIn(browser)
    const page = await browser.open("/")
    expect(sessionLines(page)).toHaveLength(1)
    expect((await browser.open("/")).find("#user")?.text).toBe(integrationUser.name)
  })

  it("renews the session cookie on a response with immutable headers", async () => {
    const browser = open({ ...appConfig(), readsSessionInHook: true })
    await signIn(browser)
    const response = await browser.fetch("/own")
    expect([response.status, response.headers.get("location")]).toEqual([303, "https://app.test/elsewhere"])
    expect(sessionLines(response)).toHaveLength(1)
  })

  it("works with database sessions", async () => {
    const adapter = memoryAdapter()
    const user = await adapter.createUser?.({ id: "u-1", name: "Grace", email: "grace@app.test", emailVerified: null })
    const { config } = appConfig({ adapter, session: { strategy: "database" } })
    const [provider] = config.providers
    const stored = { ...config, providers: [{ ...provider, authorize: () => user ?? null }] } as typeof config
    const browser = open({ config: stored })
    await signIn(browser)
    expect((await browser.open("/")).find("#user")?.text).toBe("Grace")
    await browser.submit((await browser.open("/")).form("#out"))
    expect((await browser.open("/")).find("#user")?.text).toBe("signed out")
  })
})

describe("event.locals.auth.requireAuth()", () => {
  it.each(["/guarded", "/guarded/__data.json"])("keeps its refusal of %s out of shared caches", async (path) => {
    const response = await open(appConfig()).fetch(path, { headers: { accept: "text/html" } })
    expect(response.headers.get("location") ?? (await response.text())).toContain("/signin?callbackUrl=%2Fguarded")
    expect(response.headers.get("cache-control")).toBe("private, no-store")
  })
})

describe("handle", () => {
  it("lets SvelteKit prerender pages whose layout reads the session, without a configuration", () => {
    expect(app.readPrerendered("about")).toContain('<p id="about">About</p>')
  })

  it("passes other paths below the base path on to the app", async () => {
    const browser = open(appConfig())
    for (const path of ["/auth", "/auth/unheard-of", "/auth/session/of/ada", "/authsession"]) {
      expect((await browser.open(path)).status).toBe(404)
    }
    expect((await browser.open("/auth/style.css")).status).toBe(200)
  })

  it("reads the secret from SvelteKit's private variables", async () => {
    const { secret: _, ...config } = appConfig().config
    const browser = open({ config })
    await signIn(browser)
    expect((await browser.session())?.user?.name).toBe(integrationUser.name)
  })
})
