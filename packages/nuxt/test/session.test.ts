import { type IncomingMessage, request } from "node:http"
import { testSessionFunctions } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import type { NuxtAuth } from "../src/config/index.js"
import { ada, html, right, startApp, testConfig, visit } from "./app.js"

type UserAuth = ReturnType<NuxtAuth["getAuth"]>

describe("getSession", () => {
  it("reads the session once for each request, and renews its cookie with one header", async () => {
    let reads = 0
    const callbacks = { session: <S>({ session }: { session: S }) => ({ ...session, count: ++reads }) }
    const origin = await startApp(testConfig({ callbacks }), {
      "/": ({ getAuth }, event) => Promise.all([getAuth(event).getSession(), getAuth(event).getSession()]),
    })
    const browser = visit(origin)
    await browser.signIn("credentials", right)
    reads = 0
    const response = await browser.fetch("/")
    expect(await response.json()).toMatchObject([{ user: ada }, { user: ada }])
    expect([reads, response.headers.getSetCookie()]).toEqual([1, [expect.stringContaining("authjs.session-token=")]])
  })

  it("returns null when signed out and for a forged cookie, which it clears", async () => {
    const origin = await startApp(testConfig(), {
      "/": async ({ getAuth }, event) => ({ session: await getAuth(event).getSession() }),
    })
    const signedOut = await fetch(origin)
    expect([await signedOut.json(), signedOut.headers.getSetCookie()]).toEqual([{ session: null }, []])
    const forged = await fetch(origin, { headers: { cookie: "authjs.session-token=forged" } })
    expect(await forged.json()).toEqual({ session: null })
    expect(forged.headers.getSetCookie().join()).toContain("Max-Age=0")
  })
})

/** Sends a target as it is, which `fetch` would resolve. */
function askRaw(origin: string, path: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: html }, (answer) => resolve(answer.resume()))
      .on("error", reject)
      .end()
  })
}

describe("guard", () => {
  const guarded = (changes: Parameters<typeof testConfig>[0] = {}) =>
    startApp(testConfig(changes), {
      "/**": async ({ getAuth }, event) => (await getAuth(event).guard()) ?? { path: event.path },
    })
  const ask = (url: string, init: RequestInit = {}) => fetch(url, { redirect: "manual", ...init })

  it("redirects a page load to the sign-in page, and lets the user pass", async () => {
    const origin = await guarded()
    const response = await ask(`${origin}/private?tab=1`, { headers: html })
    expect([response.status, response.headers.get("location")]).toEqual([
      ...[303, "/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1"],
    ])
    const browser = visit(origin)
    await browser.signIn("credentials", right)
    expect(await (await browser.fetch("/private")).json()).toEqual({ path: "/private" })
  })

  it.each([
    ["accepting JSON", "GET", { accept: "application/json" }],
    ["accepting anything", "GET", { accept: "*/*" }],
    ["posting a form", "POST", html],
  ])("answers a client %s with 401", async (_, method, headers) => {
    const response = await ask(`${await guarded()}/private`, { method, headers })
    expect([response.status, await response.json()]).toEqual([401, { message: "Sign in to continue." }])
  })

  it.each([
    { "x-original-url": "/auth/signin" },
    { "x-forwarded-uri": "/auth/signin", "x-forwarded-prefix": "/auth" },
    { "x-http-method-override": "OPTIONS", "x-matched-path": "/auth/signin" },
  ])("CONF-02: is not bypassed by %j", async (headers) => {
    const origin = await guarded()
    expect((await ask(`${origin}/private`, { headers })).status).toBe(401)
    expect((await ask(`${origin}/private`, { headers: { ...html, ...headers } })).status).toBe(303)
  })

  it.each([
    ["/private/../login"],
    ["/private/%2e%2e/login"],
    ["/private/.%2E/login?x"],
    ["/private/..%5clogin"],
    ["/private\\..\\login"],
    ["/login/../private"],
  ])("CONF-02: is not bypassed by the spelling %s of the sign-in page", async (path) => {
    const origin = await guarded({ pages: { signIn: "/login" } })
    const { statusCode, headers } = await askRaw(origin, path)
    expect([statusCode, headers.location]).toEqual([303, `/login?${new URLSearchParams({ callbackUrl: path })}`])
  })

  it.each([{ secret: "" }, { trustHost: false }, { allowedOrigins: ["https://other.test"] }])(
    "CONF-01: passes no request when the session cannot be read (%j)",
    async (changes) => {
      const headers = { ...html, cookie: "authjs.session-token=x; __Secure-authjs.session-token=x" }
      const response = await ask(`${await guarded(changes)}/private`, { headers })
      expect([response.status, (await response.json()).data]).toEqual([
        500,
        expect.stringContaining("could not be read"),
      ])
    },
  )

  it("lets requests for the app's own sign-in page through", async () => {
    const origin = await guarded({ pages: { signIn: "/login" } })
    expect((await ask(`${origin}/private`, { headers: html })).headers.get("location")).toBe(
      "/login?callbackUrl=%2Fprivate",
    )
    expect((await ask(`${origin}/login`, { headers: html })).status).toBe(200)
  })
})

describe("The functions for a signed-in user in Nuxt", () => {
  testSessionFunctions(async ({ config, headers }) => {
    let setCookies: readonly string[] = []
    const running: { run?: (auth: UserAuth) => Promise<unknown>; result?: Promise<unknown> | undefined } = {}
    const origin = await startApp(config, {
      "/": async ({ getAuth }, event) => {
        running.result = running.run?.(getAuth(event))
        await Promise.allSettled([running.result])
        return "done"
      },
    })
    /** Calls a function in a server route. */
    async function inRoute<Result>(run: (auth: UserAuth) => Promise<Result>): Promise<Result> {
      running.run = run
      const response = await fetch(origin, { headers, redirect: "manual" })
      setCookies = response.headers.getSetCookie()
      return (await running.result) as Result // The result of `run`.
    }
    return {
      setCookies: () => setCookies,
      listSessions: () => inRoute((auth) => auth.listSessions()),
      endSession: (id) => inRoute((auth) => auth.endSession(id)),
      endOtherSessions: () => inRoute((auth) => auth.endOtherSessions()),
      signOutEverywhere: (userId) => inRoute((auth) => auth.signOutEverywhere(userId)),
      requireFresh: (options) => inRoute((auth) => auth.requireFresh(options)),
      getAccessToken: (options) => inRoute((auth) => auth.getAccessToken(options)),
    }
  })
})
