import { testProviderSignOut } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import type { StartAuthConfig, UserAuth } from "../src/index.js"
import { ada, createApp, origin, right, testConfig, toForm, visit } from "./app.js"

/** A request with a form of the app. */
function formRequest(headers: Record<string, string>, init: RequestInit = {}): Request {
  return new Request(`${origin}/login`, { method: "POST", headers, ...init })
}

/** Calls the actions with the request of a form. @returns the response with their cookies, and the error */
async function act(config: StartAuthConfig, request: Request, run: (auth: UserAuth) => Promise<string>) {
  const outcome: { url?: string; error?: unknown } = {}
  const app = createApp(config, {
    "/login": async (auth) => {
      try {
        outcome.url = await run(auth)
      } catch (error) {
        outcome.error = error
      }
      return new Response("done")
    },
  })
  const response = await app(request)
  return { ...outcome, cookies: response.headers.getSetCookie(), caching: response.headers.get("cache-control") }
}

const rightForm = toForm({ providerId: "credentials", ...right, redirectTo: "/private?a=1" })

describe("signIn and signOut for a form of the app", () => {
  it.each([
    ["of another site", { origin: "https://evil.test" }],
    ["of a sandboxed frame", { origin: "null" }],
    ["without an origin", {}],
    ["of another site that claims to be same-origin", { origin: "https://evil.test", "sec-fetch-site": "same-origin" }],
  ])("CSRF-10, CSRF-11: reject a form %s", async (_, headers: Record<string, string>) => {
    for (const run of [(auth: UserAuth) => auth.signIn(rightForm), (auth: UserAuth) => auth.signOut()]) {
      const { error, cookies } = await act(testConfig(), formRequest(headers), run)
      expect([error, cookies]).toEqual([expect.objectContaining({ type: "MissingCSRF" }), []])
    }
  })

  it.each(["GET", "HEAD"])("CSRF-10: reject a %s request, which any link causes", async (method) => {
    for (const run of [(auth: UserAuth) => auth.signIn(rightForm), (auth: UserAuth) => auth.signOut()]) {
      const { error, cookies } = await act(testConfig(), formRequest({ origin }, { method }), run)
      expect([error, cookies]).toEqual([expect.objectContaining({ type: "MissingCSRF" }), []])
    }
  })

  it("throw for a wrong password", async () => {
    const form = toForm({ providerId: "credentials", ...right, password: "wrong" })
    const { error, cookies } = await act(testConfig(), formRequest({ origin }), (auth) => auth.signIn(form))
    expect([error, cookies]).toEqual([expect.objectContaining({ type: "CredentialsSignin" }), []])
  })

  it("set the session cookie on the response, which no cache may store, and lead to the target", async () => {
    const { url, cookies, caching } = await act(testConfig(), formRequest({ origin }), (auth) => auth.signIn(rightForm))
    expect([url, caching]).toEqual([`${origin}/private?a=1`, "private, no-store"])
    expect(cookies.join()).toMatch(/authjs\.session-token=[^;]+;.*HttpOnly/)
  })

  it("never lead to another site", async () => {
    const form = toForm({ providerId: "credentials", ...right, redirectTo: "https://evil.test/" })
    expect((await act(testConfig(), formRequest({ origin }), (auth) => auth.signIn(form))).url).toBe(origin)
  })

  it("SESS-04: sign out although the page has read the session before", async () => {
    const app = createApp(testConfig(), {
      "/logout": async (auth) => {
        const before = await auth.getSession()
        await auth.signOut()
        return Response.json([before?.user?.name, await auth.getSession()])
      },
    })
    const browser = visit(app)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/logout", { method: "POST", body: new URLSearchParams() })
    expect(await response.json()).toEqual([ada.name, null])
    expect(await browser.session()).toBeNull()
  })

  it("SESS-04: do not renew a session behind the page's own cookie that ends it", async () => {
    const end = "authjs.session-token=; Path=/; Max-Age=0"
    const app = createApp(testConfig(), {
      "/": async (auth) => {
        await auth.getSession()
        return new Response("ended", { headers: { "set-cookie": end } })
      },
    })
    const browser = visit(app)
    await browser.signIn("credentials", right)
    expect((await browser.fetch("/")).headers.getSetCookie()).toEqual([end])
  })

  it("update the session", async () => {
    const callbacks: StartAuthConfig["callbacks"] = {
      jwt: ({ token, trigger, session }) => (trigger === "update" ? { ...token, ...Object(session) } : token),
    }
    const app = createApp(testConfig({ callbacks }), {
      "/rename": async (auth) => Response.json(await auth.updateSession({ name: "Countess" })),
    })
    const browser = visit(app)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/rename", { method: "POST", body: new URLSearchParams() })
    expect(await response.json()).toMatchObject({ user: { name: "Countess" } })
    expect((await browser.session())?.user?.name).toBe("Countess")
  })
})

describe("signOut with atProvider", () => {
  testProviderSignOut(async ({ config, cookie, atProvider }) => {
    const form = toForm({ redirectTo: "/bye", ...(atProvider !== undefined && { atProvider: String(atProvider) }) })
    const { url } = await act(config, formRequest({ origin, cookie }), (auth) => auth.signOut(form))
    return url ?? null
  }, origin)
})
