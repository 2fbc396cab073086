import { skipCSRFCheck } from "@latchkey/core"
import { providerLogout } from "@latchkey/core/provider-logout"
import Passkey from "@latchkey/core/providers/passkey"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import { memoryAdapter, type TestHost, type TestHostOptions, testEmail, testHost } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type AuthClient, AuthClientError, createAuthClient } from "../src/index.js"
import { PasskeyError } from "../src/webauthn/index.js"
import { openPage, password, type TestPage, unreachable, validLogin } from "./page.js"

// The client against the real service.

let host: TestHost
let page: TestPage
let client: AuthClient

function open(options: TestHostOptions = {}): void {
  host = testHost({ providers: [password()], ...options })
  page = openPage(host)
  client = createAuthClient()
}

beforeEach(() => open())
afterEach(() => vi.unstubAllGlobals())

const failureOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => "no error",
    (error: unknown) => (error instanceof AuthClientError ? [error.code, error.status] : error),
  )

const html = (status: number) => () =>
  new Response("<h1>Hello</h1>", { status, headers: { "content-type": "text/html" } })

describe("signIn with credentials", () => {
  it("returns the error of a wrong password and stays on the page", async () => {
    const response = await client.signIn("credentials", { ...validLogin, password: "wrong" })
    expect(response).toEqual({
      error: "CredentialsSignin",
      code: "credentials",
      status: 200,
      ok: true,
      url: null,
      next: null,
    })
    expect(page.assign).not.toHaveBeenCalled()
    expect(await client.getSession()).toBeNull()
  })

  it("navigates to the sign-in page with the error by default", async () => {
    expect(await client.signIn("credentials", { username: "ada", password: "wrong" })).toBeUndefined()
    const [target] = page.assign.mock.lastCall ?? []
    expect(target).toMatch(/^https:\/\/app\.test\/auth\/signin\?.*error=CredentialsSignin/)
  })

  it("returns the error of the rate limit", async () => {
    open({ rateLimit: { budgets: { callback: { limit: 1, windowSeconds: 60 } } } })
    openPage({ browser: host.newBrowser({ clientAddress: "192.0.2.7" }) })
    await client.signIn("credentials", { ...validLogin, password: "wrong" })
    expect(await client.signIn("credentials", validLogin)).toMatchObject({
      error: "TooManyRequests",
      status: 429,
      ok: false,
    })
  })

  it("does not navigate to a javascript: URL", async () => {
    page.answerWith(() => Response.json({ url: "javascript:alert(1)", csrfToken: "t" }))
    expect(await failureOf(client.signIn("credentials", { username: "ada" }))).toEqual(["unavailable", 200])
    expect(page.assign).not.toHaveBeenCalled()
  })

  it("throws if the service is unreachable or another server responds", async () => {
    page.answerWith(unreachable)
    expect(await failureOf(client.signIn("credentials", validLogin))).toEqual(["network", undefined])
    page.answerWith(html(502))
    expect(await failureOf(client.signIn("credentials", validLogin))).toEqual(["unavailable", 502])
  })

  it("signs in and stays on the page with two requests", async () => {
    const answer = await client.signIn("credentials", { ...validLogin, redirectTo: "/in" })
    expect(answer).toEqual({
      error: undefined,
      code: undefined,
      status: 200,
      ok: true,
      url: "https://app.test/in",
      next: null,
    })
    expect(page.requests).toEqual(["GET /auth/csrf", "POST /auth/callback/credentials"])
    expect((await client.getSession())?.user?.name).toBe("Ada Lovelace")
  })

  it.each([
    [{ redirectTo: "/in" }, "https://app.test/in"],
    [{ callbackUrl: "/older-name" }, "https://app.test/older-name"],
    [{ callbackUrl: "/older-name", redirectTo: "/in" }, "https://app.test/in"],
    [{}, "https://app.test/page"],
  ])("navigates according to %j", async (options, target) => {
    const { username, password } = validLogin
    expect(await client.signIn("credentials", { username, password, ...options })).toBeUndefined()
    expect(page.assign).toHaveBeenCalledExactlyOnceWith(target)
  })

  it("signs in with a credentials provider of another id and lists the providers once", async () => {
    open({ providers: [password("staff"), password("constructor")] })
    expect(await client.signIn("staff", validLogin)).toMatchObject({ error: undefined, url: "https://app.test/page" })
    expect((await client.getSession())?.user?.name).toBe("Ada Lovelace")
    expect(await client.signIn("staff", { ...validLogin, password: "wrong" })).toMatchObject({
      error: "CredentialsSignin",
    })
    expect(await client.signIn("constructor", validLogin)).toMatchObject({ error: undefined })
    expect(page.count("GET /auth/providers")).toBe(1)
  })

  it("lists the providers again after a failed request", async () => {
    open({ providers: [password("staff")] })
    page.answerWith(unreachable)
    expect(await failureOf(client.signIn("staff", validLogin))).toEqual(["network", undefined])
    page.answerWith(undefined)
    expect(await client.signIn("staff", validLogin)).toMatchObject({ error: undefined })
  })

  it("uses a given CSRF token and sends only values that a form can hold", async () => {
    const authorize = vi.fn(() => ({ id: "1815" }))
    open({ providers: [{ ...password(), authorize }] })
    const csrfToken = (await client.getCsrfToken()) ?? ""
    const fields = { attempt: 2, remember: true, nothing: undefined, file: {}, csrfToken, redirect: false } as const
    expect(await client.signIn("credentials", fields)).toMatchObject({ error: undefined })
    expect(page.count("GET /auth/csrf")).toBe(1)
    expect(authorize.mock.calls).toEqual([[{ attempt: "2", remember: "true" }, expect.anything()]])
  })
})

describe("what is missing after signIn", () => {
  const stay = { redirectTo: "/in?type=email&provider=email", redirect: false } as const

  it("is nothing when the user is signed in, and after an error", async () => {
    expect((await client.signIn("credentials", { ...validLogin, ...stay })).next).toBeNull()
    expect((await client.signIn("credentials", { ...validLogin, ...stay, password: "wrong" })).next).toBeNull()
    expect((await client.signOut(stay)).next).toBeNull()
  })

  it("is a redirect with a provider that has its own pages, and on the sign-in page", async () => {
    open({ providers: ({ idp }) => [idp.provider()] })
    expect(await client.signIn("oidc", stay)).toMatchObject({ error: undefined, next: "redirect" })
    expect(await client.signIn(undefined, stay)).toMatchObject({ error: undefined, next: "redirect" })
  })

  it.each([{}, { pages: { verifyRequest: "/look-in-your-mail" } }])(
    "is an email with an email provider: %j",
    async (changes) => {
      open({ providers: [testEmail()], ...changes })
      expect(await client.signIn("email", { email: "ada@example.com", ...stay })).toMatchObject({ next: "email" })
    },
  )

  it.each([
    ["/auth", "/auth"],
    ["/caf\u00e9", "/caf%C3%A9"],
  ])("is a second factor for a user who has or needs one, at %s", async (basePath, encoded) => {
    const adapter = memoryAdapter()
    const { id } = await adapter.createUser({ id: "1815", email: "ada@example.com", emailVerified: new Date() })
    const own = { ...password(), authorize: () => ({ id, email: "ada@example.com" }) }
    open({
      adapter,
      basePath: encoded,
      providers: [own],
      session: { strategy: "jwt", track: trackSessions() },
      secondFactors: secondFactors({ factors: [totp(), recoveryCodes()], require: "always" }),
    })
    const ownClient = createAuthClient({ basePath })
    const { next, url } = await ownClient.signIn("credentials", { ...validLogin, ...stay })
    expect([next, url]).toEqual(["second-factor", `https://app.test${encoded}/second-factor`])
    expect(await ownClient.getSession()).toBeNull()
  })
})

describe("a wrong base path", () => {
  it("is asked about in the error of a 404", async () => {
    const elsewhere = createAuthClient({ basePath: "/elsewhere" })
    page.answerWith(html(404))
    await expect(elsewhere.getSession()).rejects.toThrow("Unexpected response with status 404. Is basePath right?")
    page.answerWith(html(502))
    await expect(elsewhere.getSession()).rejects.toThrow(/status 502$/)
  })
})

describe("submitCode", () => {
  const email = "ada@example.com"
  beforeEach(async () => {
    open({ providers: [testEmail({ code: true })] })
    await client.signIn("email", { email, redirectTo: "/in", redirect: false })
  })
  const wrong = () => String((Number(host.mailbox.lastCode()) + 1) % 1_000_000).padStart(6, "0")

  it("signs in where the mail was asked for, and goes where the sign-in began for", async () => {
    expect(await client.submitCode("email", host.mailbox.lastCode())).toBeUndefined()
    expect(page.assign.mock.calls).toEqual([["https://app.test/in"]])
    expect((await client.getSession())?.user?.email).toBe(email)
  })

  it("returns whether another guess is left to a caller that stays on the page", async () => {
    const results = []
    for (let n = 0; n < 6; n++) results.push(await client.submitCode("email", wrong(), { redirect: false }))
    expect(results.map(({ error, ok, url }) => [error, ok, url])).toEqual([
      ...Array(4).fill(["CodeWrong", true, null]),
      ...Array(2).fill(["Verification", true, null]),
    ])
    expect(await client.getSession()).toBeNull()
  })

  it("tells this client and other tabs of the new session, and of none after a wrong code", async () => {
    const changes: unknown[] = []
    client.onSessionChange((change) => changes.push(change))
    await client.submitCode("email", wrong(), { redirect: false })
    expect(changes).toEqual([])
    await client.submitCode("email", host.mailbox.lastCode(), { redirect: false })
    expect(changes).toHaveLength(1)
  })

  it("throws if the service cannot be reached", async () => {
    vi.stubGlobal("fetch", async () => unreachable())
    expect(await failureOf(client.submitCode("email", "123456"))).toEqual(["network", undefined])
  })
})

describe("signIn with other providers", () => {
  it.each(["unknown", "constructor"])("goes to the sign-in page for a provider that is not listed: %s", async (id) => {
    expect(await client.signIn(id, { redirectTo: "/in" })).toBeUndefined()
    expect(page.assign.mock.calls).toEqual([["https://app.test/auth/signin?callbackUrl=%2Fin"]])
  })

  it("returns the error of an unknown provider to a caller that stays on the page", async () => {
    expect(await client.signIn("unknown", { redirect: false })).toMatchObject({ error: "Configuration", url: null })
    expect((await client.getProviders())["unknown"]).toBeUndefined()
  })

  it.each(["passkey", "key"])("asks the browser for a passkey with a passkey provider named %s", async (id) => {
    open({ providers: [Passkey({ id })], adapter: memoryAdapter() })
    await expect(client.signIn(id, { redirect: false })).rejects.toBeInstanceOf(PasskeyError)
    expect(page.requests.filter((request) => request.startsWith("POST"))).toEqual([])
    expect(page.count("GET /auth/providers")).toBe(id === "passkey" ? 0 : 1)
  })

  it("sends the browser to the identity provider with the given parameters, and back", async () => {
    open({ providers: ({ idp }) => [idp.provider()] })
    await client.signIn("oidc", { redirectTo: "/in" }, { login_hint: "ada@example.com" })
    const [target = ""] = page.assign.mock.lastCall ?? []
    expect(new URL(target).origin).toBe(host.idp.origin)
    expect(new URL(target).searchParams.get("login_hint")).toBe("ada@example.com")
    expect((await host.browser.open(target)).url.href).toBe("https://app.test/in")
    expect((await client.getSession())?.user?.name).toBe("Ada Lovelace")
  })

  it("sends an email and stays on the page", async () => {
    open({ providers: [testEmail()] })
    const answer = await client.signIn("email", { email: "ada@example.com", redirect: false, redirectTo: "/in" })
    expect(answer).toMatchObject({ error: undefined, ok: true })
    expect(new URL(answer.url ?? "").pathname).toBe("/auth/verify-request")
    expect((await host.browser.open(host.mailbox.lastLink())).url.href).toBe("https://app.test/in")
    expect((await client.getSession())?.user?.email).toBe("ada@example.com")
  })

  it.each([[undefined], [""]])("navigates to the sign-in page if the provider is %j", async (provider) => {
    await client.signIn(provider, { callbackUrl: "/in" }, { error: "SessionRequired" })
    const [target = ""] = page.assign.mock.lastCall ?? []
    expect(page.requests).toEqual([])
    const shown = await host.browser.open(target)
    expect([shown.url.pathname, shown.status]).toEqual(["/auth/signin", 200])
    expect(Object.fromEntries(shown.url.searchParams)).toEqual({ error: "SessionRequired", callbackUrl: "/in" })
  })

  it("returns the URL of the sign-in page with redirect: false", async () => {
    const { url } = await client.signIn(undefined, { redirect: false })
    expect(url).toBe(`https://app.test/auth/signin?${new URLSearchParams({ callbackUrl: "https://app.test/page" })}`)
    expect(page.assign).not.toHaveBeenCalled()
  })
})

describe("signOut", () => {
  beforeEach(() => client.signIn("credentials", validLogin))

  it("throws and keeps the session if the service is unreachable", async () => {
    page.answerWith(unreachable)
    expect(await failureOf(client.signOut())).toEqual(["network", undefined])
    expect(page.assign).not.toHaveBeenCalled()
    page.answerWith(undefined)
    expect(await client.getSession()).not.toBeNull()
  })

  it("returns the error of a rejected form and keeps the session", async () => {
    const answer = await client.signOut({ redirect: false, csrfToken: "forged" })
    expect(answer).toMatchObject({ error: "MissingCSRF", url: null })
    expect(await client.getSession()).not.toBeNull()
  })

  it("ends the session and navigates to redirectTo", async () => {
    expect(await client.signOut({ redirectTo: "/bye" })).toBeUndefined()
    expect(page.assign).toHaveBeenCalledExactlyOnceWith("https://app.test/bye")
    expect(await client.getSession()).toBeNull()
  })

  it("ends the session and stays on the page", async () => {
    expect(await client.signOut({ redirect: false })).toMatchObject({ error: undefined, url: "https://app.test/page" })
    expect(page.assign).not.toHaveBeenCalled()
    expect(await client.getSession()).toBeNull()
  })
})

describe("signOut with atProvider", () => {
  it.each([
    [{ atProvider: true }, /^https:\/\/idp\.test\/logout\?id_token_hint=/],
    [{}, /^https:\/\/app\.test\/page$/],
  ])("with %j ends the session and navigates to %s", async (options, target) => {
    open({ providers: ({ idp }) => [idp.provider()], providerLogout: providerLogout() })
    await host.browser.signIn("oidc")
    expect(await client.signOut(options)).toBeUndefined()
    expect(page.assign).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(target))
    expect(await client.getSession()).toBeNull()
  })
})

describe("getSession", () => {
  it.each([
    ["an HTML page", html(200), 200],
    ["a string", () => Response.json("signed in"), 200],
    ["an array", () => Response.json([{ user: {} }]), 200],
    ["an empty object", () => Response.json({}), 200],
    [
      "a session with another status",
      () => Response.json({ user: { name: "Ada" }, expires: "2099" }, { status: 203 }),
      203,
    ],
    ["null with another status", () => Response.json(null, { status: 500 }), 500],
    ["an error of the service", () => Response.json({ message: "Server error" }, { status: 500 }), 500],
    ["that the session is unknown", () => Response.json(null, { headers: { "latchkey-session": "unknown" } }), 503],
  ])("throws if the response is %s", async (_, answer, status) => {
    page.answerWith(answer)
    expect(await failureOf(client.getSession())).toEqual(["unavailable", status])
  })

  it("throws if the service is unreachable and names the path", async () => {
    page.answerWith(unreachable)
    await expect(client.getSession()).rejects.toThrow("Could not reach the service at /auth/session")
  })
})

describe("updateSession", () => {
  beforeEach(async () => {
    open({ callbacks: { jwt: ({ token, session }) => (session ? { ...token, ...session } : token) } })
    await client.signIn("credentials", validLogin)
  })

  it("throws if the service rejects the update", async () => {
    const withoutCsrf = createAuthClient({ csrf: false })
    expect(await failureOf(withoutCsrf.updateSession({ name: "Mallory" }))).toEqual(["refused", 400])
    expect((await client.getSession())?.user?.name).toBe("Ada Lovelace")
  })

  it("passes data to the callbacks and returns the updated session", async () => {
    expect((await client.updateSession({ name: "Countess Ada 🔑" }))?.user?.name).toBe("Countess Ada 🔑")
    expect((await client.getSession())?.user?.name).toBe("Countess Ada 🔑")
  })

  it("returns null if the session has ended", async () => {
    host.browser.cookies.clear()
    expect(await client.updateSession({ name: "Ada" })).toBeNull()
  })

  it("requests the session if there is no data", async () => {
    page.requests.length = 0
    expect((await client.updateSession())?.user?.name).toBe("Ada Lovelace")
    expect(page.requests).toEqual(["GET /auth/session"])
  })
})

describe("getProviders and getCsrfToken", () => {
  it("lists the providers", async () => {
    expect(await client.getProviders()).toEqual({
      credentials: {
        id: "credentials",
        name: "Password",
        type: "credentials",
        signinUrl: "https://app.test/auth/signin/credentials",
        callbackUrl: "https://app.test/auth/callback/credentials",
      },
    })
  })

  it.each([
    ["getProviders", html(200), 200],
    ["getProviders", () => Response.json([]), 200],
    ["getProviders", () => Response.json({ message: "Server error" }, { status: 500 }), 500],
    ["getCsrfToken", html(200), 200],
    ["getCsrfToken", html(500), 500],
  ] as const)("%s throws on an invalid response", async (name, answer, status) => {
    page.answerWith(answer)
    expect(await failureOf(client[name]())).toEqual(["unavailable", status])
  })

  it("returns no CSRF token if the check is off, and signs in without one", async () => {
    open({ skipCSRFCheck })
    expect(await client.getCsrfToken()).toBeUndefined()
    expect(await client.signIn("credentials", validLogin)).toMatchObject({ error: undefined })
    expect(await client.getSession()).not.toBeNull()
  })

  it("requests no CSRF token with csrf: false", async () => {
    const withoutCsrf = createAuthClient({ csrf: false })
    expect(await withoutCsrf.getCsrfToken()).toBeUndefined()
    expect(await withoutCsrf.signIn("credentials", validLogin)).toMatchObject({ error: "MissingCSRF" })
    expect(page.requests).toEqual(["POST /auth/callback/credentials"])
  })
})

describe("createAuthClient", () => {
  beforeEach(() => open({ basePath: "/api/auth" }))

  it("takes null for an option that is not set, as JavaScript apps write it", async () => {
    const unset = null as unknown as undefined
    const client = createAuthClient({ basePath: unset, baseUrl: unset, csrf: unset })
    await expect(client.getSession()).rejects.toThrow("Unexpected response")
    expect(page.requests).toEqual(["GET /auth/session"])
  })

  it.each(["/api/auth", "/api/auth/", "https://app.test/api/auth"])("sends requests below %s", async (basePath) => {
    expect(await createAuthClient({ basePath }).getSession()).toBeNull()
    expect(page.requests).toEqual(["GET /api/auth/session"])
  })

  it("sends requests with cookies to another origin, with a custom fetch and without a page", async () => {
    vi.unstubAllGlobals()
    const send = vi.fn(async (address: string | URL | Request, _: RequestInit = {}) =>
      String(address).endsWith("/csrf") ? Response.json({ csrfToken: "t0ken" }) : Response.json({ url: "/in" }),
    )
    const client = createAuthClient({ baseUrl: "https://api.test/", basePath: "/auth", fetch: send })
    const { url } = await client.signIn("credentials", { username: "ada", redirect: false })
    expect(url).toBe("https://api.test/in")
    const [[, csrf], [address, init]] = send.mock.calls as [[string, RequestInit], [string, RequestInit]]
    expect([csrf.credentials, init.credentials, address]).toEqual([
      "include",
      "include",
      "https://api.test/auth/callback/credentials",
    ])
    expect(String(init.body)).toBe("username=ada&csrfToken=t0ken")
    expect(new Headers(init.headers).get("x-auth-return-redirect")).toBe("1")
  })

  it("encodes the provider id as one path segment", async () => {
    await createAuthClient({ basePath: "/api/auth" }).signIn("a/../key?", { redirect: false })
    expect(page.requests).toContain("POST /api/auth/signin/a%2F..%2Fkey%3F")
  })
})
