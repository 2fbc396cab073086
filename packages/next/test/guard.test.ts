import { AuthError } from "@latchkey/core/errors"
import { memoryAdapter } from "@latchkey/testkit"
import { type NextRequest, NextResponse } from "next/server.js"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { NextAuthCallbacks, NextAuthConfig } from "../src/config.js"
import { type MiddlewareFunction, NextAuth as withoutActions } from "../src/middleware/middleware.js"
import { type NextAuthResult, NextAuth as withActions } from "../src/next-auth.js"
import { createTestBrowser, event, right, type TestBrowser, testConfig } from "./app.js"

const sessionCookie = "__Secure-authjs.session-token"
const onlySignedIn: NextAuthCallbacks["authorized"] = ({ auth }) => auth !== null

type Entry = (config: NextAuthConfig) => { readonly auth: MiddlewareFunction }

/** An app that signs users in, and its proxy of one of the entries. */
function openWith(
  create: Entry,
  authorized: NextAuthCallbacks["authorized"] | undefined,
  changes: Partial<NextAuthConfig>,
) {
  const callbacks = { ...(authorized && { authorized }), jwt: countVisits, session: showVisits }
  const config = testConfig({ callbacks, ...changes })
  const app = withActions(config)
  const { auth } = create(config)
  const browser = createTestBrowser()
  const ask = (path: string, init: RequestInit = {}) => auth(browser.request(path, init), event)
  return { app, auth, browser, ask }
}

const countVisits: NextAuthCallbacks["jwt"] = ({ token }) => ({ ...token, visits: Number(token["visits"] ?? 0) + 1 })
const showVisits: NextAuthCallbacks["session"] = ({ session, token }) => ({ ...session, visits: token["visits"] })

async function signInAda({ app, browser }: Pick<ReturnType<typeof openWith>, "app" | "browser">): Promise<void> {
  await browser.inRequest(() => app.signIn("credentials", { ...right, redirect: false }))
}

const isPassedOn = (response: Response) => response.headers.has("x-middleware-next")
const locationOf = (response: Response) => response.headers.get("location")

/** The request cookies that Next goes on with, if the proxy has changed them. */
const cookiesPassedOn = ({ headers }: Response) => headers.get("x-middleware-request-cookie")

/** The session that a page of the same request reads. */
function readByPage(app: NextAuthResult, browser: TestBrowser, answer: Response) {
  return browser.inRequest(() => app.auth(), { cookie: cookiesPassedOn(answer) ?? "" })
}

const entries: readonly (readonly [string, Entry])[] = [
  ["@latchkey/next", withActions],
  ["@latchkey/next/middleware", withoutActions],
]

describe.each(entries)("%s", (_, create) => {
  const open = (authorized: NextAuthCallbacks["authorized"] | undefined, changes: Partial<NextAuthConfig> = {}) =>
    openWith(create, authorized, changes)

  describe("auth as the proxy", () => {
    it("explains in the log why an adapter fails on the edge", async () => {
      const failing = () => Promise.reject(new Error("net.connect is not a function"))
      const logged: string[] = []
      const logger = { error: ({ cause }: Error) => void logged.push(String(Object(cause).err)) }
      const session = { strategy: "database" } as const
      const visit = async () => {
        const { ask, browser } = open(onlySignedIn, {
          adapter: { ...memoryAdapter(), getSessionAndUser: failing },
          session,
          logger,
        })
        browser.jar.set(sessionCookie, crypto.randomUUID())
        await ask("/private")
        return logged.splice(0)
      }
      expect((await visit())[0]).toBe("Error: net.connect is not a function")
      vi.stubGlobal("EdgeRuntime", "edge-runtime")
      onTestFinished(() => void vi.unstubAllGlobals())
      expect((await visit())[0]).toContain("Rename middleware.ts to proxy.ts")
    })

    it("keeps its answer out of shared caches when it renews the session cookie", async () => {
      const opened = open(onlySignedIn)
      await signInAda(opened)
      const { headers } = await opened.ask("/private")
      expect(headers.getSetCookie().join()).toContain(sessionCookie)
      expect(headers.get("cache-control")).toBe("private, no-store")
    })

    it("reads stored sessions on the edge with an adapter that works there", async () => {
      vi.stubGlobal("EdgeRuntime", "edge-runtime")
      onTestFinished(() => void vi.unstubAllGlobals())
      const adapter = memoryAdapter()
      const user = await adapter.createUser?.({ id: "u-1", name: "Ada", email: "ada@app.test", emailVerified: null })
      const expires = new Date(Date.now() + 60_000)
      const sessionToken = crypto.randomUUID()
      await adapter.createSession?.({ sessionToken, userId: user?.id ?? "", expires })
      const { ask, browser } = open(onlySignedIn, {
        adapter,
        session: { strategy: "database" },
        callbacks: { authorized: onlySignedIn },
      })
      browser.jar.set(sessionCookie, sessionToken)
      expect(isPassedOn(await ask("/private"))).toBe(true)
    })

    it("redirects an unauthorized request to the sign-in page, with a public callback URL", async () => {
      const { ask } = open(onlySignedIn)
      const answer = await ask("/private/a?b=1&c=2")
      expect(answer.status).toBe(307)
      const back = encodeURIComponent("https://app.test/private/a?b=1&c=2")
      expect(locationOf(answer)).toBe(`https://app.test/api/auth/signin?callbackUrl=${back}`)
    })

    it.each([undefined, null, 0, ""])(
      "rejects the request when authorized returns %j, as plain JavaScript may",
      async (verdict) => {
        const { ask } = open(() => JSON.parse(JSON.stringify({ verdict })).verdict)
        expect((await ask("/private")).status).toBe(307)
      },
    )

    it("passes the request when authorized returns any other truthy value", async () => {
      const { ask } = open(() => JSON.parse('{ "user": {} }'))
      expect(isPassedOn(await ask("/private"))).toBe(true)
    })

    it("keeps the sign-in page open under a locale", async () => {
      const { auth, browser } = open(onlySignedIn, { pages: { signIn: "/login" } })
      const request = browser.request("/login", {}, "/de")
      expect(request.nextUrl.href).toContain("/de/login")
      expect(isPassedOn(await auth(request, event))).toBe(true)
    })

    it("redirects a POST with 303, so that its form is not repeated", async () => {
      const { ask } = open(onlySignedIn)
      expect((await ask("/private", { method: "POST", body: "a=1" })).status).toBe(303)
    })

    it("redirects to the app's own sign-in page with its query, never to another site", async () => {
      const own = open(onlySignedIn, { pages: { signIn: "/login?from=proxy" } })
      const target = new URL(locationOf(await own.ask("//evil.test/x")) ?? "")
      expect(target.origin + target.pathname).toBe("https://app.test/login")
      expect(target.searchParams.get("from")).toBe("proxy")
      expect(target.searchParams.get("callbackUrl")).toBe("https://app.test//evil.test/x")
    })

    it("opens no page for a page that is null, as JavaScript hosts write it", async () => {
      const pages = { error: null, verifyRequest: null }
      const { ask } = open(onlySignedIn, { pages: pages as never }) // As never: not of the type.
      expect((await ask("/null")).status).toBe(307)
    })

    it("keeps the sign-in, error and verify-request pages open", async () => {
      const pages = { signIn: "/login", error: "/oops", verifyRequest: "https://app.test/mail" }
      const { ask } = open(onlySignedIn, { pages })
      for (const path of ["/login", "/login/", "/login?error=x", "/oops", "/mail"]) {
        expect([path, isPassedOn(await ask(path))]).toEqual([path, true])
      }
      for (const path of ["/login/more", "/loginx", "/Login", "/"])
        expect([path, (await ask(path)).status]).toEqual([path, 307])
    })

    it("CONF-02: guards a page with the path of a sign-in, error or verify-request page of another site", async () => {
      const pages = {
        signIn: "https://accounts.test/",
        error: "https://accounts.test/oops",
        verifyRequest: "https://a.test/mail",
      }
      const { ask } = open(onlySignedIn, { pages })
      for (const path of ["/", "/oops", "/mail"]) {
        const answer = await ask(path)
        expect([path, isPassedOn(answer), locationOf(answer)]).toEqual([
          path,
          false,
          expect.stringContaining("https://accounts.test/?callbackUrl="),
        ])
      }
    })

    it("passes only the service's own paths without calling authorized", async () => {
      const authorized = vi.fn(onlySignedIn)
      const { ask } = open(authorized)
      for (const path of [
        "/api/auth/signin",
        "/api/auth/callback/github",
        "/api/auth/session",
        "/api/auth/style.css",
      ]) {
        expect([path, isPassedOn(await ask(path))]).toEqual([path, true])
      }
      expect(authorized).not.toHaveBeenCalled()
      for (const path of ["/api/auth", "/api/auth/own-route", "/api/authentic", "/api/other/signin"]) {
        expect([path, (await ask(path)).status]).toEqual([path, 307])
      }
    })

    it("refuses a page that authorized redirects to itself, and logs its path", async () => {
      const errors: Error[] = []
      const toItself: NextAuthCallbacks["authorized"] = ({ request }) => Response.redirect(request.nextUrl.href)
      const { ask } = open(toItself, { logger: { error: (error) => void errors.push(error) } })
      const answer = await ask("/private?x=1")
      expect([answer.status, locationOf(answer)]).toEqual([500, null])
      expect(errors.map((error) => [error.name, error.message])).toEqual([
        ["InvalidConfiguration", expect.stringContaining("redirects /private to itself")],
      ])
    })

    it("shows the sign-in page when authorized redirects it to itself", async () => {
      const toLogin: NextAuthCallbacks["authorized"] = ({ auth }) =>
        auth !== null || Response.redirect("https://app.test/login")
      const { ask } = open(toLogin, { pages: { signIn: "/login" } })
      expect(locationOf(await ask("/private"))).toBe("https://app.test/login")
      expect(isPassedOn(await ask("/login?error=x"))).toBe(true)
    })

    it("sends a response of authorized as it is, including redirects to another page or query", async () => {
      const byPath: Record<string, () => Response> = {
        "/forbidden": () => new Response("No.", { status: 403 }),
        "/old": () => Response.redirect("https://app.test/new"),
        "/page": () => Response.redirect("https://app.test/page?step=2"),
        "/once": () => new Response(null, { status: 307, headers: { location: "/once", "set-cookie": "seen=1" } }),
        "/away": () => Response.redirect("https://other.test/away"),
      }
      const { ask } = open(({ request }) => byPath[request.nextUrl.pathname]?.() ?? true)
      expect(await (await ask("/forbidden")).text()).toBe("No.")
      expect(locationOf(await ask("/old"))).toBe("https://app.test/new")
      expect(locationOf(await ask("/page"))).toBe("https://app.test/page?step=2")
      expect(locationOf(await ask("/once"))).toBe("/once")
      expect(locationOf(await ask("/away"))).toBe("https://other.test/away")
    })

    it("passes the session and the request to authorized", async () => {
      const authorized = vi.fn<NextAuthCallbacks["authorized"]>(() => true)
      const stage = open(authorized)
      await signInAda(stage)
      await stage.ask("/private")
      const [{ auth, request } = { auth: null, request: undefined }] = authorized.mock.calls[0] ?? []
      expect(auth?.user?.name).toBe("Ada Lovelace")
      expect(request?.nextUrl.pathname).toBe("/private")
    })

    it("throws when the session cannot be read", async () => {
      const { ask } = open(() => true, { secret: [] })
      await expect(ask("/private")).rejects.toBeInstanceOf(AuthError)
    })

    it("HOST-05: rejects an invalid host with 400", async () => {
      const { ask } = open(onlySignedIn)
      const answer = await ask("/private", { headers: { "x-forwarded-host": "a@evil.test/" } })
      expect([answer.status, await answer.json()]).toEqual([400, "Bad request."])
    })

    it("sets no cookie for a prefetch of a protected page", async () => {
      const { ask } = open(onlySignedIn)
      const answer = await ask("/private", { headers: { "next-router-prefetch": "1", purpose: "prefetch" } })
      expect(answer.headers.getSetCookie()).toEqual([])
    })

    it("passes every request without an authorized callback", async () => {
      const { ask } = open(undefined)
      expect(isPassedOn(await ask("/private"))).toBe(true)
    })
  })

  describe("a session renewed by the proxy", () => {
    it("reaches the browser and the pages of the same request", async () => {
      const stage = open(undefined)
      const { app, browser, ask } = stage
      await signInAda(stage)
      browser.jar.delete("__Secure-authjs.callback-url")
      browser.jar.set("theme", "dark")
      const answer = await ask("/private", { headers: { "x-own": "kept" } })
      const [cookie = ""] = answer.headers.getSetCookie()
      expect(cookie).toMatch(new RegExp(`^${sessionCookie}=.*; HttpOnly; Secure; SameSite=Lax$`))
      expect(cookiesPassedOn(answer)?.split("; ")).toEqual(["theme=dark", cookie.split(";", 1)[0]])
      expect(answer.headers.get("x-middleware-request-x-own")).toBe("kept")
      expect(await readByPage(app, browser, answer)).toMatchObject({ visits: 3 })
    })

    it("is removed for both when it has ended", async () => {
      const { ask, browser } = open(undefined)
      browser.jar.set(sessionCookie, "spoilt")
      browser.jar.set("theme", "dark")
      const answer = await ask("/")
      expect(answer.headers.getSetCookie()[0]).toMatch(new RegExp(`^${sessionCookie}=; Max-Age=0`))
      expect(cookiesPassedOn(answer)).toBe("theme=dark")
    })

    it("is sent with a rejection too", async () => {
      const stage = open(() => new Response("No.", { status: 403 }))
      await signInAda(stage)
      const answer = await stage.ask("/private")
      expect([answer.status, answer.headers.getSetCookie().length]).toEqual([403, 1])
      expect(cookiesPassedOn(answer)).toBeNull()
    })
  })

  describe("auth around a proxy function", () => {
    it("does not call it for unauthorized requests or the service's own paths", async () => {
      const { auth, browser } = open(onlySignedIn)
      const own = vi.fn()
      const proxy = auth(own)
      expect((await proxy(browser.request("/private"), event)).status).toBe(307)
      expect(isPassedOn(await proxy(browser.request("/api/auth/session"), event))).toBe(true)
      expect(own).not.toHaveBeenCalled()
    })

    it("calls it with the session, and passes the request when it returns nothing", async () => {
      const stage = open(undefined)
      const seen: unknown[] = []
      const proxy = stage.auth((request) => {
        seen.push(request.auth?.user?.name ?? null, request.nextUrl.pathname)
      })
      expect(isPassedOn(await proxy(stage.browser.request("/a"), event))).toBe(true)
      await signInAda(stage)
      const answer = await proxy(stage.browser.request("/b"), event)
      expect(seen).toEqual([null, "/a", "Ada Lovelace", "/b"])
      expect(answer.headers.getSetCookie()).toHaveLength(1)
    })

    it("adds the renewed session to its response, even if the headers are immutable", async () => {
      const stage = open(undefined)
      await signInAda(stage)
      const proxy = stage.auth(() => Response.redirect("https://app.test/elsewhere"))
      const answer = await proxy(stage.browser.request("/a"), event)
      expect([answer.status, locationOf(answer)]).toEqual([302, "https://app.test/elsewhere"])
      expect(answer.headers.getSetCookie()).toHaveLength(1)
    })

    it.each<[string, (request: NextRequest) => Response, string | null]>([
      ["none", () => NextResponse.next(), null],
      [
        "its own",
        (request) => NextResponse.next({ request: { headers: new Headers([...request.headers, ["x-own", "1"]]) } }),
        "1",
      ],
      [
        "its own, and no cookies",
        () => NextResponse.next({ request: { headers: new Headers({ "x-own": "1" }) } }),
        "1",
      ],
      [
        "those of a rewrite",
        () => new Response(null, { headers: { "x-middleware-rewrite": "https://app.test/b" } }),
        null,
      ],
    ])("passes the renewed session on when it overrides request headers with %s", async (_, answerOf, own) => {
      const stage = open(undefined)
      await signInAda(stage)
      const answer = await stage.auth((request) => answerOf(request))(stage.browser.request("/a"), event)
      const overridden = answer.headers.get("x-middleware-override-headers")?.split(",") ?? []
      expect(overridden.filter((name) => name === "cookie")).toHaveLength(1)
      expect(answer.headers.get("x-middleware-request-x-own")).toBe(own)
      expect(await readByPage(stage.app, stage.browser, answer)).toMatchObject({ visits: 3 })
    })

    it("lets its errors through", async () => {
      const { auth, browser } = open(undefined)
      const proxy = auth(() => {
        throw new Error("of the app")
      })
      await expect(proxy(browser.request("/a"), event)).rejects.toThrow("of the app")
    })
  })
})

describe("auth of @latchkey/next/middleware", () => {
  it("reads sessions with a configuration without providers", async () => {
    const stage = openWith(({ providers: _, ...config }) => withoutActions(config), onlySignedIn, {})
    expect((await stage.ask("/private")).status).toBe(307)
    await signInAda(stage)
    expect(isPassedOn(await stage.ask("/private"))).toBe(true)
  })

  it("leaves mistakes in the options of a provider to the service that signs in", async () => {
    const wrong = { id: "wrong", name: "Wrong", type: "oauth", clientId: "app", clientSecret: "secret" } as const
    const stage = openWith(
      ({ providers, ...config }) => withoutActions({ ...config, providers: [...providers, wrong] }),
      onlySignedIn,
      {},
    )
    await signInAda(stage)
    expect(isPassedOn(await stage.ask("/private"))).toBe(true)
    const { handlers } = withActions(testConfig({ providers: [wrong] }))
    expect((await handlers.GET(stage.browser.request("/api/auth/session"))).status).toBe(500)
  })

  it("takes a configuration for each request", async () => {
    const stage = openWith(({ providers: _, ...config }) => withoutActions(async () => config), onlySignedIn, {})
    await signInAda(stage)
    expect(isPassedOn(await stage.ask("/private"))).toBe(true)
  })

  it("refuses to read a session outside of a middleware, as plain JavaScript may ask", () => {
    const { auth } = withoutActions(testConfig())
    const call: () => unknown = auth as never // As never: not of the type.
    expect(call).toThrow("auth of @latchkey/next")
  })

  it("logs the whole sentence of a mistake in the configuration", async () => {
    const errors: Error[] = []
    const logger = { error: (error: Error) => void errors.push(error) }
    const { ask } = openWith(withoutActions, onlySignedIn, { trustHost: false, logger })
    await expect(ask("/private")).rejects.toBeInstanceOf(AuthError)
    expect(errors.map(({ message }) => message)).toEqual([expect.stringMatching(/trustHost: .*The request's host is/)])
  })

  it("lets a browser with too many cookies keep its session, and renews none", async () => {
    const stage = openWith(withoutActions, onlySignedIn, {})
    await signInAda(stage)
    for (let n = 0; n < 4; n++) stage.browser.jar.set(`__Secure-authjs.state.${n}`, "x".repeat(3_000))
    const answer = await stage.ask("/private")
    expect([isPassedOn(answer), answer.headers.getSetCookie()]).toEqual([true, []])
  })
})
