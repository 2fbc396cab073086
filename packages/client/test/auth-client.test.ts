import { skipCSRFCheck } from "@latchkey/core"
import Passkey from "@latchkey/core/providers/passkey"
import { memoryAdapter, type TestHost, type TestHostOptions, testEmail, testHost } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type AuthClient, AuthClientError, createAuthClient } from "../src/index.js"
import { openPage, password, right, type TestPage, unreachable } from "./page.js"

// The client against the service itself, over plain requests.

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
  it("returns the service's refusal of a wrong password, and stays", async () => {
    const refusal = await client.signIn("credentials", { ...right, password: "wrong" })
    expect(refusal).toEqual({ error: "CredentialsSignin", code: "credentials", status: 200, ok: true, url: null })
    expect(page.assign).not.toHaveBeenCalled()
    expect(await client.getSession()).toBeNull()
  })

  it("goes to the page that shows the refusal, unless it is told to stay", async () => {
    expect(await client.signIn("credentials", { username: "ada", password: "wrong" })).toBeUndefined()
    const [target] = page.assign.mock.lastCall ?? []
    expect(target).toMatch(/^https:\/\/app\.test\/auth\/signin\?.*error=CredentialsSignin/)
  })

  it("returns a refusal that asks to wait", async () => {
    open({ rateLimit: { budgets: { callback: { limit: 1, windowSeconds: 60 } } } })
    openPage({ browser: host.newBrowser({ clientAddress: "192.0.2.7" }) })
    await client.signIn("credentials", { ...right, password: "wrong" })
    expect(await client.signIn("credentials", right)).toMatchObject({
      error: "TooManyRequests",
      status: 429,
      ok: false,
    })
  })

  it("sends nobody to an address that is a script", async () => {
    page.answerWith(() => Response.json({ url: "javascript:alert(1)", csrfToken: "t" }))
    expect(await failureOf(client.signIn("credentials", { username: "ada" }))).toEqual(["unavailable", 200])
    expect(page.assign).not.toHaveBeenCalled()
  })

  it("tells when the service cannot be reached, and when something else answers", async () => {
    page.answerWith(unreachable)
    expect(await failureOf(client.signIn("credentials", right))).toEqual(["network", undefined])
    page.answerWith(html(502))
    expect(await failureOf(client.signIn("credentials", right))).toEqual(["unavailable", 502])
  })

  it("signs in and stays, with two requests", async () => {
    const answer = await client.signIn("credentials", { ...right, redirectTo: "/in" })
    expect(answer).toEqual({ error: undefined, code: undefined, status: 200, ok: true, url: "https://app.test/in" })
    expect(page.asked).toEqual(["GET /auth/csrf", "POST /auth/callback/credentials"])
    expect((await client.getSession())?.user?.name).toBe("Ada Lovelace")
  })

  it.each([
    [{ redirectTo: "/in" }, "https://app.test/in"],
    [{ callbackUrl: "/older-name" }, "https://app.test/older-name"],
    [{ callbackUrl: "/older-name", redirectTo: "/in" }, "https://app.test/in"],
    [{}, "https://app.test/page"],
  ])("goes afterwards where %j says", async (options, target) => {
    const { username, password } = right
    expect(await client.signIn("credentials", { username, password, ...options })).toBeUndefined()
    expect(page.assign).toHaveBeenCalledExactlyOnceWith(target)
  })

  it("signs in with a provider of another name, and asks only once what it is", async () => {
    open({ providers: [password("staff"), password("constructor")] })
    expect(await client.signIn("staff", right)).toMatchObject({ error: undefined, url: "https://app.test/page" })
    expect((await client.getSession())?.user?.name).toBe("Ada Lovelace")
    expect(await client.signIn("staff", { ...right, password: "wrong" })).toMatchObject({ error: "CredentialsSignin" })
    expect(await client.signIn("constructor", right)).toMatchObject({ error: undefined })
    expect(page.count("GET /auth/providers")).toBe(1)
  })

  it("asks again what providers there are when it could not be told", async () => {
    open({ providers: [password("staff")] })
    page.answerWith(unreachable)
    expect(await failureOf(client.signIn("staff", right))).toEqual(["network", undefined])
    page.answerWith(undefined)
    expect(await client.signIn("staff", right)).toMatchObject({ error: undefined })
  })

  it("takes a token that is at hand, and sends what a form can hold", async () => {
    const authorize = vi.fn(() => ({ id: "1815" }))
    open({ providers: [{ ...password(), authorize }] })
    const csrfToken = (await client.getCsrfToken()) ?? ""
    const fields = { attempt: 2, remember: true, nothing: undefined, file: {}, csrfToken, redirect: false } as const
    expect(await client.signIn("credentials", fields)).toMatchObject({ error: undefined })
    expect(page.count("GET /auth/csrf")).toBe(1)
    expect(authorize.mock.calls).toEqual([[{ attempt: "2", remember: "true" }, expect.anything()]])
  })
})

describe("signIn with other providers", () => {
  it("returns the error of an unknown one", async () => {
    expect(await client.signIn("nobody", { redirect: false })).toMatchObject({ error: "Configuration", url: null })
    expect((await client.getProviders())["nobody"]).toBeUndefined()
  })

  it("names the function that knows passkeys", async () => {
    open({ providers: [Passkey()], experimental: { enableWebAuthn: true }, adapter: memoryAdapter() })
    const attempt = client.signIn("passkey", { redirect: false })
    await expect(attempt).rejects.toThrow("@latchkey/client/webauthn")
    expect(page.count("POST /auth/signin/passkey")).toBe(0)
  })

  it("sends the browser to the identity provider, with parameters for it, and back", async () => {
    open({ providers: ({ idp }) => [idp.provider()] })
    await client.signIn("oidc", { redirectTo: "/in" }, { login_hint: "ada@example.com" })
    const [target = ""] = page.assign.mock.lastCall ?? []
    expect(new URL(target).origin).toBe(host.idp.origin)
    expect(new URL(target).searchParams.get("login_hint")).toBe("ada@example.com")
    expect((await host.browser.open(target)).url.href).toBe("https://app.test/in")
    expect((await client.getSession())?.user?.name).toBe("Ada Lovelace")
  })

  it("sends a mail and stays", async () => {
    open({ providers: [testEmail()] })
    const answer = await client.signIn("email", { email: "ada@example.com", redirect: false, redirectTo: "/in" })
    expect(answer).toMatchObject({ error: undefined, ok: true })
    expect(new URL(answer.url ?? "").pathname).toBe("/auth/verify-request")
    expect((await host.browser.open(host.mailbox.lastLink())).url.href).toBe("https://app.test/in")
    expect((await client.getSession())?.user?.email).toBe("ada@example.com")
  })

  it.each([[undefined], [""]])("goes to the sign-in page with the provider %j", async (provider) => {
    await client.signIn(provider, { callbackUrl: "/in" }, { error: "SessionRequired" })
    const [target = ""] = page.assign.mock.lastCall ?? []
    expect(page.asked).toEqual([])
    const shown = await host.browser.open(target)
    expect([shown.url.pathname, shown.status]).toEqual(["/auth/signin", 200])
    expect(Object.fromEntries(shown.url.searchParams)).toEqual({ error: "SessionRequired", callbackUrl: "/in" })
  })

  it("tells the sign-in page's address instead, when it is to stay", async () => {
    const { url } = await client.signIn(undefined, { redirect: false })
    expect(url).toBe(`https://app.test/auth/signin?${new URLSearchParams({ callbackUrl: "https://app.test/page" })}`)
    expect(page.assign).not.toHaveBeenCalled()
  })
})

describe("signOut", () => {
  beforeEach(() => client.signIn("credentials", right))

  it("leaves the session alone when the service cannot be reached", async () => {
    page.answerWith(unreachable)
    expect(await failureOf(client.signOut())).toEqual(["network", undefined])
    expect(page.assign).not.toHaveBeenCalled()
    page.answerWith(undefined)
    expect(await client.getSession()).not.toBeNull()
  })

  it("returns a refusal, which ends nothing", async () => {
    const answer = await client.signOut({ redirect: false, csrfToken: "forged" })
    expect(answer).toMatchObject({ error: "MissingCSRF", url: null })
    expect(await client.getSession()).not.toBeNull()
  })

  it("ends the session and goes on", async () => {
    expect(await client.signOut({ redirectTo: "/bye" })).toBeUndefined()
    expect(page.assign).toHaveBeenCalledExactlyOnceWith("https://app.test/bye")
    expect(await client.getSession()).toBeNull()
  })

  it("ends the session and stays", async () => {
    expect(await client.signOut({ redirect: false })).toMatchObject({ error: undefined, url: "https://app.test/page" })
    expect(page.assign).not.toHaveBeenCalled()
    expect(await client.getSession()).toBeNull()
  })
})

describe("getSession", () => {
  it.each([
    ["a page", html(200), 200],
    ["a text", () => Response.json("signed in"), 200],
    ["a list", () => Response.json([{ user: {} }]), 200],
    ["an empty object", () => Response.json({}), 200],
    [
      "a session with another status",
      () => Response.json({ user: { name: "Ada" }, expires: "2099" }, { status: 203 }),
      203,
    ],
    ["null with another status", () => Response.json(null, { status: 500 }), 500],
    ["an error of the service", () => Response.json({ message: "Server error" }, { status: 500 }), 500],
  ])("takes %s neither for a session nor for nobody", async (_, answer, status) => {
    page.answerWith(answer)
    expect(await failureOf(client.getSession())).toEqual(["unavailable", status])
  })

  it("fails when the service cannot be reached, and says where it was looked for", async () => {
    page.answerWith(unreachable)
    await expect(client.getSession()).rejects.toThrow("The service could not be reached at /auth/session")
  })
})

describe("updateSession", () => {
  beforeEach(async () => {
    open({ callbacks: { jwt: ({ token, session }) => (session ? { ...token, ...session } : token) } })
    await client.signIn("credentials", right)
  })

  it("fails when the service refuses the update", async () => {
    const careless = createAuthClient({ csrf: false })
    expect(await failureOf(careless.updateSession({ name: "Mallory" }))).toEqual(["refused", 400])
    expect((await client.getSession())?.user?.name).toBe("Ada Lovelace")
  })

  it("hands data to the service's callbacks and returns what came of it", async () => {
    expect((await client.updateSession({ name: "Countess Ada 🔑" }))?.user?.name).toBe("Countess Ada 🔑")
    expect((await client.getSession())?.user?.name).toBe("Countess Ada 🔑")
  })

  it("returns null when nobody is signed in any more", async () => {
    host.browser.cookies.clear()
    expect(await client.updateSession({ name: "Ada" })).toBeNull()
  })

  it("only asks without data", async () => {
    page.asked.length = 0
    expect((await client.updateSession())?.user?.name).toBe("Ada Lovelace")
    expect(page.asked).toEqual(["GET /auth/session"])
  })
})

describe("getProviders and getCsrfToken", () => {
  it("lists what can be signed in with", async () => {
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
  ] as const)("%s fails on what the service never says", async (name, answer, status) => {
    page.answerWith(answer)
    expect(await failureOf(client[name]())).toEqual(["unavailable", status])
  })

  it("has no token where the check is off, and signs in without one", async () => {
    open({ skipCSRFCheck })
    expect(await client.getCsrfToken()).toBeUndefined()
    expect(await client.signIn("credentials", right)).toMatchObject({ error: undefined })
    expect(await client.getSession()).not.toBeNull()
  })

  it("asks for no token where the framework protects its forms", async () => {
    const own = createAuthClient({ csrf: false })
    expect(await own.getCsrfToken()).toBeUndefined()
    expect(await own.signIn("credentials", right)).toMatchObject({ error: "MissingCSRF" })
    expect(page.asked).toEqual(["POST /auth/callback/credentials"])
  })
})
