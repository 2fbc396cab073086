import { findSharedCaching, publicCaching, testGuard } from "@latchkey/testkit/integration"
import { type Context, Hono, type MiddlewareHandler } from "hono"
import { describe, expect, it } from "vitest"
import { authHandler, HonoAuth, initAuthConfig, verifyAuth } from "../src/index.js"
import { html } from "./browser.js"
import { testConfig } from "./config.js"
import { serve } from "./serve.js"

const sendUser = (c: Context) => c.json(c.get("authUser") ?? null)
const fail = (error: Error, c: Context) => c.text(error.message, 503)

const allowCaching: MiddlewareHandler = async (c, next) => {
  await next()
  for (const [name, value] of Object.entries(publicCaching)) c.header(name, value)
}

function guarded(config = testConfig()) {
  const app = new Hono().use(HonoAuth(config)).use(allowCaching)
  return app.use(verifyAuth()).all("*", sendUser).onError(fail)
}

describe("verifyAuth", () => {
  testGuard({
    start: (config) => serve(guarded(config).fetch),
    startBeforeEndpoints: (config) =>
      serve(new Hono().use(initAuthConfig(config)).use(verifyAuth()).use("/auth/*", authHandler()).onError(fail).fetch),
    failure: [503, "could not be read"],
  })

  it.each(["/private/../login", "/private/%2e%2e/login", "/private/./../login?x", "/login#/../private"])(
    "CONF-02: is not bypassed by the target %s on servers that do not resolve it",
    async (target) => {
      const app = guarded(testConfig({ pages: { signIn: "/login" } }))
      const request = new Request("http://app.test/", { headers: html })
      // As in a request of `Deno.serve`.
      Object.defineProperty(request, "url", { value: `http://app.test${target}` })
      const { status, headers } = await app.fetch(request)
      const callbackUrl = new URLSearchParams({ callbackUrl: target })
      expect([status, headers.get("location")]).toEqual([303, `/login?${callbackUrl}`])
    },
  )

  it("lets the app answer a refused request itself, with headers that are immutable", async () => {
    const app = new Hono().use(HonoAuth(testConfig())).onError(fail)
    app.get("/private", async (c) => {
      await c.get("auth").requireAuth()
      return Response.redirect("http://app.test/welcome")
    })
    const { status, headers } = await app.request("/private", { headers: html })
    expect([status, headers.get("location"), findSharedCaching(headers)]).toEqual([302, "http://app.test/welcome", []])
  })

  it("explains how to mount initAuthConfig if it is missing", async () => {
    const response = await new Hono().use(verifyAuth()).onError(fail).request("/private")
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("initAuthConfig(config)")])
  })
})
