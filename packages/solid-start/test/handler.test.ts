import { describe, expect, it, onTestFinished, vi } from "vitest"
import { SolidAuth, type SolidAuthConfig } from "../src/index.js"
import { testConfig } from "./config.js"
import { origin } from "./events.js"

function get(path: string, config: SolidAuthConfig = testConfig(), headers: HeadersInit = {}) {
  return SolidAuth(config).GET({ request: new Request(`${origin}${path}`, { headers }) })
}

async function signInUrlOf(response: Response | undefined): Promise<unknown> {
  const providers = await (response ?? new Response("{}")).json()
  return Object(providers.credentials).signinUrl
}

describe("SolidAuth", () => {
  it.each(["/api/auth", "/api/auth/unheard-of", "/api/authsession", "/auth/session", "/", "/api/auth/Session"])(
    "leaves %s to the app",
    async (path) => {
      expect(await get(path)).toBeUndefined()
      const request = new Request(`${origin}${path}`, { method: "POST", body: "a=1" })
      expect(await SolidAuth(testConfig()).POST({ request })).toBeUndefined()
    },
  )

  it.each(["session", "csrf", "providers", "signin", "error", "style.css", "session/"])(
    "handles %s",
    async (action) => {
      expect((await get(`/api/auth/${action}`))?.status).toBe(200)
    },
  )

  it("handles the passkey script, with 400 without a passkey provider", async () => {
    expect((await get("/api/auth/webauthn.js"))?.status).toBe(400)
  })

  it.each(["/elsewhere", "/below/auth"])("is mounted at its prefix, although AUTH_URL has %s", async (path) => {
    vi.stubEnv("AUTH_URL", `https://public.test${path}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const config = testConfig({ prefix: "/members" })
    const response = await get("/members/providers", config)
    expect(await signInUrlOf(response)).toBe("https://public.test/members/signin/credentials")
    expect(await get("/api/auth/session", config)).toBeUndefined()
  })

  it("is mounted at its default for a prefix of null, as JavaScript apps write it", async () => {
    const response = await get("/api/auth/providers", testConfig({ prefix: null as unknown as string }))
    expect(await signInUrlOf(response)).toBe(`${origin}/api/auth/signin/credentials`)
  })

  it("reads the environment", async () => {
    vi.stubEnv("AUTH_DEMO_ID", "an id")
    vi.stubEnv("AUTH_DEMO_SECRET", "of no use elsewhere")
    vi.stubEnv("AUTH_DEMO_ISSUER", "https://idp.test")
    vi.stubEnv("AUTH_SECRET", "a secret of the environment, long enough")
    onTestFinished(() => void vi.unstubAllEnvs())
    const { secret: _, ...config } = testConfig({ providers: [{ id: "demo", name: "Demo", type: "oidc" }] })
    expect((await get("/api/auth/csrf", config))?.status).toBe(200)
  })

  it("CONF-01: fails without a secret", async () => {
    vi.stubEnv("AUTH_SECRET", "")
    onTestFinished(() => void vi.unstubAllEnvs())
    expect((await get("/api/auth/session", testConfig({ secret: "" })))?.status).toBe(500)
  })

  it("HOST-01: ignores a forwarded host", async () => {
    const headers = { "x-forwarded-host": "evil.test", "x-forwarded-proto": "https" }
    const response = await get("/api/auth/providers", testConfig(), headers)
    expect(await signInUrlOf(response)).toBe(`${origin}/api/auth/signin/credentials`)
  })

  it("RATE-01: counts by the address of the socket", async () => {
    const rateLimit = { budgets: { callback: { limit: 2, windowSeconds: 60 } } }
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const providers = [
      { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" },
    ] as const
    const { GET } = SolidAuth(testConfig({ rateLimit, secret, providers: [...providers] }))
    const statuses = []
    for (const last of [1, 1, 1, 2]) {
      const request = new Request(`${origin}/api/auth/callback/oidc?code=c`)
      statuses.push((await GET({ request, clientAddress: `192.0.${last}.1` }))?.status)
    }
    expect(statuses).toEqual([302, 302, 429, 302])
  })
})
