import { AuthError } from "@latchkey/core/errors"
import { RouterContextProvider } from "react-router"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { getAuth, requireAuth } from "../src/index.js"
import { createApp, html, origin, testConfig } from "./app.js"

const get = (path: string, headers: Record<string, string> = {}) => new Request(`${origin}${path}`, { headers })
const callbackUrlOf = async (response: Response) => (await response.json()).credentials.callbackUrl

describe("the handler", () => {
  it.each(["/auth", "/auth/unheard-of", "/auth/Session", "/auth/session/more"])("answers %s with 404", async (path) => {
    const app = createApp(testConfig())
    for (const method of ["GET", "POST"]) {
      const response = await app(new Request(`${origin}${path}`, { method }))
      expect([response.status, response.headers.getSetCookie()]).toEqual([404, []])
    }
  })

  it("answers no request for the data of its route", async () => {
    const response = await createApp(testConfig())(get("/auth/session.data"))
    expect([response.status, response.headers.getSetCookie()]).toEqual([404, []])
  })

  it("is at /api/auth without a basePath, or at the path of AUTH_URL", async () => {
    const { basePath: _, ...config } = testConfig()
    const errors: unknown[] = []
    const response = await createApp(config, {}, { errors })(get("/auth/session"))
    expect([response.status, String(errors[0])]).toEqual([500, expect.stringContaining('basePath ("/api/auth")')])
    vi.stubEnv("AUTH_URL", "https://public.test/auth")
    onTestFinished(() => void vi.unstubAllEnvs())
    const url = await callbackUrlOf(await createApp({ ...config })(get("/auth/providers")))
    expect(url).toBe("https://public.test/auth/callback/credentials")
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

  it("RATE-01: counts by the address that the app finds in its context", async () => {
    const rateLimit = { budgets: { callback: { limit: 2, windowSeconds: 60 } } }
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const providers = [{ id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" }]
    const addresses = new WeakMap<object, string>()
    const config = testConfig({ rateLimit, secret, providers: providers as never })
    const app = createApp(config, {}, { findSocketAddress: (context) => addresses.get(context) })
    const statuses = []
    for (const last of [1, 1, 1, 2]) {
      const context = new RouterContextProvider()
      addresses.set(context, `192.0.${last}.1`)
      statuses.push((await app(get("/auth/callback/oidc?code=c"), context)).status)
    }
    expect(statuses).toEqual([302, 302, 429, 302])
  })

  it("CONF-01: refuses to guard a page while React Router prerenders it, which is sent to everyone", async () => {
    vi.stubEnv("IS_RR_BUILD_REQUEST", "yes")
    onTestFinished(() => void vi.unstubAllEnvs())
    const errors: unknown[] = []
    const app = createApp(testConfig(), { private: { middleware: [requireAuth], loader: () => "secret" } }, { errors })
    const response = await app(get("/private", html))
    expect([response.status, String(errors[0])]).toEqual([500, expect.stringContaining("`prerender`")])
  })

  it("has no session and needs no secret while React Router prerenders", async () => {
    vi.stubEnv("AUTH_SECRET", "")
    vi.stubEnv("IS_RR_BUILD_REQUEST", "yes")
    onTestFinished(() => void vi.unstubAllEnvs())
    const loader = async ({ context }: { context: object }) => {
      const auth = getAuth(context)
      for (const call of [auth.requireAuth(), auth.requireFresh(), auth.signIn()])
        await expect(call).rejects.toBeInstanceOf(AuthError)
      return Response.json(await auth.getSession())
    }
    const app = createApp(testConfig({ secret: "" }), { about: { loader } })
    expect(await (await app(get("/about"))).json()).toBeNull()
    expect((await app(get("/about", { cookie: "authjs.session-token=x" }))).status).toBe(500)
  })
})
