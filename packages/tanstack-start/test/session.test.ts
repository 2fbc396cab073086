import { testGuard } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { getAuth, requireAuth } from "../src/index.js"
import { ada, createApp, origin, type Route, right, testConfig, visit } from "./app.js"

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

  it("keeps the response out of the cache of a platform, whose header Nitro adds for the rule isr", async () => {
    const app = createApp(testConfig(), {
      "/": async (auth) => Response.json(await auth.getSession()),
      "/public": async () => new Response("the same for everyone"),
    })
    const isrOf = async (path: string) => {
      const context = { routeRules: { isr: 60 } }
      await app(Object.assign(new Request(`${origin}${path}`), { context }))
      return context.routeRules.isr
    }
    expect([await isrOf("/"), await isrOf("/auth/session"), await isrOf("/public")]).toEqual([false, false, 60])
  })

  it("throws without the middleware", () => {
    expect(() => getAuth(new Request(origin))).toThrow(/requestMiddleware/)
  })
})

describe("requireAuth", () => {
  const guarded = (changes: Parameters<typeof testConfig>[0] = {}) => {
    const route: Route = (auth, request) =>
      requireAuth({ request, next: async () => Response.json(await auth.getSession()) })
    return createApp(testConfig(changes), { "/private": route, "/login": route })
  }

  testGuard({
    async start(config) {
      const app = guarded(config)
      // TanStack Start answers an error of a route with 500.
      const handler = (request: Request) => app(request).catch((error) => new Response(String(error), { status: 500 }))
      return { origin, handler }
    },
    failure: [500, "could not be read"],
  })
})
