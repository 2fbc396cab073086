import { AuthError } from "@latchkey/core/errors"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { AstroAuth, type AstroContext } from "../src/index.js"
import { createApp, createContext, origin, testConfig } from "./app.js"

const callbackUrlOf = async (response: Response) => (await response.json()).credentials.callbackUrl

describe("AstroAuth", () => {
  it.each(["/auth", "/auth/unheard-of", "/authsession", "/other/auth/session", "/auth/Session"])(
    "leaves %s to the app",
    async (path) => {
      for (const method of ["GET", "POST"]) {
        const response = await createApp(testConfig())(new Request(`${origin}${path}`, { method }))
        expect([response.status, await response.text()]).toEqual([404, "the app"])
      }
    },
  )

  it.each(["/elsewhere", "/below/auth"])(
    "is mounted at the path of the integration, although AUTH_URL has %s",
    async (path) => {
      vi.stubEnv("AUTH_URL", `https://public.test${path}`)
      onTestFinished(() => void vi.unstubAllEnvs())
      const response = await createApp(testConfig())(new Request(`${origin}/auth/providers`))
      expect(await callbackUrlOf(response)).toBe("https://public.test/auth/callback/credentials")
    },
  )

  it("HOST-02: ignores forwarded headers, which Astro itself applies for allowed domains", async () => {
    const headers = { "x-forwarded-host": "evil.test", "x-forwarded-proto": "https", host: "evil.test" }
    const app = createApp(testConfig())
    const request = new Request(`${origin}/auth/providers`, { headers })
    expect(await callbackUrlOf(await app(request))).toBe(`${origin}/auth/callback/credentials`)
    const applied = await app(request, { url: new URL("https://public.test/auth/providers") })
    expect(await callbackUrlOf(applied)).toBe("https://public.test/auth/callback/credentials")
  })

  it("CONF-01: does not trust the Host header in production", async () => {
    vi.stubEnv("NODE_ENV", "production")
    onTestFinished(() => void vi.unstubAllEnvs())
    const { trustHost: _, ...config } = testConfig()
    expect((await createApp(config)(new Request(`${origin}/auth/session`))).status).toBe(500)
  })

  it("RATE-01: counts by the address that Astro reports, and works where it throws", async () => {
    const rateLimit = { budgets: { callback: { limit: 2, windowSeconds: 60 } } }
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const providers = [{ id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" }]
    const app = createApp(testConfig({ rateLimit, secret, providers: providers as never }))
    const ask = async (changes: Partial<AstroContext>) =>
      (await app(new Request(`${origin}/auth/callback/oidc?code=c`), changes)).status
    const statuses = []
    for (const last of [1, 1, 1, 2]) statuses.push(await ask({ clientAddress: `192.0.${last}.1` }))
    expect(statuses).toEqual([302, 302, 429, 302])
    const unknown: Partial<AstroContext> = Object.defineProperty({}, "clientAddress", {
      enumerable: true,
      get: () => {
        throw new Error("The adapter does not know it")
      },
    })
    const context = Object.defineProperties(
      createContext(new Request(`${origin}/auth/session`)),
      Object.getOwnPropertyDescriptors(unknown),
    )
    const response = await AstroAuth(testConfig(), { mountPath: "/auth" })(context, async () => new Response())
    expect(response.status).toBe(200)
  })

  it("has no session and needs no secret on prerendered pages", async () => {
    vi.stubEnv("AUTH_SECRET", "")
    onTestFinished(() => void vi.unstubAllEnvs())
    const app = createApp(testConfig({ secret: "" }), {
      "/about": async (auth) => {
        const actions = [auth.signIn(), auth.signOut(), auth.requireAuth(), auth.listSessions(), auth.endSession("x")]
        for (const action of actions) await expect(action).rejects.toBeInstanceOf(AuthError)
        return Response.json(await auth.getSession())
      },
    })
    const response = await app(new Request(`${origin}/about`), { isPrerendered: true })
    expect([await response.json(), response.headers.getSetCookie()]).toEqual([null, []])
  })
})
