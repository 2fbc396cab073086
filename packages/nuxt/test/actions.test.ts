import { testProviderSignOut } from "@latchkey/testkit/integration"
import type { H3Event } from "h3"
import { describe, expect, it } from "vitest"
import type { NuxtAuth, NuxtAuthConfig } from "../src/config/index.js"
import { ada, right, startApp, testConfig, toForm, visit } from "./app.js"

type UserAuth = ReturnType<NuxtAuth["getAuth"]>

/** Calls the actions in a server route. @returns the response, and the result or the error */
async function act(
  config: NuxtAuthConfig,
  init: RequestInit,
  run: (auth: UserAuth, event: H3Event) => Promise<string>,
) {
  const outcome: { url?: string; error?: unknown } = {}
  const origin = await startApp(config, {
    "/act": async ({ getAuth }, event) => {
      try {
        outcome.url = await run(getAuth(event), event)
      } catch (error) {
        outcome.error = error
      }
      return "done"
    },
  })
  const headers = new Headers(init.headers)
  if (headers.get("origin") === "own") headers.set("origin", origin)
  const response = await fetch(`${origin}/act`, { method: "POST", ...init, headers })
  const cookies = response.headers.getSetCookie()
  return { ...outcome, origin, cookies, caching: response.headers.get("cache-control") }
}

const own = { headers: { origin: "own" } }
const rightForm = toForm({ providerId: "credentials", ...right, redirectTo: "/private?a=1" })
const actions = [(auth: UserAuth) => auth.signIn(rightForm), (auth: UserAuth) => auth.signOut()]

describe("signIn and signOut in a server route", () => {
  it.each([
    ["of another site", { origin: "https://evil.test" }],
    ["of a sandboxed frame", { origin: "null" }],
    ["without an origin", {}],
    ["of another site that claims to be same-origin", { origin: "https://evil.test", "sec-fetch-site": "same-origin" }],
  ])("CSRF-10, CSRF-11: reject a form %s", async (_, headers: Record<string, string>) => {
    for (const run of actions) {
      const { error, cookies } = await act(testConfig(), { headers }, run)
      expect([error, cookies]).toEqual([expect.objectContaining({ type: "MissingCSRF" }), []])
    }
  })

  it.each(["GET", "HEAD"])("CSRF-10: reject a %s request, which any link causes", async (method) => {
    for (const run of actions) {
      const { error, cookies } = await act(testConfig(), { ...own, method }, run)
      expect([error, cookies]).toEqual([expect.objectContaining({ type: "MissingCSRF" }), []])
    }
  })

  it("throw for a wrong password", async () => {
    const form = toForm({ providerId: "credentials", ...right, password: "wrong" })
    const { error, cookies } = await act(testConfig(), own, (auth) => auth.signIn(form))
    expect([error, cookies]).toEqual([expect.objectContaining({ type: "CredentialsSignin" }), []])
  })

  it("set the session cookie on the response, which no cache may store, and lead to the target", async () => {
    const { url, origin, cookies, caching } = await act(testConfig(), own, (auth) => auth.signIn(rightForm))
    expect([url, caching]).toEqual([`${origin}/private?a=1`, "private, no-store"])
    expect(cookies.join()).toMatch(/authjs\.session-token=[^;]+;.*HttpOnly/)
  })

  it("never lead to another site", async () => {
    const form = toForm({ providerId: "credentials", ...right, redirectTo: "https://evil.test/" })
    const { url, origin } = await act(testConfig(), own, (auth) => auth.signIn(form))
    expect(url).toBe(origin)
  })

  it("SESS-04: sign out although a middleware has read and renewed the session before", async () => {
    const origin = await startApp(testConfig(), {
      "/logout": async ({ getAuth }, event) => {
        const before = await getAuth(event).getSession()
        await getAuth(event).signOut()
        return [before?.user?.name, await getAuth(event).getSession()]
      },
    })
    const browser = visit(origin)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/logout", { method: "POST", body: new URLSearchParams() })
    expect(await response.json()).toEqual([ada.name, null])
    expect(await browser.session()).toBeNull()
  })

  it("update the session", async () => {
    const callbacks: NuxtAuthConfig["callbacks"] = {
      jwt: ({ token, trigger, session }) => (trigger === "update" ? { ...token, ...Object(session) } : token),
    }
    const origin = await startApp(testConfig({ callbacks }), {
      "/rename": ({ getAuth }, event) => getAuth(event).updateSession({ name: "Countess" }),
    })
    const browser = visit(origin)
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/rename", { method: "POST", body: new URLSearchParams() })
    expect(await response.json()).toMatchObject({ user: { name: "Countess" } })
    expect((await browser.session())?.user?.name).toBe("Countess")
  })
})

describe("signOut with atProvider", () => {
  testProviderSignOut(async ({ config, cookie, atProvider }) => {
    const form = toForm({ redirectTo: "/bye", ...(atProvider !== undefined && { atProvider: String(atProvider) }) })
    const { url } = await act(config, { headers: { origin: "own", cookie } }, (auth) => auth.signOut(form))
    return url ?? null
  })
})
