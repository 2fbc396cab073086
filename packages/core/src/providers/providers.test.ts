import { describe, expect, it } from "vitest"
import { complete, createFakeProvider, flow, resolveOAuth } from "../../test/setup/fake-provider.js"
import { resolveProvider } from "../config/providers.js"
import { customFetch } from "../types/basics.js"
import { Apple } from "./apple.js"
import { Credentials } from "./credentials.js"
import { OpenIDConnect } from "./oidc.js"

describe("Apple", () => {
  it("uses the name from the first consent, and no name later", async () => {
    const fake = await createFakeProvider("https://appleid.apple.com")
    const provider = resolveOAuth(Apple({ clientId: "rp", clientSecret: "made.by.app", [customFetch]: fake.fetch }))
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
  it("works with any provider that has a discovery document", async () => {
    const fake = await createFakeProvider()
    const config = OpenIDConnect({
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
  it("uses only the app's fields and authorize function", () => {
    const authorize = ({ name }: Partial<Record<"name" | "password", unknown>>) => ({ id: String(name) })
    const credentials = { name: { label: "Name" }, password: { type: "password" } }
    const provider = Credentials({ credentials, authorize })
    expect(provider).toMatchObject({ id: "credentials", name: "Credentials", type: "credentials" })
    expect(resolveProvider(provider, undefined)).toMatchObject({ credentials, authorize })
    expect(Credentials().authorize?.({}, new Request("https://app.test"))).toBeNull()
  })
})
