import { describe, expect, it } from "vitest"
import { complete, createFakeProvider, flow, resolveOAuth } from "../../test/fake-provider.js"
import { resolveProvider } from "../config/resolve-provider.js"
import { customFetch } from "../contract/markers.js"
import * as providers from "./index.js"

const factories = {
  apple: providers.Apple,
  auth0: providers.Auth0,
  "azure-ad": providers.AzureAD,
  github: providers.GitHub,
  google: providers.Google,
  keycloak: providers.Keycloak,
  "microsoft-entra-id": providers.MicrosoftEntraID,
}

const modules: Readonly<Record<keyof typeof factories, { readonly default: unknown }>> = {
  apple: await import("./apple.js"),
  auth0: await import("./auth0.js"),
  "azure-ad": await import("./azure-ad.js"),
  github: await import("./github.js"),
  google: await import("./google.js"),
  keycloak: await import("./keycloak.js"),
  "microsoft-entra-id": await import("./microsoft-entra-id.js"),
}

describe("every provider", () => {
  it.each(Object.entries(factories))(
    "%s has its id, keeps the host's options apart, and is its module's default",
    (id, factory) => {
      const options = { clientId: "c", clientSecret: "s" }
      const provider = factory(options)
      expect(provider).toMatchObject({ id, name: expect.any(String), options })
      expect(provider.clientId).toBeUndefined()
      expect(provider.style?.brandColor).toMatch(/^#[\dA-Fa-f]{3,6}$/)
      expect(new Map(Object.entries(modules)).get(id)?.default).toBe(factory)
    },
  )

  it.each(Object.entries(factories))(
    "%s is asked with the host's client id and issuer once it is resolved",
    (_, factory) => {
      const provider = resolveOAuth(factory({ clientId: "c", clientSecret: "s", issuer: "https://id.example/v2.0" }))
      expect(provider).toMatchObject({ clientId: "c", clientSecret: "s", issuer: "https://id.example/v2.0" })
    },
  )
})

describe("Apple", () => {
  it("signs in with the name of the first consent, and without a name later", async () => {
    const fake = await createFakeProvider("https://appleid.apple.com")
    const provider = resolveOAuth(
      providers.Apple({ clientId: "rp", clientSecret: "made.by.app", [customFetch]: fake.fetch }),
    )
    fake.answerIdToken(await fake.sign(fake.claims({ name: undefined, email_verified: "true" })))
    const expected = { state: flow.state, nonce: flow.nonce }
    const userField = JSON.stringify({ name: { firstName: "Ada", lastName: "Lovelace" }, email: "evil@evil.test" })
    const first = await complete(provider, { expected, userField })
    expect(first.user).toMatchObject({ name: "Ada Lovelace", email: "ada@example.test", image: null })
    expect((await complete(provider, { expected })).user.name).toBeNull()
    expect(fake.calls.find(({ endpoint }) => endpoint === "token")?.form.get("client_secret")).toBe("made.by.app")
    expect(provider).toMatchObject({ isFormPost: true, checks: ["nonce", "state"] })
  })
})

describe("OpenIDConnect", () => {
  it("signs in with any provider that has a discovery document", async () => {
    const fake = await createFakeProvider()
    const config = providers.OpenIDConnect({
      id: "harbour",
      issuer: fake.issuer,
      clientId: "rp",
      clientSecret: "s",
      checks: ["pkce", "nonce"],
      [customFetch]: fake.fetch,
    })
    const { account, user } = await complete(resolveOAuth(config))
    expect(account).toMatchObject({ provider: "harbour", type: "oidc" })
    expect(user.name).toBe("Ada")
    expect(config.name).toBe("harbour")
  })
})

describe("Credentials", () => {
  it("has the host's fields and authorize once it is resolved, and none of its own", () => {
    const authorize = ({ name }: Partial<Record<"name" | "password", unknown>>) => ({ id: String(name) })
    const credentials = { name: { label: "Name" }, password: { type: "password" } }
    const provider = providers.Credentials({ credentials, authorize })
    expect(provider).toMatchObject({ id: "credentials", name: "Credentials", type: "credentials" })
    expect(resolveProvider(provider, undefined)).toMatchObject({ credentials, authorize })
    expect(providers.Credentials().authorize).toBeUndefined()
  })
})
