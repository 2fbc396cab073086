import type { AuthConfig } from "@latchkey/core"
import { describe, expect, it } from "vitest"
import { ExpressAuth } from "../src/express-auth.js"
import { testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"

/** Three callbacks a minute for each network; thirty where the network is not known. */
const rateLimit: NonNullable<AuthConfig["rateLimit"]> = { budgets: { callback: { limit: 3, windowSeconds: 60 } } }
const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const

describe.each(expresses)("the visitor's address in $name", ({ express }) => {
  async function start(trust: unknown, changes: Partial<AuthConfig> = {}) {
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const app = express()
    if (trust !== undefined) app.set("trust proxy", trust)
    const config = testConfig({ secret, rateLimit, providers: [oidc], ...changes })
    const origin = await serve(app.use("/auth", ExpressAuth(config)))
    return async (forwarded: (index: number) => string | undefined) => {
      const refused = []
      for (let index = 0; index < 5; index++) {
        const value = forwarded(index)
        const headers = value === undefined ? {} : { "x-forwarded-for": value }
        const response = await fetch(`${origin}/auth/callback/oidc?code=c`, { headers, redirect: "manual" })
        refused.push(response.status === 429)
        await response.text()
      }
      return refused
    }
  }

  const limited = [false, false, false, true, true]
  const open = [false, false, false, false, false]

  it("RATE-01: is that of the socket", async () => {
    const ask = await start(undefined)
    expect(await ask(() => undefined)).toEqual(limited)
  })

  it("RATE-03: is what the app's trust proxy setting makes of it", async () => {
    for (const trust of [1, "loopback"]) {
      const ask = await start(trust)
      expect(await ask((index) => `6.6.6.${index}, 1.2.3.4`)).toEqual(limited)
      expect(await ask((index) => `1.2.4.${index}`)).toEqual(open)
    }
  })

  it("RATE-03: may be that of a private network behind a proxy", async () => {
    const ask = await start(1)
    expect(await ask(() => "10.1.2.3")).toEqual(limited)
    expect(await ask(() => "10.1.2.4")).toEqual(limited)
  })

  it("RATE-02: is not the visitor's choice where the app trusts everybody; such visitors share a larger budget", async () => {
    const ask = await start(true)
    const rounds = []
    for (let round = 0; round < 7; round++) rounds.push(...(await ask((index) => `6.6.${round}.${index}`)))
    expect(rounds).toEqual([...Array(30).fill(false), ...Array(5).fill(true)])
  })

  it("RATE-03: is what trustedProxies says where they are given, whatever the app trusts", async () => {
    const ask = await start(1, { trustedProxies: ["127.0.0.1", "::1", "10.0.0.0/8"] })
    expect(await ask((index) => `6.6.6.${index}, 1.2.3.4, 10.0.0.1`)).toEqual(limited)
  })
})
