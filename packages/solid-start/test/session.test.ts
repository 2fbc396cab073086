import { AuthError } from "@latchkey/core/errors"
import { findSharedCaching, publicCaching } from "@latchkey/testkit/integration"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { auth, getSession, signIn } from "../src/index.js"
import { ada, testConfig } from "./config.js"
import { formEvent, origin, toCookies, toForm } from "./events.js"

const right = { providerId: "credentials", username: "ada", password: "right" }

describe("auth", () => {
  it("keeps its refusal out of shared caches, whatever the app has set on the response", async () => {
    const headers = new Headers(publicCaching)
    const request = new Request(`${origin}/private`, { headers: { accept: "text/html" } })
    expect(await auth({ request, response: { headers } }, testConfig()).requireAuth()).toMatchObject({ status: 303 })
    expect(findSharedCaching(headers)).toEqual([])
  })
})

describe("getSession", () => {
  it("CONF-01: throws when the session cannot be read", async () => {
    vi.stubEnv("AUTH_SECRET", "")
    onTestFinished(() => void vi.unstubAllEnvs())
    const cookie = "authjs.session-token=x"
    const request = new Request(origin, { headers: { cookie } })
    await expect(getSession(request, testConfig({ secret: "" }))).rejects.toBeInstanceOf(AuthError)
    const allowedOrigins = ["https://other.test"]
    await expect(getSession(request, testConfig({ allowedOrigins }))).rejects.toBeInstanceOf(AuthError)
  })

  it("returns null when signed out and for an invalid cookie", async () => {
    for (const cookie of ["", "authjs.session-token=x", "authjs.session-token.0=x"]) {
      expect(await getSession(new Request(origin, { headers: { cookie } }), testConfig())).toBeNull()
    }
  })

  it("notices that the app wrote to its configuration", async () => {
    const config = testConfig()
    const cookie = toCookies(await signIn(formEvent(), config, toForm(right)))
    const request = new Request(`${origin}/page`, { headers: { cookie } })
    expect((await getSession(request, config))?.user?.name).toBe(ada.name)
    config.secret = "the secret of another tenant, long enough"
    expect(await getSession(request, config)).toBeNull()
  })

  it("reads the session from a request, and renews its cookie on the response of an event", async () => {
    const config = testConfig()
    const cookie = toCookies(await signIn(formEvent(), config, toForm(right)))
    const request = new Request(`${origin}/page`, { headers: { cookie } })
    expect((await getSession(request, config))?.user?.name).toBe(ada.name)
    const headers = new Headers({ "set-cookie": "app=1" })
    expect((await getSession({ request, response: { headers } }, config))?.user?.name).toBe(ada.name)
    expect(headers.getSetCookie().map((line) => line.split("=", 1)[0])).toEqual(["app", "authjs.session-token"])
  })

  it("keeps the response out of the cache of a platform, whose header Nitro adds for the rule isr", async () => {
    const rules = { isr: 60, cors: true }
    const context = { routeRules: rules }
    const request = Object.assign(new Request(`${origin}/page`), { context })
    await getSession(request, testConfig())
    expect([context.routeRules, rules.isr]).toEqual([{ isr: false, cors: true }, 60])
  })
})
