import { overHttp } from "@latchkey/testkit"
import { takingForms, testFormActions } from "@latchkey/testkit/integration"
import type Koa from "koa"
import { describe, expect, it } from "vitest"
import { AuthError, KoaAuth, requireAuth } from "../src/index.js"
import { ada, right, testConfig } from "./config.js"
import { bodyOf, bodyParser, koas } from "./koas.js"
import { ask, serve, visit } from "./serve.js"

const sessionCookie = "authjs.session-token"
const sessionLines = (response: Response) =>
  response.headers.getSetCookie().filter((line) => line.startsWith(sessionCookie))

type Handlers = Readonly<Record<string, Koa.Middleware>>

const handlers: Handlers = {
  "/login": async (ctx) => {
    ctx.status = 303
    ctx.redirect(await ctx.auth.signIn({ providerId: "credentials", fields: bodyOf(ctx) }))
  },
  "/logout": async (ctx) => ctx.redirect(await ctx.auth.signOut({ redirectTo: "/bye" })),
  "/both": async (ctx) => {
    await ctx.auth.signIn({ providerId: "credentials", fields: right })
    ctx.body = { session: await ctx.auth.getSession() }
  },
  "/fail": async (ctx) => {
    await ctx.auth.signOut()
    throw new Error("after the sign-out")
  },
  "/who": async (ctx) => {
    ctx.body = { before: ctx.auth.session, session: await ctx.auth.getSession() }
  },
  "/begin": async (ctx) => {
    ctx.body = await ctx.auth.signIn({ redirectTo: "/" })
  },
  "/plain": (ctx) => {
    ctx.body = "plain"
  },
  "/streamed": async (ctx) => {
    ctx.respond = false
    ctx.res.write("first, ")
    await ctx.auth.getSession()
    ctx.res.end("last")
  },
}

describe.each(koas)("ctx.auth in $name", ({ Koa }) => {
  function createApp(config: Parameters<typeof KoaAuth>[0] = testConfig()) {
    const app = new Koa().use(async (ctx, next) => {
      try {
        await next()
      } catch (error) {
        ctx.status = 403
        ctx.body = error instanceof AuthError ? error.type : String(error)
      }
    })
    app.use(KoaAuth(config)).use(bodyParser())
    return app.use((ctx, next) => handlers[ctx.path]?.(ctx, next))
  }

  it("signs in, beginning with the next request", async () => {
    const browser = await visit(createApp())
    const response = await browser.fetch("/login", { method: "POST", json: right })
    expect([response.status, response.headers.get("location")]).toEqual([303, `${browser.origin}/`])
    expect(await (await browser.fetch("/who")).json()).toMatchObject({ before: null, session: { user: ada } })
  })

  it("keeps the cookies of a sign-in over clearing an invalid cookie of the request", async () => {
    const origin = await serve(createApp())
    const headers = { cookie: `${sessionCookie}=forged` }
    const response = await fetch(`${origin}/both`, { method: "POST", headers })
    expect(await response.json()).toEqual({ session: null })
    expect(sessionLines(response)).toEqual([expect.not.stringContaining("Max-Age=0")])
  })

  it("returns the sign-in page without a provider", async () => {
    const browser = await visit(createApp())
    expect(await (await browser.fetch("/begin")).text()).toBe(`${browser.origin}/auth/signin?callbackUrl=%2F`)
  })

  it("signs out", async () => {
    const browser = await visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/logout", { method: "POST" })
    expect(response.headers.get("location")).toBe(`${browser.origin}/bye`)
    expect(await browser.session()).toBeNull()
  })

  it("keeps the cookies of a sign-out when the handler fails afterwards", async () => {
    const browser = await visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/fail", { method: "POST" })
    expect([response.status, await response.text()]).toEqual([403, "Error: after the sign-out"])
    expect(await browser.session()).toBeNull()
  })

  it("leaves a response that the app has begun to send as it is", async () => {
    const browser = await visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/streamed")
    expect([await response.text(), sessionLines(response)]).toEqual(["first, last", []])
  })

  it("renews a session only if it was read", async () => {
    const browser = await visit(createApp())
    await browser.signIn("credentials", right)
    expect(sessionLines(await browser.fetch("/who"))).toHaveLength(1)
    expect(sessionLines(await browser.fetch("/plain"))).toEqual([])
  })

  it("reads the session once for a request", async () => {
    let reads = 0
    const callbacks = { session: <S>({ session }: { session: S }) => ({ ...session, count: ++reads }) }
    const app = new Koa().use(KoaAuth(testConfig({ callbacks }))).use(requireAuth())
    app.use(async (ctx) => {
      ctx.body = [await ctx.auth.getSession(), await ctx.auth.getSession()]
    })
    const browser = await visit(app)
    await browser.signIn("credentials", right)
    reads = 0
    expect((await browser.fetch("/")).status).toBe(200)
    expect(reads).toBe(1)
  })

  it("CONF-01: throws without a secret", async () => {
    const origin = await serve(createApp(testConfig({ secret: "" })))
    const { status, body } = await ask(origin, "/who")
    expect([status, body]).toEqual([403, "AuthError"])
  })

  testFormActions(
    async (config, answer) => {
      const app = new Koa().use(KoaAuth(config)).use(async (ctx) => {
        const { headers, body } = await answer(takingForms(ctx.auth))
        ctx.set("set-cookie", headers.getSetCookie())
        ctx.body = await new Response(body).text() // Koa 2 knows no streams of the Web.
      })
      return { origin: await serve(app), handler: overHttp }
    },
    { needsOrigin: false },
  )
})
