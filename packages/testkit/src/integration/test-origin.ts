import { request as sendRequest } from "node:http"
import { text } from "node:stream/consumers"
import type { AuthConfig, Optional } from "@latchkey/core/types"
import { afterEach, expect, it, vi } from "vitest"
import { describeBehavior } from "./behavior.js"
import { integrationConfig } from "./server-under-test.js"

/** A server with the service at `/auth`. */
export interface OriginUnderTest {
  /**
   * Starts a server, which is closed after the test, and returns its origin.
   * @param trustsProxy Whether the app trusts `X-Forwarded-Proto` and `X-Forwarded-Host` of every proxy.
   */
  start(config: AuthConfig, trustsProxy: boolean): Promise<string>
  /** Whether the framework's server itself answers an invalid Host header with 400, without a log entry. Default: false. */
  readonly checksHost?: boolean | undefined
  /** Which one of several forwarded hosts a trusting app uses. Default: the request is refused. */
  readonly forwardedHosts?: "refused" | "last" | undefined
}

const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "public.test:8443" }

/** Registers the tests of how a server tells the app's origin and the address of its clients. */
export function testOrigin({ start, checksHost = false, forwardedHosts = "refused" }: OriginUnderTest): void {
  const register = () => {
    afterEach(() => {
      vi.unstubAllEnvs()
    })

    async function callbackUrl(trustsProxy: boolean, headers: Record<string, string> = {}): Promise<string> {
      const origin = await start(integrationConfig(), trustsProxy)
      const { body } = await askRaw(origin, "/auth/providers", { host: "app.test", ...headers })
      return JSON.parse(body).credentials.callbackUrl
    }

    it("HOST-02: ignores forwarded headers unless the app trusts its proxy", async () => {
      expect(await callbackUrl(false, forwarded)).toBe("http://app.test/auth/callback/credentials")
    })

    it("follows forwarded headers, including the port, if the app trusts its proxy", async () => {
      expect(await callbackUrl(true, forwarded)).toBe("https://public.test:8443/auth/callback/credentials")
      expect(await callbackUrl(true, { ...forwarded, host: "internal.test:80" })).toContain("https://public.test:8443")
      expect(await callbackUrl(true)).toBe("http://app.test/auth/callback/credentials")
    })

    it("HOST-02: uses the origin of AUTH_URL, regardless of the request", async () => {
      vi.stubEnv("AUTH_URL", "https://public.test")
      expect(await callbackUrl(true, forwarded)).toBe("https://public.test/auth/callback/credentials")
      expect(await callbackUrl(false, { ...forwarded, host: "evil.test" })).toContain("https://public.test/")
    })

    it.each([
      [{ host: "user@evil.test" }, false],
      [{ host: "app.test evil.test" }, false],
      [{ "x-forwarded-host": "user@evil.test/x?" }, true],
      [{ "x-forwarded-host": "[::1" }, true],
      [{ "x-forwarded-host": "app.test:99999" }, true],
      [{ "x-forwarded-proto": "javascript" }, true],
      [{ "x-forwarded-proto": "https://evil.test/" }, true],
    ])("HOST-04, HOST-05: answers %j with 400 and logs it", async (headers: Record<string, string>, trustsProxy) => {
      const error = vi.fn()
      const origin = await start({ ...integrationConfig(), logger: { error } }, trustsProxy)
      expect((await askRaw(origin, "/auth/session", headers)).status).toBe(400)
      if (checksHost && "host" in headers) expect(error).not.toHaveBeenCalled()
      else expect(error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ type: "UntrustedHost" }))
    })

    it("HOST-05: never uses a forwarded host that a proxy has added another one to", async () => {
      const origin = await start(integrationConfig(), true)
      const answer = await askRaw(origin, "/auth/providers", { "x-forwarded-host": "evil.test, app.test" })
      expect([answer.status, answer.body.includes("evil.test")]).toEqual([forwardedHosts === "last" ? 200 : 400, false])
    })

    it("HOST-03: rejects requests to an origin that is not allowed", async () => {
      const origin = await start({ ...integrationConfig(), allowedOrigins: ["http://app.test"] }, false)
      const statusOf = async (host: string) => (await askRaw(origin, "/auth/session", { host })).status
      expect([await statusOf("app.test"), await statusOf("evil.test")]).toEqual([200, 400])
    })

    it("sets secure cookies if a trusted proxy forwards https", async () => {
      const origin = await start(integrationConfig(), true)
      const response = await fetch(`${origin}/auth/csrf`, { headers: forwarded })
      expect(response.headers.getSetCookie().join()).toMatch(/^__Host-authjs\.csrf-token=.*; Secure/)
    })
  }
  describeBehavior("origin and client address", register, "the origin")
  describeBehavior("origin and client address", () => testClientAddress(start), "the client address")
}

const rateLimit = { budgets: { callback: { limit: 3, windowSeconds: 60 } } }
const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const

/** Whether each of five requests is refused, at a limit of three for each address. */
export const visits = {
  sameAddress: [false, false, false, true, true],
  otherAddresses: [false, false, false, false, false],
} as const

/** A configuration that allows each address three visits. */
export function visitConfig({ providers = [oidc], ...changes }: Optional<AuthConfig> = {}): AuthConfig {
  const secret = `a secret of this test alone: ${crypto.randomUUID()}`
  return { ...integrationConfig(), secret, rateLimit, ...changes, providers }
}

/**
 * Visits a server of {@link visitConfig} five times.
 * @param forwardedFor Returns the header `X-Forwarded-For` of a visit. Undefined: it has none.
 * @returns whether each was refused
 */
export async function visitFive(
  origin: string,
  forwardedFor: (index: number) => string | undefined,
): Promise<readonly boolean[]> {
  const refused: boolean[] = []
  for (let index = 0; index < 5; index++) {
    const value = forwardedFor(index)
    const headers = value === undefined ? {} : { "x-forwarded-for": value }
    const response = await fetch(`${origin}/auth/callback/oidc?code=c`, { headers, redirect: "manual" })
    refused.push(response.status === 429)
    await response.text()
  }
  return refused
}

function testClientAddress(start: OriginUnderTest["start"]): void {
  it("RATE-01: is the address of the socket", async () => {
    const origin = await start(visitConfig(), false)
    expect(await visitFive(origin, () => undefined)).toEqual(visits.sameAddress)
  })

  it("RATE-02: is unknown if the app trusts every proxy, so that no forged header is believed", async () => {
    const origin = await start(visitConfig(), true)
    expect(await visitFive(origin, () => "6.6.6.6")).toEqual(visits.otherAddresses)
  })

  it("RATE-03: follows trustedProxies rather than the app's settings", async () => {
    const origin = await start(visitConfig({ trustedProxies: ["127.0.0.1", "::1", "10.0.0.0/8"] }), true)
    expect(await visitFive(origin, (index) => `6.6.6.${index}, 1.2.3.4, 10.0.0.1`)).toEqual(visits.sameAddress)
    expect(await visitFive(origin, (index) => `1.2.4.${index}`)).toEqual(visits.otherAddresses)
  })
}

/** The answer to {@link askRaw}. */
export interface RawAnswer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** Sends a request with headers or a target that `fetch` refuses to send. */
export function askRaw(origin: string, path: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const sent = sendRequest({ hostname, port, path, headers }, (answer) => {
      const { statusCode: status, headers: received } = answer
      text(answer).then((body) => resolve({ status, headers: received, body }), reject)
    })
    sent.on("error", reject).end()
  })
}
