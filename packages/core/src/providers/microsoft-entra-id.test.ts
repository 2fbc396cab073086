import { describe, expect, it } from "vitest"
import {
  complete,
  createFakeProvider,
  type FakeProvider,
  flow,
  rejectionOf,
  resolveOAuth,
} from "../../test/setup/fake-provider.js"
import { customFetch } from "../types/basics.js"
import { AzureAD } from "./azure-ad.js"
import { MicrosoftEntraID, type MicrosoftEntraIDOptions } from "./microsoft-entra-id.js"

const authority = "https://login.microsoftonline.com"
const home = "11111111-2222-3333-4444-555555555555"
const foreign = "99999999-2222-3333-4444-555555555555"
const personal = "9188040d-6c67-4c5b-b112-36a304b66dad"
const issuerOf = (tenant: string) => `${authority}/${tenant}/v2.0`

async function createFakeEntra(announced: string): Promise<FakeProvider> {
  const fake = await createFakeProvider(authority)
  fake.metadata = { ...fake.metadata, issuer: issuerOf(announced) }
  return fake
}

async function signIn(fake: FakeProvider, claims: Record<string, unknown>, options: MicrosoftEntraIDOptions = {}) {
  fake.answerIdToken(await fake.sign(fake.claims({ nonce: undefined, ...claims })))
  const config = MicrosoftEntraID({ clientId: "rp", clientSecret: "secret", [customFetch]: fake.fetch, ...options })
  return complete(resolveOAuth(config), { query: `code=${flow.code}`, expected: { codeVerifier: "v".repeat(43) } })
}

describe("tenant of an ID token", () => {
  it.each([
    ["common", "{tenantid}", home],
    ["common", "{tenantid}", personal],
    ["organizations", "{tenantid}", home],
    ["consumers", personal, personal],
    [home, home, home],
    ["corp.example", home, home],
  ])("OAU-35: is accepted at %s (announced as %s): %s", async (tenantId, announced, tenant) => {
    const fake = await createFakeEntra(announced)
    const { account } = await signIn(fake, { iss: issuerOf(tenant), tid: tenant }, { tenantId })
    expect(account.providerAccountId).toBe("subject-1")
  })

  it.each([
    ["an issuer that differs from tid", "common", "{tenantid}", { iss: issuerOf(foreign), tid: home }],
    ["no tid", "common", "{tenantid}", { iss: issuerOf(foreign) }],
    ["an unfilled placeholder", "common", "{tenantid}", { iss: issuerOf("{tenantid}"), tid: "{tenantid}" }],
    ["a tid that is not an ID", "common", "{tenantid}", { iss: issuerOf("common"), tid: "common" }],
    ["a personal account at organizations", "organizations", "{tenantid}", { iss: issuerOf(personal), tid: personal }],
    ["an organization at consumers", "consumers", personal, { iss: issuerOf(home), tid: home }],
    ["another tenant at a fixed tenant", home, home, { iss: issuerOf(foreign), tid: foreign, email: "v@corp.test" }],
    ["another tenant at a domain", "corp.example", home, { iss: issuerOf(foreign), tid: foreign }],
    ["another authority", "common", "{tenantid}", { iss: `https://evil.test/${home}/v2.0`, tid: home }],
    ["an additional path segment", "common", "{tenantid}", { iss: `${authority}/x/${home}/v2.0`, tid: home }],
  ])("OAU-35: is rejected with %s", async (_, tenantId, announced, claims) => {
    const fake = await createFakeEntra(announced)
    const error = await rejectionOf(signIn(fake, claims, { tenantId }))
    expect(error).toMatchObject({ type: "CallbackRouteError" })
  })

  it.each([
    ["common", foreign.slice(1)],
    [home, foreign],
    [home, "{tenantid}"],
    ["corp.example", "{tenantid}"],
  ])("OAU-36: rejects a discovery document at %s for %s", async (tenantId, announced) => {
    const fake = await createFakeEntra(announced)
    const error = await rejectionOf(signIn(fake, { iss: issuerOf(home), tid: home }, { tenantId }))
    expect(error.message).toMatch(/discovery document has another issuer/)
    expect(fake.hits("token")).toBe(0)
  })

  it("can be configured with the issuer", async () => {
    const fake = await createFakeEntra(home)
    await signIn(fake, { iss: issuerOf(home), tid: home }, { issuer: issuerOf(home) })
    expect(fake.calls[0]?.url).toBe(`${issuerOf(home)}/.well-known/openid-configuration`)
  })
})

describe("authority", () => {
  it.each([
    ["issuer", "https://login.microsoftonline.com/common"],
    ["issuer", "https://login.microsoftonline.com/common/v2.0?a=b"],
    ["tenantId", "corp.example/../evil"],
  ])("CONF-04: is rejected if the %s is %s", (option, value) => {
    const rule = MicrosoftEntraID().optionRules?.[option]
    expect(rule?.(value)).toMatch(/^must be /)
  })

  it("can be configured with an environment variable after a call", () => {
    const filled = { ...MicrosoftEntraID({ clientId: "c" }), issuer: issuerOf(home) }
    expect(resolveOAuth(filled).issuer).toBe(issuerOf(home))
    expect(resolveOAuth(MicrosoftEntraID({ clientId: "c" })).issuer).toBe(issuerOf("common"))
  })
})

describe("photo", () => {
  const claims = { iss: issuerOf(home), tid: home }

  it("is requested with the access token and becomes a data URL", async () => {
    const fake = await createFakeEntra("{tenantid}")
    fake.answer(
      "other",
      () => new Response(new Uint8Array([255, 216, 0]), { headers: { "content-type": "image/jpeg" } }),
    )
    const { user } = await signIn(fake, claims, { profilePhotoSize: 96 })
    expect(user.image).toBe("data:image/jpeg;base64,/9gA")
    const call = fake.calls.find(({ endpoint }) => endpoint === "other")
    expect(call?.url).toBe("https://graph.microsoft.com/v1.0/me/photos/96x96/$value")
    expect(call?.headers.get("authorization")).toBe("Bearer access-token-9f3e")
  })

  it.each<[string, () => Response]>([
    ["is missing", () => new Response(null, { status: 404 })],
    ["is not an image", () => new Response("x", { headers: { "content-type": "text/html" } })],
    ["is empty", () => new Response(null, { headers: { "content-type": "image/png" } })],
    ["is far too large", () => new Response(new Uint8Array(300_000), { headers: { "content-type": "image/png" } })],
    [
      "cannot be fetched",
      () => {
        throw new TypeError("fetch failed")
      },
    ],
  ])("is null without failing the sign-in if it %s", async (_, answer) => {
    const fake = await createFakeEntra("{tenantid}")
    fake.answer("other", answer)
    expect((await signIn(fake, claims)).user.image).toBeNull()
  })

  it("is requested from the cloud of the authority", async () => {
    const fake = await createFakeProvider("https://login.microsoftonline.us")
    const issuer = `https://login.microsoftonline.us/${home}/v2.0`
    fake.metadata = { ...fake.metadata, issuer }
    await signIn(fake, { iss: issuer, tid: home }, { issuer })
    expect(fake.calls.at(-1)?.url).toMatch(/^https:\/\/graph\.microsoft\.us\//)
  })
})

describe("AzureAD", () => {
  it("is the same provider under its former ID", () => {
    expect(AzureAD({ clientId: "c" })).toMatchObject({ id: "azure-ad", type: "oidc", options: { clientId: "c" } })
  })
})
