import { publicCaching, testGuard } from "@latchkey/testkit/integration"
import type Koa from "koa"
import { describe, expect, it } from "vitest"
import { KoaAuth, requireAuth } from "../src/index.js"
import { testConfig } from "./config.js"
import { koas } from "./koas.js"
import { ask, html, serve } from "./serve.js"

/** Answers errors of the guard with their message. */
const showErrors: Koa.Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    ctx.status = 503
    ctx.body = error instanceof Error ? error.message : String(error)
  }
}

const allowCaching: Koa.Middleware = (ctx, next) => {
  ctx.set(publicCaching)
  return next()
}

const sendSession: Koa.Middleware = (ctx) => {
  ctx.body = { session: ctx.state["session"] }
}

describe.each(koas)("requireAuth in $name", ({ Koa }) => {
  function guarded(config = testConfig()) {
    const app = new Koa().use(showErrors).use(KoaAuth(config)).use(allowCaching)
    return app.use(requireAuth()).use(sendSession)
  }

  testGuard({ start: (config) => serve(guarded(config)), failure: [503, "could not be read"] })

  it.each(["http://x%2fprivate/", "http://x%2f", "http://user@x/", "ftp://x/"])(
    "CONF-02: is not bypassed by the target %s while the home page is open",
    async (target) => {
      const config = testConfig({ pages: { signIn: "/" } })
      const origin = await serve(new Koa().use(KoaAuth(config)).use(requireAuth()).use(sendSession))
      expect((await ask(origin, target)).status).toBe(400)
      expect((await ask(origin, "http://x/private")).status).toBe(401)
      expect((await ask(origin, "http://x/")).status).toBe(200)
    },
  )

  it("CONF-02: judges the path that the client sent, not one that a middleware put in its place", async () => {
    const app = new Koa().use(KoaAuth(testConfig({ pages: { signIn: "/login" } })))
    app.use(async (ctx, next) => {
      ctx.url = "/login"
      await next()
    })
    const origin = await serve(app.use(requireAuth()).use(sendSession))
    expect((await ask(origin, "/private")).status).toBe(401)
    expect((await ask(origin, "/login")).status).toBe(200)
  })

  it("throws for the built-in sign-in page and explains how to mount it", async () => {
    const app = new Koa().use(showErrors).use(KoaAuth(testConfig()))
    app.use(async (ctx, next) => {
      ctx.originalUrl = "/auth/signin"
      await next()
    })
    const response = await fetch(`${await serve(app.use(requireAuth()))}/private`, { headers: html })
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining("Mount the endpoints before the guard"),
    ])
  })

  it("throws without KoaAuth, and does not pass", async () => {
    const origin = await serve(new Koa().use(showErrors).use(requireAuth()).use(sendSession))
    const response = await fetch(`${origin}/private`)
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining("Mount KoaAuth(config) for all paths"),
    ])
  })
})
