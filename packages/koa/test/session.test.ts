import type Koa from "koa"
import { describe, expect, it } from "vitest"
import { KoaAuth } from "../src/index.js"
import { right, testConfig } from "./config.js"
import { koas } from "./koas.js"
import { serve, visit } from "./serve.js"

const sessionCookie = "authjs.session-token"
const sessionLines = (response: Response) =>
  response.headers.getSetCookie().filter((line) => line.startsWith(sessionCookie))

type Handlers = Readonly<Record<string, Koa.Middleware>>

const handlers: Handlers = {
  "/fail": async (ctx) => {
    await ctx.auth.signOut()
    throw new Error("after the sign-out")
  },
  "/streamed": async (ctx) => {
    ctx.respond = false
    ctx.res.write("first, ")
    await ctx.auth.getSession()
    ctx.res.end("last")
  },
}

describe.each(koas)("ctx.auth in $name", ({ Koa }) => {
  function createApp() {
    const app = new Koa().use(async (ctx, next) => {
      try {
        await next()
      } catch (error) {
        ctx.status = 403
        ctx.body = String(error)
      }
    })
    app.use(KoaAuth(testConfig()))
    return app.use((ctx, next) => handlers[ctx.path]?.(ctx, next))
  }

  it("keeps the cookies of a sign-out when the handler fails afterwards", async () => {
    const browser = await visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/fail", { method: "POST" })
    expect([response.status, await response.text()]).toEqual([403, "Error: after the sign-out"])
    expect(await browser.session()).toBeNull()
  })

  it("keeps them when Koa answers the error, which removes all headers", async () => {
    const app = new Koa().use(KoaAuth(testConfig()))
    app.silent = true
    const browser = await visit(app.use((ctx, next) => handlers[ctx.path]?.(ctx, next)))
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/fail", { method: "POST" })
    expect([response.status, response.headers.get("cache-control")]).toEqual([500, "private, no-store"])
    expect(await browser.session()).toBeNull()
  })

  it("renews the session on an error that the app throws for the visitor", async () => {
    const app = new Koa().use(KoaAuth(testConfig()))
    const browser = await visit(
      app.use(async (ctx) => {
        await ctx.auth.getSession()
        ctx.throw(404)
      }),
    )
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/unheard-of")
    expect([response.status, sessionLines(response)]).toEqual([404, [expect.stringContaining("=")]])
  })

  it.each([
    ["a wrong password", "", 401],
    ["a form of another site", "https://evil.test", 403],
  ])("answers %s with a status of its own if the app does not catch the error", async (_, foreign, status) => {
    const app = new Koa().use(KoaAuth(testConfig()))
    app.use(async (ctx) => void (await ctx.auth.signIn({ providerId: "credentials", fields: { password: "wrong" } })))
    const origin = await serve(app)
    const response = await fetch(`${origin}/login`, { method: "POST", headers: { origin: foreign || origin } })
    expect([response.status, await response.text()]).toEqual([status, status === 401 ? "Unauthorized" : "Forbidden"])
  })

  it("leaves a response that the app has begun to send as it is", async () => {
    const browser = await visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/streamed")
    expect([await response.text(), sessionLines(response)]).toEqual(["first, last", []])
  })
})
