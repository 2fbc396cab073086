import { describe, expect, it } from "vitest"
import { Auth } from "../auth.js"
import { tokens } from "../crypto/jwt.js"
import { GitHub } from "../providers/github.js"
import type { AuthConfig } from "../types/config.js"
import type { ResolvedConfig } from "../types/resolved.js"
import { keepKnown, resolveKnown } from "./known-providers.js"
import { resolveConfig } from "./resolve.js"
import { validateConfig } from "./validate.js"

const secret = "a secret for tests that is long enough 3f9a"
const environment = { isProduction: false }

function configOf(providers: AuthConfig["providers"], rest: Partial<AuthConfig> = {}): AuthConfig {
  return { providers, secret, trustHost: true, ...rest }
}

const corp = (clientId: string, more: object = {}) =>
  ({
    id: "corp",
    name: "Corp",
    type: "oauth",
    clientId,
    clientSecret: "s",
    authorization: "https://corp.test/authorize",
    token: "https://corp.test/token",
    userinfo: "https://corp.test/userinfo",
    profile: (profile: { id: string }) => ({ id: profile.id }),
    ...more,
  }) as const

/** Resolves a configuration as a whole, as its first request does, and keeps it. */
function keep(config: AuthConfig): ResolvedConfig {
  const resolved = resolveConfig(config, environment)
  keepKnown(config, { resolved, mistake: validateConfig(resolved) })
  return resolved
}

/** The providers of a recognized configuration, once they are needed. Null if it is not recognized. */
function recognize(config: AuthConfig): ResolvedConfig["providers"] | null {
  const known = resolveKnown(config, environment)
  known?.addProviders?.()
  return known?.resolved.providers ?? null
}

describe("resolveKnown", () => {
  it("recognizes providers with the same data, and resolves them to the same", () => {
    const create = () => configOf([corp("equal"), GitHub({ clientId: "g", clientSecret: "s" })])
    const resolved = keep(create())
    const providers = recognize(create())
    expect(JSON.parse(JSON.stringify(providers))).toEqual(JSON.parse(JSON.stringify(resolved.providers)))
  })

  it("takes the functions of the configuration itself, not those of the one before", () => {
    keep(configOf([corp("functions")]))
    const profile = () => ({ id: "own" })
    const [provider] = recognize(configOf([corp("functions", { profile })])) ?? []
    expect(provider).toHaveProperty("profile", profile)
  })

  it("does not recognize a shared provider that the app wrote to, at any depth", () => {
    const shared = { ...corp("shared"), options: { clientId: "a", token: { params: { tenant: "a" } } } }
    keep(configOf([shared]))
    expect(recognize(configOf([shared]))).not.toBeNull()
    shared.options.token.params.tenant = "b"
    expect(recognize(configOf([shared]))).toBeNull()
    shared.options.token.params.tenant = "a"
    expect(recognize(configOf([shared]))).not.toBeNull()
    shared.options.clientId = "b"
    expect(recognize(configOf([shared]))).toBeNull()
  })

  it("resolves a provider as it was at the first request, if the app writes to it later", () => {
    const shared = { ...corp("pinned"), options: { clientId: "first" } }
    keep(configOf([shared]))
    const known = resolveKnown(configOf([shared]), environment)
    shared.options.clientId = "second"
    known?.addProviders?.()
    expect(known?.resolved.providers).toMatchObject([{ clientId: "first" }])
  })

  it.each([
    ["another field", { wellKnown: "https://corp.test/.well-known/openid-configuration" }],
    ["a missing function", { profile: undefined }],
    ["an object of a class", { authorization: { url: new URL("https://corp.test/authorize") } }],
    ["a rule of its own", { optionRules: { scope: () => null } }],
  ])("does not recognize %s", (_, more) => {
    keep(configOf([corp("fields")]))
    expect(recognize(configOf([corp("fields", more)]))).toBeNull()
  })

  it("does not recognize another redirect proxy, or a list with one provider more", () => {
    keep(configOf([corp("proxy")]))
    expect(recognize(configOf([corp("proxy")], { redirectProxyUrl: "https://proxy.test/auth" }))).toBeNull()
    expect(recognize(configOf([corp("proxy"), corp("proxy")]))).toBeNull()
  })

  it("keeps neither a getter nor an object of a class, which may change", () => {
    const withGetter = Object.defineProperty(corp("getter"), "scope", { get: () => "x", enumerable: true })
    keep(configOf([withGetter]))
    expect(recognize(configOf([withGetter]))).toBeNull()
    const create = () => configOf([corp("url", { style: { at: new Date(0) } })])
    keep(create())
    expect(recognize(create())).toBeNull()
  })

  it("keeps no invalid configuration", () => {
    const create = () => configOf([corp("invalid", { token: "not a URL" })])
    keep(create())
    expect(recognize(create())).toBeNull()
  })

  it("validates the other options of a recognized configuration", () => {
    keep(configOf([corp("options")]))
    const known = resolveKnown(configOf([corp("options")], { session: { maxAge: -1 } }), environment)
    expect(known?.mistake?.message).toMatch(/^session\.maxAge: /)
  })
})

describe("Auth with a new configuration for each request", () => {
  const cookieName = "__Secure-authjs.session-token"

  async function read(config: AuthConfig, path: string): Promise<Response> {
    const value = await tokens.encode({ token: { sub: "1", name: "Ada" }, secret, salt: cookieName })
    const headers = { cookie: `${cookieName}=${value}`, accept: "application/json" }
    return Auth(new Request(`https://app.test/auth/${path}`, { headers }), config)
  }

  it("answers session checks, and every other request with the providers of its own configuration", async () => {
    for (const name of ["One", "Two", "Three", "Four"]) {
      const create = () => configOf([corp("list"), corp("second", { id: `p-${name}`, name })])
      for (let n = 0; n < 3; n++) {
        expect(await (await read(create(), "session")).json()).toMatchObject({ user: { name: "Ada" } })
        const list = (await (await read(create(), "providers")).json()) as object
        expect(Object.keys(list)).toEqual(["corp", `p-${name}`])
        const config = create()
        await read(config, "session")
        expect(await (await read(config, "signin")).text()).toContain(name)
      }
    }
  })

  it("refuses a session check when a shared provider became invalid", async () => {
    const logger = { error: () => {} }
    const shared: { token: string } & ReturnType<typeof corp> = { ...corp("broken") }
    for (let n = 0; n < 3; n++) expect((await read(configOf([shared], { logger }), "session")).status).toBe(200)
    Object.assign(shared, { token: "no longer a URL" })
    expect((await read(configOf([shared], { logger }), "session")).status).toBe(500)
  })
})
