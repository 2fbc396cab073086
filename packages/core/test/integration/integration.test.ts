import { Auth } from "@latchkey/core"
import { CredentialsSignin, MissingCSRF, TooManyRequests, UntrustedHost } from "@latchkey/core/errors"
import {
  type Caller,
  readSession,
  type Settings,
  settingsOf,
  signIn,
  signOut,
  updateSession,
} from "@latchkey/core/integration"
import { memoryAdapter, type TestHost, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { keptCookies } from "../setup/kept-cookies.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

const right = { u: "v", p: "right" }

/** A host with pages of its own that call the service, and a visitor's browser. */
function open(options: TestHostOptions = {}) {
  const host = openHost({
    session: { strategy: "jwt" },
    providers: ({ idp }) => [idp.provider(), passwordProvider(), testEmail()],
    ...options,
  })
  const settings = settingsOf(host.config, { env: {} })
  const browser = keptCookies()
  const caller = (headers: Record<string, string> = {}): Caller => ({
    headers: new Headers({ host: "app.test", cookie: browser.header(), ...headers }),
  })
  return { host, settings, browser, caller }
}

async function signInAsV({ settings, browser, caller }: ReturnType<typeof open>): Promise<string> {
  const { url, cookies } = await signIn(caller(), settings, { providerId: "cred", fields: right, redirectTo: "/in" })
  browser.keep(cookies)
  return url
}

const loggedTypes = ({ logger }: TestHost): readonly string[] => logger.errorTypes()

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(["jwt", "database"] as const)("the app's own code, with %s sessions", (strategy) => {
  async function stage() {
    const adapter = memoryAdapter()
    const user = await adapter.createUser?.({ id: "u-v", name: "V", email: "v@corp.test", emailVerified: null })
    const providers = [passwordProvider({ authorize: ({ p }) => (p === "right" && user ? user : null) })]
    return open({ session: { strategy }, adapter, providers })
  }

  it("signs a visitor in with a password, reads the session, and signs out", async () => {
    const request = await stage()
    const { settings, browser, caller } = request
    expect(await signInAsV(request)).toBe("https://app.test/in")
    expect((await readSession(caller(), settings)).session?.user?.name).toBe("V")
    const { url, cookies } = await signOut(caller(), settings, { redirectTo: "/bye" })
    browser.keep(cookies)
    expect(url).toBe("https://app.test/bye")
    expect(await readSession(caller(), settings)).toEqual({ session: null, cookies: [] })
  })

  it("lets a session of its pages and one of its endpoints be one", async () => {
    const request = await stage()
    await signInAsV(request)
    const response = await request.host.browser.fetch("/auth/session", {
      headers: { cookie: request.browser.header() },
    })
    expect(await response.json()).toMatchObject({ user: { name: "V" } })
  })
})

describe("signing in", () => {
  it("throws what refuses it, and sets nothing", async () => {
    const { settings, caller } = open()
    const wish = { providerId: "cred", fields: { u: "v", p: "wrong" } }
    await expect(signIn(caller(), settings, wish)).rejects.toBeInstanceOf(CredentialsSignin)
  })

  it.each(["https://evil.test", "null", "http://app.test"])(
    "CSRF-10, CSRF-11: refuses a form from the origin %s, though no token is asked for",
    async (origin) => {
      const { settings, caller } = open()
      const visitor = caller({ origin })
      const wish = { providerId: "cred", fields: right }
      await expect(signIn(visitor, settings, wish)).rejects.toBeInstanceOf(MissingCSRF)
      await expect(signOut(visitor, settings)).rejects.toBeInstanceOf(MissingCSRF)
      await expect(updateSession(visitor, settings, {})).rejects.toBeInstanceOf(MissingCSRF)
    },
  )

  it("redirects to the provider, and the callback completes the sign-in", async () => {
    const { host, settings, browser, caller } = open()
    const params = { login_hint: "ada", state: "mine" }
    const wish = { providerId: "oidc", redirectTo: "/in", authorizationParams: params }
    const { url, cookies } = await signIn(caller(), settings, wish)
    const { origin, searchParams } = new URL(url)
    expect([origin, searchParams.get("login_hint")]).toEqual(["https://idp.test", "ada"])
    expect(searchParams.get("state")).not.toBe("mine")
    browser.keep(cookies)
    const answered = await host.idp.fetch(url, { redirect: "manual" })
    const back = answered.headers.get("location") ?? ""
    const landed = await host.browser.fetch(back, { headers: { cookie: browser.header() } })
    expect(landed.headers.get("location")).toBe("https://app.test/in")
    expect(landed.headers.getSetCookie().some((cookie) => cookie.startsWith(sessionCookie))).toBe(true)
  })

  it("emails a link", async () => {
    const { host, settings, caller } = open()
    const { url } = await signIn(caller(), settings, { providerId: "email", fields: { email: "grace@example.com" } })
    expect(url).toMatch(/^https:\/\/app\.test\/auth\/verify-request\?/)
    expect(host.mailbox.lastLinkTo("grace@example.com")).toContain("callbackUrl")
  })

  it.each([
    ["without a provider", undefined],
    ["with an unknown one", "nobody"],
    ["with a name that every object has", "__proto__"],
  ])("%s leads to the page where the visitor chooses one", async (_, providerId) => {
    const { settings, caller } = open()
    const { url, cookies } = await signIn(caller(), settings, { providerId, redirectTo: "/in" })
    expect([url, cookies]).toEqual(["https://app.test/auth/signin?callbackUrl=%2Fin", []])
    const own = settingsOf({ ...settings.config, pages: { signIn: "/login?a=1" } }, { env: {} })
    expect((await signIn(caller(), own, { providerId })).url).toBe("/login?a=1&callbackUrl=%2F")
  })

  it("leads from the request of a mail to the app's own page, not to the endpoint that redirects there", async () => {
    const { settings, caller } = open({ pages: { verifyRequest: "/check?step=2#code" } })
    const { url } = await signIn(caller(), settings, { providerId: "email", fields: { email: "a@corp.test" } })
    expect(url).toBe("/check?step=2&provider=email&type=email#code")
  })

  it("leads back to the page that asked, and to no page of another site", async () => {
    const { settings, caller } = open()
    const own = caller({ referer: "https://app.test/shop?item=1" })
    const wish = { providerId: "cred", fields: right }
    expect((await signIn(own, settings, wish)).url).toBe("https://app.test/shop?item=1")
    const again = caller({ referer: "https://app.test/login?a=b%20c&error=CredentialsSignin" })
    expect((await signIn(again, settings, wish)).url).toBe("https://app.test/login?a=b+c")
    for (const referer of ["https://evil.test/x", "not an address"])
      expect((await signIn(caller({ referer }), settings, wish)).url).toBe("https://app.test/")
  })

  it("leads from the app's own sign-in page to the page that the visitor came from, not back to the form", async () => {
    const { settings, caller } = open({ pages: { signIn: "/login?theme=1" } })
    const wish = { providerId: "cred", fields: right }
    const from = async (path: string) =>
      (await signIn(caller({ referer: `https://app.test${path}` }), settings, wish)).url
    expect(await from("/login?callbackUrl=%2Finbox&error=CredentialsSignin")).toBe("https://app.test/inbox")
    expect(await from("/login")).toBe("https://app.test/")
    expect(await from("/login?callbackUrl=https%3A%2F%2Fevil.test")).toBe("https://app.test")
    expect(await from("/login/help")).toBe("https://app.test/login/help")
  })

  it("URL-01: never redirects to another site, for any form", async () => {
    const { settings, caller } = open()
    const wish = { providerId: "cred", fields: { ...right, callbackUrl: "https://evil.test" } }
    expect((await signIn(caller(), settings, wish)).url).toBe("https://app.test/")
    const redirected = { ...wish, redirectTo: "https://evil.test" }
    expect((await signIn(caller(), settings, redirected)).url).toBe("https://app.test")
  })

  it("RATE-01: counts on the budgets of the endpoints", async () => {
    const { settings, caller } = open({ rateLimit: { budgets: { callback: { limit: 2, windowSeconds: 60 } } } })
    const context = { clientAddress: "192.0.2.1" }
    const endpoint = new Request("https://app.test/auth/callback/oidc?code=a&state=b")
    await Auth(endpoint, settings.config, context)
    const visitor = { ...caller(), context }
    const wish = { providerId: "cred", fields: right }
    await signIn(visitor, settings, wish)
    await expect(signIn(visitor, settings, wish)).rejects.toBeInstanceOf(TooManyRequests)
  })
})

describe("reading the session", () => {
  it("does not mistake an error for a session, and shows pages as signed out", async () => {
    const { settings, caller } = open()
    const broken: Settings = { ...settings, config: { ...settings.config, secret: "" } }
    await expect(readSession(caller(), broken)).rejects.toThrow(/could not be read/)
  })

  it("HOST-01: believes no host that is none, and says so in the log", async () => {
    const { host, settings, caller } = open()
    const visitor = caller({ host: "app.test/evil" })
    await expect(readSession(visitor, settings)).rejects.toBeInstanceOf(UntrustedHost)
    expect(loggedTypes(host)).toEqual(["UntrustedHost"])
  })

  it("renews the session's cookie where it is due", async () => {
    const request = open({ session: { strategy: "jwt", maxAge: 1_000 } })
    await signInAsV(request)
    const { cookies } = await readSession(request.caller(), request.settings)
    expect(cookies.map(({ name }) => name)).toEqual([sessionCookie])
  })

  it("gives it as every client gets it", async () => {
    const request = open({
      callbacks: { session: ({ session }) => Object.assign(session, { at: new Date(0), hidden: undefined }) },
    })
    await signInAsV(request)
    const { session } = await readSession(request.caller(), request.settings)
    expect(session).toMatchObject({ at: "1970-01-01T00:00:00.000Z" })
    expect(session).not.toHaveProperty("hidden")
  })
})

describe("updating the session", () => {
  it("hands the app's data to its callbacks, and answers the new session with its cookie", async () => {
    const request = open({
      callbacks: {
        jwt: ({ token, trigger, session }) => (trigger === "update" ? { ...token, name: Object(session).name } : token),
      },
    })
    await signInAsV(request)
    const { session, cookies } = await updateSession(request.caller(), request.settings, { name: "W" })
    expect(session?.user?.name).toBe("W")
    request.browser.keep(cookies)
    expect((await readSession(request.caller(), request.settings)).session?.user?.name).toBe("W")
  })

  it("returns null when signed out", async () => {
    const { settings, caller } = open()
    expect((await updateSession(caller(), settings, { name: "W" })).session).toBeNull()
  })
})

describe("the settings", () => {
  const env = { AUTH_SECRET: "a secret of at least thirty-two characters" }

  it("are one object for a configuration, so that it is resolved once, and new ones for another environment", () => {
    const config = { providers: [] }
    const settings = settingsOf(config, { env })
    expect(settingsOf(config, { env })).toBe(settings)
    expect(settingsOf(config, { env: { ...env } })).not.toBe(settings)
    expect(config).toEqual({ providers: [] })
  })

  it.each([
    ["what the framework is used to", {}, undefined, "/api/auth"],
    ["the path of AUTH_URL over that", { AUTH_URL: "https://app.test/shop/auth" }, undefined, "/shop/auth"],
    ["the configuration over both", { AUTH_URL: "https://app.test/shop/auth" }, "/own", "/own"],
  ])("say where the actions are: %s", (_, more, basePath, expected) => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined)
    const config = { providers: [], ...(basePath && { basePath }) }
    const settings = settingsOf(config, { env: { ...env, ...more }, defaultBasePath: "/api/auth" })
    expect([settings.basePath, settings.config.basePath]).toEqual([expected, expected])
  })
})

it("settingsOf notices that the app wrote to its configuration", () => {
  const config: { providers: []; secret: string } = {
    providers: [],
    secret: "a secret of the first tenant, long enough",
  }
  const env = {}
  const first = settingsOf(config, { env })
  expect(settingsOf(config, { env })).toBe(first)
  config.secret = "a secret of the second tenant, long enough"
  expect(settingsOf(config, { env }).config.secret).toBe(config.secret)
})

describe.each(["jwt", "database"] as const)("the code of a mail on the server, with %s sessions", (strategy) => {
  const providers = [testEmail({ code: true })]
  const wish = (fields: Readonly<Record<string, string>>) => ({ providerId: "email", fields, redirectTo: "/in" })

  it("completes the sign-in where the mail was asked for, and throws CodeWrong for a wrong one", async () => {
    const { host, settings, browser, caller } = open({ session: { strategy }, adapter: memoryAdapter(), providers })
    browser.keep((await signIn(caller(), settings, wish({ email: "grace@example.com" }))).cookies)
    await expect(signIn(caller(), settings, wish({ code: "no code" }))).rejects.toMatchObject({ type: "CodeWrong" })
    const { url, cookies } = await signIn(caller(), settings, wish({ code: host.mailbox.lastCode() }))
    browser.keep(cookies)
    expect(url).toBe("https://app.test/in")
    expect((await readSession(caller(), settings)).session?.user?.email).toBe("grace@example.com")
  })

  it("begins a sign-in for a form with an address, whatever its own field code holds", async () => {
    const { host, settings, caller } = open({ session: { strategy }, adapter: memoryAdapter(), providers })
    const { url } = await signIn(caller(), settings, wish({ email: "grace@example.com", code: "INVITE" }))
    expect([url.includes("/verify-request"), host.mailbox.messages.length]).toEqual([true, 1])
  })
})
