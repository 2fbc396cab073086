import { testOrigin, visitConfig, visitFive, visits } from "@latchkey/testkit/integration"
import { describe, expect, it, vi } from "vitest"
import { KoaAuth } from "../src/index.js"
import { testConfig } from "./config.js"
import { koas } from "./koas.js"
import { serve } from "./serve.js"

const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "public.test:8443" }

describe.each(koas)("KoaAuth in $name", ({ Koa }) => {
  testOrigin({ start: (config, proxy) => serve(new Koa({ proxy }).use(KoaAuth(config))) })

  it("sets secure cookies for the app's own session behind a trusted proxy", async () => {
    const config = testConfig()
    const app = new Koa({ proxy: true }).use(KoaAuth(config)).use(async (ctx) => {
      await ctx.auth.signIn({ providerId: "credentials", fields: { username: "ada", password: "correct horse" } })
      ctx.body = "done"
    })
    const headers = { ...forwarded, origin: "https://public.test:8443" }
    const response = await fetch(`${await serve(app)}/login`, { method: "POST", headers })
    expect(response.headers.getSetCookie().join()).toMatch(/__Secure-authjs\.session-token=.*; Secure/)
  })
})

describe.each(koas)("the client address in $name", ({ Koa }) => {
  async function start(options: ConstructorParameters<typeof Koa>[0], peer?: string, logger = {}) {
    const app = new Koa(options).use(async ({ req }, next) => {
      if (peer) Object.defineProperty(req.socket, "remoteAddress", { value: peer, configurable: true })
      await next()
    })
    const origin = await serve(app.use(KoaAuth(visitConfig({ logger }))))
    return (forwarded: (index: number) => string) => visitFive(origin, forwarded)
  }

  it("RATE-03: is the address that the counted proxy added", async () => {
    const visit = await start({ proxy: true, maxIpsCount: 1 })
    expect(await visit((index) => `6.6.6.${index}, 1.2.3.4`)).toEqual(visits.sameAddress)
    expect(await visit((index) => `1.2.4.${index}`)).toEqual(visits.otherAddresses)
  })

  it("RATE-08: is unknown with a proxy that is not counted, and the warning says so", async () => {
    const warn = vi.fn()
    const visit = await start({ proxy: true }, "127.0.0.1", { warn })
    expect(await visit(() => "1.2.3.4")).toEqual(visits.otherAddresses)
    expect(warn.mock.calls.filter(([code]) => code.startsWith("proxy"))).toEqual([
      ["proxy-trust-too-wide", "Write new Koa({ proxy: true, maxIpsCount: 1 })"],
    ])
  })

  it("RATE-03: is the socket's for a client that reaches the server directly", async () => {
    const visit = await start({ proxy: true, maxIpsCount: 1 }, "203.0.113.9")
    expect(await visit((index) => `6.6.6.${index}`)).toEqual(visits.sameAddress)
  })
})
