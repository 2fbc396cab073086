import { type IncomingMessage, request } from "node:http"
import { publicCaching, testGuard } from "@latchkey/testkit/integration"
import { setResponseHeaders } from "h3"
import { describe, expect, it } from "vitest"
import { ada, html, right, startApp, testConfig, visit } from "./app.js"

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

  it("SESS-04: renews no session for Nuxt's error page, whose cookies follow those of the request that failed", async () => {
    const origin = await startApp(testConfig(), {
      "/__nuxt_error": ({ getAuth }, event) => getAuth(event).getSession(),
    })
    const browser = visit(origin)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/__nuxt_error?statusCode=500")
    expect([await response.json(), response.headers.getSetCookie()]).toEqual([
      expect.objectContaining({ user: ada }),
      [],
    ])
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
      "/**": async ({ getAuth, requireAuth }, event) => {
        setResponseHeaders(event, publicCaching)
        return (await requireAuth(event)) ?? { session: await getAuth(event).getSession() }
      },
    })

  testGuard({ start: guarded, failure: [500, "could not be read"] })

  it.each([
    ["/private/../login"],
    ["/private/%2e%2e/login"],
    ["/private/.%2E/login?x"],
    ["/private/..%5clogin"],
    ["/private\\..\\login"],
    ["/login/../private"],
    ["/login#/private"],
  ])("CONF-02: is not bypassed by the spelling %s of the sign-in page", async (path) => {
    const origin = await guarded({ pages: { signIn: "/login" } })
    const { statusCode, headers } = await askRaw(origin, path)
    expect([statusCode, headers.location]).toEqual([303, `/login?${new URLSearchParams({ callbackUrl: path })}`])
  })
})
