import { testProviderSignOut } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { getAuth, type ReactRouterAuthConfig, type UserAuth } from "../src/index.js"
import { ada, createApp, origin, right, testConfig, toForm, visit } from "./app.js"

/** Calls the actions in a resource route. @returns the cookies of its response, and the result or the error */
async function act(config: ReactRouterAuthConfig, request: Request, run: (auth: UserAuth) => Promise<string>) {
  const outcome: { url?: string; error?: unknown } = {}
  const route = async ({ context }: { context: object }) => {
    try {
      outcome.url = await run(getAuth(context))
    } catch (error) {
      outcome.error = error
    }
    return new Response("done")
  }
  const response = await createApp(config, { act: { loader: route, action: route } })(request)
  return { ...outcome, cookies: response.headers.getSetCookie(), caching: response.headers.get("cache-control") }
}

const formRequest = (headers: Record<string, string>, method = "POST") =>
  new Request(`${origin}/act`, { method, headers })
const rightForm = toForm({ providerId: "credentials", ...right, redirectTo: "/private?a=1" })
const actions = [(auth: UserAuth) => auth.signIn(rightForm), (auth: UserAuth) => auth.signOut()]

describe("signIn and signOut in an action", () => {
  it.each([
    ["of another site", { origin: "https://evil.test" }],
    ["of a sandboxed frame", { origin: "null" }],
    ["without an origin", {}],
    ["of another site that claims to be same-origin", { origin: "https://evil.test", "sec-fetch-site": "same-origin" }],
  ])("CSRF-10, CSRF-11: reject a form %s", async (_, headers: Record<string, string>) => {
    for (const run of actions) {
      const { error, cookies } = await act(testConfig(), formRequest(headers), run)
      expect([error, cookies]).toEqual([expect.objectContaining({ type: "MissingCSRF" }), []])
    }
  })

  it.each(["GET", "HEAD"])("CSRF-10: reject a loader's %s request, which any link causes", async (method) => {
    for (const run of actions) {
      const { error, cookies } = await act(testConfig(), formRequest({ origin }, method), run)
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

  it.each(["/page", "/page.data"])("send their cookies with the redirect of an action to %s", async (path) => {
    const app = createApp(testConfig(), {
      page: {
        isPage: true,
        loader: async ({ context }) => (await getAuth(context).getSession())?.user?.name ?? null,
        action: async ({ request, context }) => {
          throw Response.redirect(await getAuth(context).signIn(await request.formData()), 302)
        },
      },
    })
    const browser = visit(app)
    const body = new URLSearchParams({ providerId: "credentials", ...right })
    const response = await browser.fetch(path, { method: "POST", body })
    expect(response.status).toBe(path === "/page" ? 302 : 202)
    expect((await browser.session())?.user?.name).toBe(ada.name)
  })

  it("SESS-04: sign out although a parallel loader or the action itself has read the session", async () => {
    const app = createApp(testConfig(), {
      page: {
        isPage: true,
        loader: async ({ context }) => (await getAuth(context).getSession())?.user?.name ?? "nobody",
        async action({ context }) {
          const auth = getAuth(context)
          await auth.getSession()
          await auth.signOut()
          return null
        },
      },
    })
    const browser = visit(app)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/page", { method: "POST", body: new URLSearchParams() })
    expect(await response.json()).toEqual({ page: "nobody" })
    expect(await browser.session()).toBeNull()
  })

  it("update the session", async () => {
    const callbacks: ReactRouterAuthConfig["callbacks"] = {
      jwt: ({ token, trigger, session }) => (trigger === "update" ? { ...token, ...Object(session) } : token),
    }
    const app = createApp(testConfig({ callbacks }), {
      rename: {
        action: async ({ context }) => Response.json(await getAuth(context).updateSession({ name: "Countess" })),
      },
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
