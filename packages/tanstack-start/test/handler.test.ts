import { AuthError } from "@latchkey/core/errors"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { StartAuth } from "../src/index.js"
import { createApp, origin, testConfig } from "./app.js"

const get = (path: string, headers: Record<string, string> = {}) => new Request(`${origin}${path}`, { headers })
const callbackUrlOf = async (response: Response) => (await response.json()).credentials.callbackUrl

describe("StartAuth", () => {
  it.each(["/auth", "/auth/unheard-of", "/authsession", "/other/auth/session", "/auth/Session"])(
    "leaves %s to the app",
    async (path) => {
      for (const method of ["GET", "POST"]) {
        const response = await createApp(testConfig())(new Request(`${origin}${path}`, { method }))
        expect([response.status, await response.text()]).toEqual([404, "the app"])
      }
    },
  )

  it("returns the result of the app unchanged if there are no cookies to set", async () => {
    const { handle } = StartAuth(testConfig())
    const result = { response: new Response("the app"), own: true }
    expect(await handle({ request: get("/"), next: () => result })).toBe(result)
  })

  it("is at /api/auth without a basePath, or at the path of AUTH_URL", async () => {
    const { basePath: _, ...config } = testConfig()
    const url = `${origin}/api/auth/callback/credentials`
    expect(await callbackUrlOf(await createApp(config)(get("/api/auth/providers")))).toBe(url)
    vi.stubEnv("AUTH_URL", "https://public.test/login")
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await callbackUrlOf(await createApp({ ...config })(get("/login/providers")))).toBe(
      "https://public.test/login/callback/credentials",
    )
  })

  it("HOST-02: ignores forwarded headers", async () => {
    const headers = { "x-forwarded-host": "evil.test", "x-forwarded-proto": "https", host: "evil.test" }
    const response = await createApp(testConfig())(get("/auth/providers", headers))
    expect(await callbackUrlOf(response)).toBe(`${origin}/auth/callback/credentials`)
  })

  it("CONF-01: does not trust the Host header in production", async () => {
    vi.stubEnv("NODE_ENV", "production")
    onTestFinished(() => void vi.unstubAllEnvs())
    const { trustHost: _, ...config } = testConfig()
    expect((await createApp(config)(get("/auth/session"))).status).toBe(500)
  })

  it("RATE-01: counts by the address that the app finds", async () => {
    const rateLimit = { budgets: { callback: { limit: 2, windowSeconds: 60 } } }
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const providers = [{ id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" }]
    const addresses = ["192.0.1.1", "192.0.1.1", "192.0.1.1", "192.0.2.1"]
    const config = testConfig({ rateLimit, secret, providers: providers as never })
    const statuses = []
    for (const address of addresses) {
      const app = createApp(config, {}, { findSocketAddress: () => address })
      statuses.push((await app(get("/auth/callback/oidc?code=c"))).status)
    }
    expect(statuses).toEqual([302, 302, 429, 302])
  })

  it("has no session and needs no secret while TanStack Start prerenders", async () => {
    vi.stubEnv("AUTH_SECRET", "")
    vi.stubEnv("TSS_PRERENDERING", "true")
    onTestFinished(() => void vi.unstubAllEnvs())
    const app = createApp(testConfig({ secret: "" }), {
      "/about": async (auth) => {
        await expect(auth.requireAuth()).rejects.toBeInstanceOf(AuthError)
        return Response.json(await auth.getSession())
      },
    })
    expect(await (await app(get("/about"))).json()).toBeNull()
  })
})
