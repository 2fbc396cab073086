import type { RequestEvent } from "@sveltejs/kit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { findEnvironment, isPrerender, type SvelteKitAuthConfig, settingsFinder, toCaller } from "./config.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("findEnvironment", () => {
  it("prefers the app's variables over those of the process", async () => {
    vi.stubEnv("AUTH_SECRET", "the process's")
    vi.stubEnv("AUTH_URL", "https://app.test")
    const found = await findEnvironment({ AUTH_SECRET: "the app's" })
    expect([found["AUTH_SECRET"], found["AUTH_URL"]]).toEqual(["the app's", "https://app.test"])
  })

  it("ignores values other than strings", async () => {
    const found = await findEnvironment({ PORT: 3000, AUTH_URL: new URL("https://app.test"), AUTH_SECRET: undefined })
    expect(found).not.toHaveProperty("PORT")
    expect(found["AUTH_URL"]).toBe(process.env["AUTH_URL"])
  })

  it("uses only the process's variables outside SvelteKit's build", async () => {
    vi.stubEnv("AUTH_SECRET", "the process's")
    expect((await findEnvironment(undefined))["AUTH_SECRET"]).toBe("the process's")
  })

  it("sets NODE_ENV to production in a built app, unless it is set", async () => {
    vi.stubEnv("PROD", true)
    vi.stubEnv("NODE_ENV", undefined)
    expect((await findEnvironment({}))["NODE_ENV"]).toBe("production")
    expect((await findEnvironment({ NODE_ENV: "test" }))["NODE_ENV"]).toBe("test")
  })
})

function eventOf(headers: Record<string, string>, getClientAddress: () => string) {
  const request = new Request("https://app.test/x", { headers })
  return { request, url: new URL(request.url), getClientAddress }
}

/** Throws as SvelteKit does while it prerenders. */
const refuse = (): never => {
  throw new Error("Cannot read clientAddress during prerendering")
}

describe("settingsFinder", () => {
  async function messagesOf(
    config: Partial<SvelteKitAuthConfig>,
    env?: Readonly<Record<string, unknown>>,
    getClientAddress = () => "192.0.2.1",
  ): Promise<readonly string[]> {
    vi.stubEnv("AUTH_SECRET", undefined)
    const messages: string[] = []
    const logger = { error: ({ message }: Error) => void messages.push(message) }
    const findSettings = settingsFinder({ providers: [], logger, ...config }, env)
    const event = eventOf({}, getClientAddress) as RequestEvent // Only these parts are read.
    await findSettings(event)
    await findSettings(event)
    return messages
  }

  it("explains once why the secret of .env does not arrive", async () => {
    const message = expect.stringContaining("only the variables of .env that src/env.ts declares")
    expect(await messagesOf({})).toEqual([message])
    expect(await messagesOf({}, { AUTH_GITHUB_ID: "x" })).toEqual([message])
  })

  it("explains nothing with a secret, or while SvelteKit prerenders", async () => {
    expect(await messagesOf({ secret: "a secret" })).toEqual([])
    expect(await messagesOf({}, { AUTH_SECRET: "a secret" })).toEqual([])
    expect(await messagesOf({}, undefined, refuse)).toEqual([])
  })
})

describe("toCaller", () => {
  it("CSRF-11: marks a form as verified only with an Origin header", () => {
    const without = toCaller(eventOf({}, () => "192.0.2.1"))
    const withOrigin = toCaller(eventOf({ origin: "https://app.test" }, () => "192.0.2.1"))
    expect([without.context?.isVerifiedForm, withOrigin.context?.isVerifiedForm]).toEqual([false, true])
  })

  it("takes the protocol, host and address from SvelteKit's event", () => {
    expect(toCaller(eventOf({ host: "other.test" }, () => "192.0.2.1"))).toMatchObject({
      protocol: "https:",
      host: "app.test",
      context: { clientAddress: "192.0.2.1" },
    })
  })

  it("leaves the address out when SvelteKit does not know it", () => {
    expect(toCaller(eventOf({}, refuse)).context?.clientAddress).toBeUndefined()
  })
})

describe("isPrerender", () => {
  it("detects a request that SvelteKit makes while it prerenders", () => {
    expect(isPrerender(eventOf({}, refuse))).toBe(true)
    expect(isPrerender(eventOf({ cookie: "a=b" }, refuse))).toBe(false)
    expect(isPrerender(eventOf({ authorization: "Bearer latchkey_x" }, refuse))).toBe(false)
    expect(isPrerender(eventOf({}, () => "192.0.2.1"))).toBe(false)
  })

  it("takes no visitor for SvelteKit on a server that does not know addresses", () => {
    // as: on a UNIX socket, adapter-node returns undefined, whatever its type says.
    expect(isPrerender(eventOf({}, (() => undefined) as unknown as () => string))).toBe(false)
    const fail = (): never => {
      throw new Error("Address header was specified with ADDRESS_HEADER=x-real-ip but is absent from request")
    }
    expect(isPrerender(eventOf({}, fail))).toBe(false)
  })
})
