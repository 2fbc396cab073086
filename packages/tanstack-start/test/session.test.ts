import { testGuard, testSessionFunctions } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { getAuth, type UserAuth } from "../src/index.js"
import { ada, createApp, html, origin, right, testConfig, visit } from "./app.js"

describe("getSession", () => {
  it("is read once for all loaders and server functions of a request, and renews its cookie once", async () => {
    let reads = 0
    const callbacks = { session: <S>({ session }: { session: S }) => ({ ...session, count: ++reads }) }
    const app = createApp(testConfig({ callbacks }), {
      "/": async (auth, request) =>
        Response.json(await Promise.all([auth.getSession(), getAuth(request).getSession(), auth.getSession()])),
    })
    const browser = visit(app)
    await browser.signIn("credentials", right)
    reads = 0
    const response = await browser.fetch("/")
    expect(await response.json()).toMatchObject([{ user: ada }, { user: ada }, { user: ada }])
    expect([reads, response.headers.getSetCookie()]).toEqual([1, [expect.stringContaining("authjs.session-token=")]])
  })

  it("returns null when signed out and for a forged cookie, which it clears", async () => {
    const app = createApp(testConfig(), { "/": async (auth) => Response.json(await auth.getSession()) })
    const signedOut = await app(new Request(`${origin}/`))
    expect([await signedOut.json(), signedOut.headers.getSetCookie()]).toEqual([null, []])
    const forged = await app(new Request(`${origin}/`, { headers: { cookie: "authjs.session-token=forged" } }))
    expect(await forged.json()).toBeNull()
    expect(forged.headers.getSetCookie().join()).toContain("Max-Age=0")
  })

  it("throws without the middleware", () => {
    expect(() => getAuth(new Request(origin))).toThrow(/requestMiddleware/)
  })
})

describe("guard", () => {
  const guarded = (changes: Parameters<typeof testConfig>[0] = {}) => {
    const route = async (auth: UserAuth) => (await auth.guard()) ?? Response.json(await auth.getSession())
    return createApp(testConfig(changes), { "/private": route, "/login": route })
  }
  const get = (headers: Record<string, string>, path = "/private") => new Request(`${origin}${path}`, { headers })

  testGuard({
    async start(config) {
      const app = guarded(config)
      // TanStack Start answers an error of a route with 500.
      const handler = (request: Request) => app(request).catch((error) => new Response(String(error), { status: 500 }))
      return { origin, handler }
    },
    failure: [500, "could not be read"],
  })

  it("lets requests for the app's own sign-in page through", async () => {
    const app = guarded({ pages: { signIn: "/login" } })
    expect((await app(get(html))).headers.get("location")).toBe("/login?callbackUrl=%2Fprivate")
    expect((await app(get(html, "/login"))).status).toBe(200)
  })
})

describe("The functions for a signed-in user in TanStack Start", () => {
  testSessionFunctions(({ config, headers }) => {
    let setCookies: readonly string[] = []
    /** Calls a function in a server function. */
    async function inFunction<Result>(run: (auth: UserAuth) => Promise<Result>): Promise<Result> {
      const results: Promise<Result>[] = []
      const route = async (auth: UserAuth) => {
        results.push(run(auth))
        await Promise.allSettled(results)
        return new Response("done")
      }
      const response = await createApp(config, { "/": route })(new Request(`${origin}/`, { headers }))
      setCookies = response.headers.getSetCookie()
      const [result] = results
      if (!result) throw new Error("The app got no request")
      return result
    }
    return {
      setCookies: () => setCookies,
      listSessions: () => inFunction((auth) => auth.listSessions()),
      endSession: (id) => inFunction((auth) => auth.endSession(id)),
      endOtherSessions: () => inFunction((auth) => auth.endOtherSessions()),
      signOutEverywhere: (userId) => inFunction((auth) => auth.signOutEverywhere(userId)),
      requireFresh: (options) => inFunction((auth) => auth.requireFresh(options)),
      getAccessToken: (options) => inFunction((auth) => auth.getAccessToken(options)),
    }
  }, origin)
})
