import type { AuthConfig } from "@latchkey/core"
import { describe, expect, it } from "vitest"
import { createNodeListener } from "../src/node-listener.js"
import { toNodeHandler } from "../src/to-node-handler.js"
import { testConfig } from "./config.js"
import { serve } from "./serve.js"

/** Three callbacks a minute for each network. */
const rateLimit: NonNullable<AuthConfig["rateLimit"]> = { budgets: { callback: { limit: 3, windowSeconds: 60 } } }

async function start(changes: Partial<AuthConfig> = {}) {
  const secret = `a secret of this test alone: ${crypto.randomUUID()}`
  const warnings: string[] = []
  const logger = { error: () => {}, warn: (code: string) => void warnings.push(code) }
  const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const
  const config = testConfig({ secret, rateLimit, logger, providers: [oidc], ...changes })
  const { origin } = await serve(toNodeHandler(config))
  const ask = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}/auth/callback/oidc?code=c`, { headers, redirect: "manual" })
    await response.text()
    return response.status === 429
  }
  return { ask, warnings }
}

async function refusals(ask: (index: number) => Promise<boolean>): Promise<readonly boolean[]> {
  const refused = []
  for (let index = 0; index < 5; index++) refused.push(await ask(index))
  return refused
}

const limited = [false, false, false, true, true]
const open = [false, false, false, false, false]

describe("the visitor's address on node:http", () => {
  it("is told to a function that answers by itself", async () => {
    const { origin } = await serve(createNodeListener((_, context) => Response.json(context)))
    expect(await (await fetch(origin)).json()).toEqual({ clientAddress: expect.stringMatching(/127\.0\.0\.1$/) })
  })

  it("RATE-01: is that of the socket", async () => {
    const { ask, warnings } = await start()
    expect(await refusals(() => ask())).toEqual(limited)
    expect(warnings).toEqual([])
  })

  it("RATE-02: is not what a header says while no proxy is trusted; such visitors share a budget", async () => {
    const { ask, warnings } = await start({ rateLimit: { budgets: { callback: { limit: 1, windowSeconds: 60 } } } })
    const refused = []
    for (let index = 0; index < 12; index++) refused.push(await ask({ "x-forwarded-for": `6.6.6.${index}` }))
    expect(refused).toEqual([...Array(10).fill(false), true, true])
    expect(warnings).toEqual(["proxy-not-trusted"])
  })

  it("RATE-03: is the right-most that no trusted proxy has", async () => {
    const { ask, warnings } = await start({ trustedProxies: ["127.0.0.0/8", "::1"] })
    expect(await refusals((index) => ask({ "x-forwarded-for": `6.6.6.${index}, 1.2.3.4, 127.0.0.1` }))).toEqual(limited)
    expect(await refusals((index) => ask({ forwarded: `for=6.6.6.${index}, for=1.2.3.5` }))).toEqual(limited)
    expect(await refusals((index) => ask({ "x-forwarded-for": `1.2.3.${index + 10}` }))).toEqual(open)
    expect(warnings).toEqual([])
  })
})
