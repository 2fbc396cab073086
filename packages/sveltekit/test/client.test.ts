import { createBrowser } from "@latchkey/testkit"
import { integrationUser } from "@latchkey/testkit/integration"
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { getSession, signIn, signOut, updateSession } from "../src/client/index.js"
import { appConfig, right } from "./config.js"
import { type KitApp, openApp } from "./kit-app.js"

let app: KitApp

beforeAll(async () => {
  app = await openApp()
})

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Opens a page of the app in a browser. Returns the list of its requests. */
function openPage(): readonly string[] {
  const { config } = appConfig({
    callbacks: {
      jwt: ({ token, trigger, session }) => (trigger === "update" ? Object.assign(token, session) : token),
    },
  })
  const browser = createBrowser({ handler: app.toHandler({ config }) })
  const requests: string[] = []
  vi.stubGlobal("location", new URL("https://app.test/page"))
  vi.stubGlobal("fetch", async (path: string, { method = "GET", body, headers }: RequestInit = {}) => {
    requests.push(`${method} ${path}`)
    const options = { method, headers: Object.fromEntries(new Headers(headers)) }
    const isForm = body instanceof URLSearchParams
    return await browser.fetch(path, isForm || typeof body === "string" ? { ...options, body } : options)
  })
  return requests
}

describe("the client", () => {
  it("returns the error of a rejected sign-in", async () => {
    openPage()
    const answer = await signIn("credentials", { ...right, password: "wrong", redirect: false })
    expect(answer).toMatchObject({ error: "CredentialsSignin", code: "credentials", url: null })
    expect(await getSession()).toBeNull()
  })

  it("signs in, updates the session and signs out without a CSRF token", async () => {
    const requests = openPage()
    expect(await signIn("credentials", { ...right, redirect: false })).toMatchObject({ ok: true, error: undefined })
    expect((await getSession())?.user?.name).toBe(integrationUser.name)
    expect((await updateSession({ name: "Countess Ada" }))?.user?.name).toBe("Countess Ada")
    expect((await getSession())?.user?.name).toBe("Countess Ada")
    expect(await signOut({ redirect: false })).toMatchObject({ ok: true })
    expect(await getSession()).toBeNull()
    expect(requests.filter((request) => request.startsWith("POST"))).toEqual([
      "POST /auth/callback/credentials",
      "POST /auth/session",
      "POST /auth/signout",
    ])
    expect(requests).not.toContain("GET /auth/csrf")
  })

  it("keeps server code out of the browser build", () => {
    const scripts = app.readScripts()
    const words = ["x-auth-return-redirect", "session-token", "AUTH_SECRET", "trustHost", "clientSecret"]
    expect(words.filter((word) => scripts.includes(word))).toEqual(["x-auth-return-redirect"])
  })
})
