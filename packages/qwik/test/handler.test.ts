import { describe, expect, it } from "vitest"
import { signIn } from "../src/actions.js"
import type { QwikAuthConfig } from "../src/config.js"
import { answerEvent } from "../src/handler.js"
import { ada, testConfig, toQrl } from "./config.js"
import { createEvent, type EventOptions, formEvent, origin, outcomeOf, toCookies } from "./events.js"

const right = { providerId: "credentials", username: "ada", password: "right" }

async function ask(address: string, options: EventOptions = {}, config: QwikAuthConfig = testConfig()) {
  const event = createEvent(address, options)
  const outcome = await outcomeOf(
    answerEvent(
      event,
      toQrl(() => config),
    ),
  )
  return { event, response: outcome?.response }
}

async function signInUrlOf(response: Response | undefined): Promise<unknown> {
  const providers = await (response ?? new Response("{}")).json()
  return Object(providers.credentials).signinUrl
}

async function cookieOf(config: QwikAuthConfig): Promise<string> {
  const event = formEvent()
  await outcomeOf(
    signIn(
      right,
      event,
      toQrl(() => config),
    ),
  )
  return toCookies(event)
}

describe("onRequest", () => {
  it.each(["/", "/auth", "/auth/unheard-of", "/authsession", "/api/auth/session", "/auth/Session"])(
    "passes %s on to the app, with the session",
    async (path) => {
      const { event, response } = await ask(path)
      expect([response, event.sharedMap.get("session")]).toEqual([undefined, null])
    },
  )

  it.each(["session", "csrf", "providers", "signin", "error", "style.css", "session/"])(
    "handles %s",
    async (action) => {
      expect((await ask(`/auth/${action}`)).response?.status).toBe(200)
    },
  )

  it("handles the passkey script, with 400 without a passkey provider", async () => {
    expect((await ask("/auth/webauthn.js")).response?.status).toBe(400)
  })

  it("is mounted below the app's base path, or at the configured base path", async () => {
    expect((await ask("/shop/auth/session", { basePathname: "/shop/" })).response?.status).toBe(200)
    const config = testConfig({ basePath: "/members" })
    expect((await ask("/members/session", {}, config)).response?.status).toBe(200)
    expect((await ask("/auth/session", {}, config)).response).toBeUndefined()
  })

  it("stores the current session in sharedMap and renews its cookie", async () => {
    const config = testConfig()
    const { event } = await ask("/page/q-data.json", { headers: { cookie: await cookieOf(config) } }, config)
    expect(event.sharedMap.get("session")).toMatchObject({ user: { name: ada.name, email: ada.email } })
    expect([...event.setCookies.keys()]).toEqual(["authjs.session-token"])
    expect(event.setCookies.get("authjs.session-token")).toMatch(
      /^ey[^;]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    )
  })

  it.each<Partial<QwikAuthConfig>>([{ secret: "" }, { trustHost: false }, { allowedOrigins: ["https://other.test"] }])(
    "CONF-01: stores null when the session cannot be read (%j)",
    async (changes) => {
      const cookie = await cookieOf(testConfig())
      const { event } = await ask("/private", { headers: { cookie } }, testConfig(changes))
      expect(event.sharedMap.get("session")).toBeNull()
    },
  )

  it("throws when the host's configuration function fails", async () => {
    const find = toQrl(() => Promise.reject(new TypeError("no tenant")))
    await expect(answerEvent(createEvent("/private"), find)).rejects.toThrow(TypeError)
  })

  it("RATE-01: counts by Qwik City's client address", async () => {
    const rateLimit = { budgets: { callback: { limit: 2, windowSeconds: 60 } } }
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const providers = [
      { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" },
    ] as const
    const config = testConfig({ rateLimit, secret, providers: [...providers] })
    const statuses = []
    for (const last of [1, 1, 1, 2]) {
      statuses.push((await ask("/auth/callback/oidc?code=c", { ip: `192.0.${last}.1` }, config)).response?.status)
    }
    expect(statuses).toEqual([302, 302, 429, 302])
  })
})

describe("the app's origin", () => {
  it("HOST-01: ignores forwarded headers", async () => {
    const headers = { "x-forwarded-host": "evil.test", "x-forwarded-proto": "https" }
    expect(await signInUrlOf((await ask("/auth/providers", { headers })).response)).toBe(
      `${origin}/auth/signin/credentials`,
    )
  })

  it.each([
    [{ ORIGIN: "https://public.test" }, "https://public.test"],
    [{ ORIGIN: "https://public.test", NEXTAUTH_URL: "https://next.test/api/auth" }, "https://next.test"],
    [{ ORIGIN: "https://public.test", AUTH_URL: "https://auth.test" }, "https://auth.test"],
  ])("comes from the platform's environment: %j", async (env, expected) => {
    const config = testConfig({ basePath: "/auth" })
    const { response } = await ask("/auth/providers", { env }, config)
    expect(await signInUrlOf(response)).toBe(`${expected}/auth/signin/credentials`)
  })

  it("CONF-01: is trusted in production only when it is set", async () => {
    const { trustHost: _, ...config } = testConfig()
    const env = { NODE_ENV: "production" }
    expect((await ask("/auth/session", { env }, { ...config })).response?.status).toBe(500)
    expect((await ask("/auth/session", { env: { ...env, ORIGIN: origin } }, { ...config })).response?.status).toBe(200)
  })
})
