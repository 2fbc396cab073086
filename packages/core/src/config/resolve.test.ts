import { describe, expect, it } from "vitest"
import { recoveryCodes, secondFactors, totp } from "../features/second-factors/index.js"
import { defaultRequestLimits } from "../http/limits.js"
import { skipCSRFCheck } from "../types/basics.js"
import type { AuthConfig } from "../types/config.js"
import { resolveConfig } from "./resolve.js"
import { validateConfig } from "./validate.js"

const day = 86_400
const resolve = (config: Partial<AuthConfig>) => resolveConfig({ providers: [], ...config }, { isProduction: false })

/** A configuration without type checks. */
const untyped = (config: object) => resolveConfig({ providers: [], ...config }, { isProduction: false })

describe("resolveConfig", () => {
  it("names the site after the issuer of authenticator apps, unless the theme has a name", () => {
    const factors = (issuer: string) => secondFactors({ factors: [recoveryCodes(), totp({ issuer })] })
    expect(resolve({ secondFactors: factors("Harbour") }).theme).toEqual({ name: "Harbour" })
    expect(resolve({ secondFactors: factors("Harbour"), theme: { name: "Port", logo: "/l" } }).theme.name).toBe("Port")
    expect(resolve({ secondFactors: factors(" "), theme: { name: "" } }).theme).toEqual({ name: "" })
    expect(resolve({ secondFactors: secondFactors({ factors: [totp()] }) }).theme).toEqual({})
  })

  it("KEY-04: accepts a secret with a line end also without it, and keeps the first as it is", () => {
    const secret = "a secret of at least thirty-two characters"
    expect(resolve({ secret: `${secret}\n` }).secrets).toEqual([`${secret}\n`, secret])
    expect(resolve({ secret: [secret, `old ${secret}\r\n`] }).secrets).toEqual([
      secret,
      `old ${secret}\r\n`,
      `old ${secret}`,
    ])
    const many = Array.from({ length: 10 }, (_, n) => `${secret} ${n}\n`)
    expect(resolve({ secret: many }).secrets).toEqual(many)
    expect(resolve({ secret }).secrets).toEqual([secret])
  })

  it("fills in the contract's defaults", () => {
    expect(resolve({})).toEqual({
      providers: [],
      adapter: undefined,
      features: [],
      basePath: "/auth",
      secrets: [],
      callbacks: undefined,
      events: undefined,
      cookies: undefined,
      session: { strategy: "jwt", maxAge: 30 * day, updateAge: day, generateSessionToken: undefined, canTrack: true },
      jwt: { secrets: [], maxAge: 30 * day, encode: undefined, decode: undefined },
      pages: {},
      theme: {},
      logger: undefined,
      isDebug: false,
      isProduction: false,
      trustHost: false,
      localHosts: null,
      allowedOrigins: undefined,
      useSecureCookies: undefined,
      isCsrfSkipped: false,
      trustedProxies: [],
      clientAddress: undefined,
      clearCacheOnSignOut: true,
      freshFor: 600,
      securityNotices: true,
      rateLimit: undefined,
      requestLimits: defaultRequestLimits,
    })
  })

  it("CONF-06: resolves a deeply frozen configuration and keeps its values", () => {
    const config = deepFreeze({
      providers: [{ id: "idp", name: "I", type: "oidc", issuer: "https://idp.test", options: { clientId: "c" } }],
      secret: ["the newest of the two secrets of a host", "the older one of the secrets of a host"],
      trustHost: true,
      basePath: "/api/auth/",
      session: { strategy: "jwt", maxAge: 60, updateAge: 0, generateSessionToken: () => "t" },
      jwt: { maxAge: 30, secret: "a secret for tokens, and for nothing else" },
      cookies: { state: { options: { domain: "app.test" } } },
      pages: { signIn: "/in" },
      theme: { brandColor: "#111" },
      debug: true,
      useSecureCookies: true,
      callbacks: { signIn: () => true },
      events: { signOut: () => {} },
      experimental: { enableWebAuthn: true },
    } satisfies AuthConfig)
    const resolved = resolveConfig(config, { isProduction: true })
    expect(validateConfig(resolved)).toBeNull()
    expect(resolved).toMatchObject({
      basePath: "/api/auth",
      secrets: config.secret,
      session: config.session,
      jwt: { maxAge: 30, secrets: ["a secret for tokens, and for nothing else"] },
      pages: { signIn: "/in" },
      theme: { brandColor: "#111" },
      isDebug: true,
      isProduction: true,
      useSecureCookies: true,
    })
    expect(resolved.providers[0]).toMatchObject({ id: "idp", clientId: "c" })
    expect(resolved.callbacks).toBe(config.callbacks)
  })

  it("defaults to database sessions with an adapter", () => {
    expect(resolve({ adapter: {} }).session.strategy).toBe("database")
    expect(resolve({ adapter: {}, session: { strategy: "jwt" } }).session.strategy).toBe("jwt")
    expect(resolve({ adapter: {}, session: { maxAge: 5 } }).session).toMatchObject({ strategy: "database", maxAge: 5 })
  })

  it("jwt.maxAge defaults to session.maxAge", () => {
    expect(resolve({ session: { maxAge: 60 } }).jwt.maxAge).toBe(60)
    expect(resolve({ session: { maxAge: 60 }, jwt: { maxAge: 30 } }).jwt.maxAge).toBe(30)
  })

  it("jwt.secret defaults to secret", () => {
    expect(resolve({ secret: "a" }).jwt.secrets).toEqual(["a"])
    expect(resolve({ secret: "a", jwt: { secret: ["b", "c"] } }).jwt.secrets).toEqual(["b", "c"])
    expect(resolve({ secret: "a", jwt: { secret: "" } }).jwt.secrets).toEqual([])
  })

  it.each([undefined, null, "", [], 0, 7, true])("KEY-05: treats the secret %j as missing", (secret) => {
    expect(untyped({ secret }).secrets).toEqual([])
  })

  it("skips the CSRF check only for the symbol skipCSRFCheck", () => {
    for (const other of [true, "true", 1, Symbol("latchkey.skip-csrf-check"), {}]) {
      expect(untyped({ skipCSRFCheck: other }).isCsrfSkipped).toBe(false)
    }
    expect(resolve({ skipCSRFCheck }).isCsrfSkipped).toBe(true)
  })

  it("applies redirectProxyUrl to each provider", () => {
    const provider = { id: "idp", name: "I", type: "oidc", issuer: "https://idp.test" } as const
    const { providers } = resolve({ providers: [provider], redirectProxyUrl: "https://proxy.test/auth" })
    expect(providers).toMatchObject([{ redirectProxyUrl: "https://proxy.test/auth", checks: ["pkce", "state"] }])
  })
})

function deepFreeze<T extends object>(value: T): T {
  for (const name of Reflect.ownKeys(value)) {
    const inner: unknown = Reflect.get(value, name)
    if (typeof inner === "object" && inner !== null) deepFreeze(inner)
  }
  return Object.freeze(value)
}
