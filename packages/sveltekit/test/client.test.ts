import { createBrowser } from "@latchkey/testkit"
import { integrationUser } from "@latchkey/testkit/integration"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { getSession, signIn, signOut, updateSession } from "../src/client/index.js"
import { appConfig, right } from "./config.js"
import { buildApp, type KitApp } from "./kit-app.js"

let app: KitApp

beforeAll(async () => {
  app = await buildApp()
}, 120_000)

afterAll(() => app.remove())

afterEach(() => {
  vi.unstubAllGlobals()
})

/** A page of the app in a browser, whose requests are told. */
function openPage(): readonly string[] {
  const { config } = appConfig({
    callbacks: {
      jwt: ({ token, trigger, session }) => (trigger === "update" ? Object.assign(token, session) : token),
    },
  })
  const browser = createBrowser({ handler: app.toHandler({ config }) })
  const asked: string[] = []
  vi.stubGlobal("location", new URL("https://app.test/page"))
  vi.stubGlobal("fetch", async (path: string, { method = "GET", body, headers }: RequestInit = {}) => {
    asked.push(`${method} ${path}`)
    const options = { method, headers: Object.fromEntries(new Headers(headers)) }
    const isForm = body instanceof URLSearchParams
    return await browser.fetch(path, isForm || typeof body === "string" ? { ...options, body } : options)
  })
  return asked
}

describe("the client", () => {
  it("tells what refused a sign-in", async () => {
    openPage()
    const answer = await signIn("credentials", { ...right, password: "wrong", redirect: false })
    expect(answer).toMatchObject({ error: "CredentialsSignin", code: "credentials", url: null })
    expect(await getSession()).toBeNull()
  })

  it("signs in, changes the session and signs out, without asking for a token", async () => {
    const asked = openPage()
    expect(await signIn("credentials", { ...right, redirect: false })).toMatchObject({ ok: true, error: undefined })
    expect((await getSession())?.user?.name).toBe(integrationUser.name)
    expect((await updateSession({ name: "Countess Ada" }))?.user?.name).toBe("Countess Ada")
    expect((await getSession())?.user?.name).toBe("Countess Ada")
    expect(await signOut({ redirect: false })).toMatchObject({ ok: true })
    expect(await getSession()).toBeNull()
    expect(asked.filter((request) => request.startsWith("POST"))).toEqual([
      "POST /auth/callback/credentials",
      "POST /auth/session",
      "POST /auth/signout",
    ])
    expect(asked).not.toContain("GET /auth/csrf")
  })

  it("brings nothing of the server to browsers", () => {
    const scripts = app.readScripts()
    const words = ["x-auth-return-redirect", "session-token", "AUTH_SECRET", "trustHost", "clientSecret"]
    expect(words.filter((word) => scripts.includes(word))).toEqual(["x-auth-return-redirect"])
  })
})
