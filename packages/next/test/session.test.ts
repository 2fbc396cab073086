import { AuthError } from "@latchkey/core/errors"
import { createSource } from "@latchkey/core/moving"
import { Credentials } from "@latchkey/core/providers/credentials"
import { memoryAdapter } from "@latchkey/testkit"
import { listen } from "@latchkey/testkit/integration"
import type { NextApiRequest, NextApiResponse } from "next"
import { cookies } from "next/headers.js"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { NextAuthConfig } from "../src/config.js"
import { NextAuth } from "../src/next-auth.js"
import { createTestBrowser, right, testConfig } from "./app.js"
import { RequestScope, scopes } from "./doubles/request-scope.js"
import { asPagesRouter } from "./pages-server.js"

/** An app whose `jwt` callback counts its calls, also in the token. */
function countingApp() {
  const counted = { calls: 0 }
  const app = NextAuth(
    testConfig({
      callbacks: {
        jwt({ token }) {
          counted.calls++
          return { ...token, seen: Number(token["seen"] ?? 0) + 1 }
        },
        session: ({ session, token }) => ({ ...session, seen: token["seen"] }),
      },
    }),
  )
  return { app, counted }
}

describe("auth() without arguments", () => {
  it("MIG-12: shows a session of another library in a component, and stores it where cookies can be set", async () => {
    const adapter = memoryAdapter()
    await adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    const read = (value: string) =>
      value === "s-1" ? ({ kind: "found", claims: {}, subject: "ada" } as const) : ({ kind: "refused" } as const)
    const until = new Date(Date.now() + 24 * 60 * 60 * 1000)
    const source = createSource({ until, cookie: "sid" }, { name: "own", cookies: [], read })
    const { auth, handlers } = NextAuth(testConfig({ adapter, session: { accept: [source] } }))
    const browser = createTestBrowser()
    browser.jar.set("sid", "s-1")
    expect((await browser.inGet(() => auth()))?.user?.email).toBe("ada@example.com")
    expect(adapter.calls.filter(({ method }) => /createSession|consumeOnce/.test(method))).toEqual([])
    const route = auth((request) => Response.json(request.auth))
    const answer = await browser.inGet(async () => route(browser.request("/api/me"), {}))
    browser.keep(answer.headers.getSetCookie())
    expect([...browser.jar.keys()]).toEqual(["__Secure-authjs.session-token"])
    const { user } = await browser.inGet(async () => (await handlers.GET(browser.request("/api/auth/session"))).json())
    expect(user).toEqual({ email: "ada@example.com" })
  })

  it("has all columns of a stored session and its user, without its token, if there is no session callback", async () => {
    const warn = vi.fn()
    const adapter = memoryAdapter()
    const ada = { id: "ada", email: "ada@example.com", emailVerified: null, role: "admin" }
    await adapter.createUser(ada)
    const config = testConfig({ adapter, logger: { error: () => {}, warn, debug: () => {} } })
    const { auth, handlers, signIn } = NextAuth({ ...config, providers: [Credentials({ authorize: () => ada })] })
    const browser = createTestBrowser()
    await browser.inRequest(() => signIn("credentials", { redirect: false }))
    const expires = expect.stringMatching(/^\d{4}-.*Z$/)
    const shown = { userId: "ada", expires, user: ada }
    expect(await browser.inRequest(() => auth())).toEqual(shown)
    const route = auth((request) => Response.json(request.auth))
    expect(await browser.inRequest(async () => (await route(browser.request("/api/me"), {})).json())).toEqual(shown)
    // Clients get the usual fields.
    const { user } = await browser.inRequest(async () =>
      (await handlers.GET(browser.request("/api/auth/session"))).json(),
    )
    expect(user).toEqual({ email: "ada@example.com" })
    expect(new Set(warn.mock.calls.map(([code]) => code)).size).toBe(warn.mock.calls.length)
  })

  it("waits for the request before it reads the session, where Next renders a page ahead of one", async () => {
    const order: string[] = []
    const session = () => {
      order.push("session")
      return { expires: "2099-01-01T00:00:00.000Z" }
    }
    const { auth, signIn } = NextAuth(testConfig({ callbacks: { session } }))
    const browser = createTestBrowser()
    await browser.inRequest(() => signIn("credentials", { ...right, redirect: false }))
    const connect = async () => {
      await new Promise(setImmediate)
      order.push("request")
    }
    await scopes.run(new RequestScope(browser.headersWith({}), { connect }), () => auth())
    expect(order).toEqual(["request", "session"])
  })

  it("throws when the session cannot be read", async () => {
    const { auth } = NextAuth(testConfig({ secret: "short" }))
    await expect(createTestBrowser().inRequest(() => auth())).resolves.toBeNull()
    const broken = NextAuth(testConfig({ providers: [], basePath: "/x", secret: [] }))
    await expect(createTestBrowser().inRequest(() => broken.auth())).rejects.toBeInstanceOf(AuthError)
  })

  it("reads the first of several session cookies, as the endpoints do", async () => {
    const { auth, signIn, signOut } = NextAuth(testConfig())
    const browser = createTestBrowser()
    await browser.inRequest(() => signIn("credentials", { ...right, redirect: false }))
    const [[name, value] = ["", ""]] = [...browser.jar].filter(([cookie]) => cookie.includes("session-token"))
    const planted = { cookie: `${name}=${value}; a=1; ${name}=planted; b=2` }
    expect((await browser.inRequest(() => auth(), planted))?.user?.name).toBe("Ada Lovelace")
    const afterSignOut = async () => {
      await signOut({ redirect: false })
      return await auth()
    }
    expect(await browser.inRequest(afterSignOut, planted)).toBeNull()
  })

  it("notices that the app wrote to its configuration, also below Next's basePath", async () => {
    vi.stubEnv("__NEXT_ROUTER_BASEPATH", "/shop")
    onTestFinished(() => void vi.unstubAllEnvs())
    const config = testConfig()
    const { auth, signIn } = NextAuth(config)
    const browser = createTestBrowser()
    await browser.inRequest(() => signIn("credentials", { ...right, redirect: false }))
    expect((await browser.inRequest(() => auth()))?.user?.name).toBe("Ada Lovelace")
    config.secret = "the secret of another tenant, long enough"
    expect(await browser.inRequest(() => auth())).toBeNull()
  })

  it("throws Next's own error outside a request", async () => {
    const { auth } = NextAuth(testConfig())
    await expect(auth()).rejects.toThrow("outside a request scope")
  })

  it("HOST-02: throws when the host is not trusted", async () => {
    const { auth } = NextAuth(testConfig({ trustHost: false }))
    await expect(createTestBrowser().inRequest(() => auth())).rejects.toBeInstanceOf(AuthError)
  })

  it("returns null when signed out and for an invalid cookie", async () => {
    const { auth } = NextAuth(testConfig())
    const browser = createTestBrowser()
    expect(await browser.inRequest(() => auth())).toBeNull()
    browser.jar.set("__Secure-authjs.session-token", "nonsense")
    expect(await browser.inRequest(() => auth())).toBeNull()
  })

  it("reads the session once for all components of a page, and again for the next page", async () => {
    const { app, counted } = countingApp()
    const browser = createTestBrowser()
    await browser.inRequest(() => app.signIn("credentials", { ...right, redirect: false }))
    counted.calls = 0
    const layoutAndPage = () => Promise.all([app.auth(), app.auth(), app.auth()])
    const sessions = await browser.inRequest(layoutAndPage)
    expect(sessions.map((session) => session?.user?.name)).toEqual(["Ada Lovelace", "Ada Lovelace", "Ada Lovelace"])
    expect(counted.calls).toBe(1)
    await browser.inRequest(() => app.auth())
    expect(counted.calls).toBe(2)
  })

  it("returns the session that an action changed in the same request", async () => {
    const { app } = countingApp()
    const browser = createTestBrowser()
    await browser.inRequest(async () => {
      expect(await app.auth()).toBeNull()
      await app.signIn("credentials", { ...right, redirect: false })
      expect((await app.auth())?.user?.name).toBe("Ada Lovelace")
      await app.signOut({ redirect: false })
      expect(await app.auth()).toBeNull()
    })
    expect([...browser.jar.keys()]).not.toContain("__Secure-authjs.session-token")
  })

  it("returns null after the app itself cleared the cookie", async () => {
    const { app } = countingApp()
    const browser = createTestBrowser()
    await browser.inRequest(() => app.signIn("credentials", { ...right, redirect: false }))
    await browser.inRequest(async () => {
      expect(await app.auth()).not.toBeNull()
      const jar = await cookies()
      jar.set("__Secure-authjs.session-token", "", { maxAge: 0 })
      expect(await app.auth()).toBeNull()
    })
  })

  it("calls a configuration function without a request", async () => {
    const asked: unknown[] = []
    const config = testConfig()
    const { auth } = NextAuth(async (request) => {
      asked.push(request)
      return config
    })
    expect(await createTestBrowser().inRequest(() => auth())).toBeNull()
    expect(asked).toEqual([undefined])
  })
})

/** An app with only the pages router, on Node's HTTP server. */
async function serve(changes: Partial<NextAuthConfig> = {}) {
  const app = NextAuth(testConfig(changes))
  const routes: Record<string, (request: NextApiRequest, response: NextApiResponse) => Promise<unknown>> = {
    "/api/me": async (request, response) => response.end(JSON.stringify(await app.auth(request, response))),
    "/api/page": async (req, res) => res.end(JSON.stringify(await app.auth({ req, res }))),
  }
  const listener = asPagesRouter(async (request, response) => {
    response.setHeader("set-cookie", "earlier=1")
    const route = routes[request.url ?? ""] ?? app.handlers.pages
    await route(request, response)
  })
  const { origin, close } = await listen(listener)
  onTestFinished(close)
  const browser = createTestBrowser()
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      cookie: browser.headersWith({}).get("cookie") ?? "",
    }
    const answer = await fetch(`${origin}${path}`, { ...init, headers, redirect: "manual" })
    browser.keep(answer.headers.getSetCookie())
    return answer
  }
  const signIn = async () => {
    const { csrfToken } = await (await ask("/api/auth/csrf")).json()
    const body = new URLSearchParams({ ...right, csrfToken, callbackUrl: "/in" })
    return await ask("/api/auth/callback/credentials", { method: "POST", body })
  }
  return { app, origin, browser, ask, signIn }
}

describe.each(["/api/me", "/api/page"])("auth in the pages router, %s", (path) => {
  it("returns null when signed out", async () => {
    const { ask } = await serve()
    expect(await (await ask(path)).json()).toBeNull()
  })

  it("returns the session and renews it on the response beside earlier cookies", async () => {
    const { ask, signIn, origin } = await serve()
    const signedIn = await signIn()
    expect(signedIn.headers.get("location")).toBe(`${origin}/in`)
    const answer = await ask(path)
    expect(await answer.json()).toMatchObject({ user: { name: "Ada Lovelace" } })
    const [earlier, renewed] = answer.headers.getSetCookie()
    expect(earlier).toBe("earlier=1")
    expect(renewed).toMatch(/^authjs\.session-token=ey/)
  })
})

describe("auth in the pages router on the edge", () => {
  it("returns the session and renews it on the response", async () => {
    const { app, browser, signIn } = await serve()
    await signIn()
    const response = new Response("answer")
    const headers = browser.headersWith({ "x-forwarded-proto": "http" })
    const session = await app.auth(new Request("http://localhost:3000/api/me", { headers }), response)
    expect(session?.user?.name).toBe("Ada Lovelace")
    expect(response.headers.getSetCookie()[0]).toMatch(/^authjs\.session-token=ey/)
  })

  it("throws when the session cannot be read", async () => {
    const { auth } = NextAuth(testConfig({ secret: [] }))
    const request = new Request("http://localhost/", { headers: { host: "app.test" } })
    await expect(auth(request, new Response())).rejects.toBeInstanceOf(AuthError)
  })
})
