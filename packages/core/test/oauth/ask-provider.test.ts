import { type FaultName, fakeIdentityProvider } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { resolveProvider } from "../../src/config/providers.js"
import { askProvider } from "../../src/oauth/ask-provider.js"
import { customFetch } from "../../src/types/basics.js"
import type { OIDCUserConfig } from "../../src/types/index.js"

const redirectUri = "https://app.example/auth/callback/oidc"
const secret = "a-secret-of-the-client"

type Method = "client_secret_basic" | "client_secret_post"

function openProvider({ method = "client_secret_basic", fault }: { method?: Method; fault?: FaultName } = {}) {
  const client = { client_id: "rp", client_secret: secret, token_endpoint_auth_method: method }
  const provider = fakeIdentityProvider({ issuer: "https://idp.test/realms/app", clients: [client] })
  if (fault) provider.faults.turnOn(fault)
  const ask = (overrides: OIDCUserConfig = {}) =>
    askProvider(resolveProvider(provider.provider({ clientSecret: secret, ...overrides }), undefined), redirectUri)
  return { provider, ask }
}

describe("askProvider", () => {
  it("finds nothing where the provider knows the client, and sends no one there", async () => {
    const { provider, ask } = openProvider()
    expect(await ask()).toMatchObject({ sentence: "", endpoint: "token", error: "invalid_grant" })
    expect(provider.requests.authorization).toEqual([])
    expect(provider.issued).toEqual([])
  })

  it.each<[string, OIDCUserConfig]>([
    ["a client secret that is wrong", { clientSecret: "another-secret" }],
    ["a client ID that is unknown", { clientId: "other" }],
  ])("names %s, without the secret", async (_, overrides) => {
    const verdict = await openProvider().ask(overrides)
    expect(verdict).toMatchObject({ reason: "client-rejected", endpoint: "token" })
    expect(verdict?.sentence).toContain("Check providers.oidc.clientSecret (AUTH_OIDC_SECRET)")
    expect(JSON.stringify(verdict)).not.toContain("another-secret")
    expect(verdict).not.toHaveProperty("acceptedMethod")
  })

  it.each<[Method, Method]>([
    ["client_secret_post", "client_secret_basic"],
    ["client_secret_basic", "client_secret_post"],
  ])("names %s, where the app uses %s", async (method, used) => {
    const { ask } = openProvider({ method })
    expect(await ask({ client: { token_endpoint_auth_method: used } })).toMatchObject({
      reason: "client-rejected",
      acceptedMethod: method,
    })
  })

  it("names an issuer of another text", async () => {
    const verdict = await openProvider({ fault: "discovery-issuer-with-slash" }).ask()
    expect(verdict).toMatchObject({ reason: "token-issuer", endpoint: "discovery" })
    expect(verdict?.sentence).toMatch(/^The discovery document at .* names the issuer .* Check providers\.oidc\.issuer/)
  })

  it("names a provider that cannot be reached", async () => {
    const away: typeof fetch = async () => {
      throw new TypeError("fetch failed")
    }
    expect(await openProvider().ask({ [customFetch]: away })).toMatchObject({
      reason: "provider-unreachable",
      endpoint: "discovery",
    })
  })

  it("tells how far the clocks are apart", async () => {
    const { provider, ask } = openProvider()
    const ahead: typeof fetch = async (input, init) => {
      const response = await provider.fetch(input, init)
      response.headers.set("date", new Date(Date.now() + 45_000).toUTCString())
      return response
    }
    const { aheadSeconds = 0 } = (await ask({ [customFetch]: ahead })) ?? {}
    expect(aheadSeconds).toBeGreaterThan(40)
  })

  it("asks no provider of another type, and none without a client ID", async () => {
    const mail = { id: "email", name: "Email", type: "email", sendVerificationRequest: () => {} } as const
    expect(await askProvider(mail, redirectUri)).toBeNull()
    expect(await openProvider().ask({ clientId: "" })).toBeNull()
  })
})
