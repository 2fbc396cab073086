import { testOrigin, visitConfig, visitFive, visits } from "@latchkey/testkit/integration"
import type { FastifyServerOptions } from "fastify"
import { describe, expect, it, vi } from "vitest"
import { testConfig } from "./config.js"
import { callbackUrl, createApp, serve } from "./serve.js"

describe("authPlugin", () => {
  testOrigin({
    start: async (config, trustProxy) => serve(await createApp(config, { trustProxy })),
    forwardedHosts: "last",
  })

  it("HOST-02: ignores forwarded headers of a client that bypasses the proxy", async () => {
    const app = await createApp(testConfig(), { trustProxy: "10.0.0.1" })
    expect(
      await callbackUrl(app, "/auth/providers", { "x-forwarded-proto": "https", "x-forwarded-host": "public.test" }),
    ).toBe("http://app.test/auth/callback/credentials")
  })

  it("names the option in the log if it is missing", async () => {
    const error = vi.fn()
    const app = await createApp(testConfig({ logger: { error } }))
    const headers = {
      host: "app.test",
      origin: "https://app.test",
      "content-type": "application/x-www-form-urlencoded",
    }
    await app.inject({ url: "/auth/callback/credentials", method: "POST", headers, payload: "csrfToken=x" })
    expect(error.mock.calls[0]?.[0].message).toContain("write createFastify({ trustProxy:")
  })
})

describe("the client address", () => {
  type TrustProxy = NonNullable<FastifyServerOptions["trustProxy"]>

  async function start(trustProxy: TrustProxy, peer?: string, logger = {}) {
    const app = await createApp(visitConfig({ logger }), { trustProxy })
    app.server.on("connection", (socket) => {
      if (peer) Object.defineProperty(socket, "remoteAddress", { value: peer })
    })
    const origin = await serve(app)
    return (forwarded: (index: number) => string) => visitFive(origin, forwarded)
  }

  it("RATE-03: follows the app's trustProxy option", async () => {
    for (const trust of ["127.0.0.1", ["127.0.0.1", "::1"], (_: string, hop: number) => hop === 0]) {
      const ask = await start(trust)
      expect(await ask((index) => `6.6.6.${index}, 1.2.3.4`)).toEqual(visits.sameAddress)
      expect(await ask((index) => `1.2.4.${index}`)).toEqual(visits.otherAddresses)
    }
  })

  it("RATE-08: is unknown with trustProxy true, and the warning says why", async () => {
    const warn = vi.fn()
    const ask = await start(true, undefined, { warn })
    expect(await ask(() => "1.2.3.4")).toEqual(visits.otherAddresses)
    expect(warn.mock.calls.map(([code]) => code)).toContain("proxy-trust-too-wide")
  })

  const direct: readonly TrustProxy[] = [(_: string, hop: number) => hop < 1, () => true, "0.0.0.0/1, 128.0.0.0/1"]

  it.each(direct)(
    "RATE-03: is the socket's for a client that reaches the server directly, with trustProxy %s",
    async (trustProxy) => {
      const ask = await start(trustProxy, "203.0.113.9")
      expect(await ask((index) => `6.6.6.${index}`)).toEqual(visits.sameAddress)
    },
  )

  it("RATE-03: is the forwarded one behind a public proxy that the app names", async () => {
    const ask = await start("203.0.113.0/24", "203.0.113.9")
    expect(await ask((index) => `6.6.6.${index}`)).toEqual(visits.otherAddresses)
    expect(await ask((index) => `6.6.7.${index}, 1.2.3.4`)).toEqual(visits.sameAddress)
  })
})
