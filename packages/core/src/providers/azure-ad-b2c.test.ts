import { describe, expect, it } from "vitest"
import { complete, createFakeProvider, flow, rejectionOf, resolveOAuth } from "../../test/setup/fake-provider.js"
import { customFetch } from "../types/basics.js"
import { AzureADB2C } from "./azure-ad-b2c.js"

const host = "https://harbour.b2clogin.com"
const tenant = "4c2f1234-0123-4567-7654-123321828afd"
const other = "99999999-0123-4567-7654-123321828afd"
const atDomain = `${host}/harbour.onmicrosoft.com/B2C_1_signin/v2.0`

/** Signs in with a flow's authority as the issuer, the issuer of its discovery document, and that of its ID token. */
async function signIn(issuer: string, announced: string, iss = announced) {
  const fake = await createFakeProvider(host)
  fake.metadata = { ...fake.metadata, issuer: announced }
  fake.answerIdToken(await fake.sign(fake.claims({ nonce: undefined, iss })))
  const config = AzureADB2C({ clientId: "rp", clientSecret: "secret", issuer, [customFetch]: fake.fetch })
  return complete(resolveOAuth(config), { query: `code=${flow.code}`, expected: { codeVerifier: "v".repeat(43) } })
}

describe("the issuer of a user flow", () => {
  it.each([
    [atDomain, `${host}/${tenant}/v2.0/`],
    [`${atDomain}/`, `${host}/tfp/${tenant}/b2c_1_signin/v2.0/`],
    [`${host}/${tenant}/B2C_1_signin/v2.0`, `${host}/${tenant}/v2.0/`],
    [`${host}/tfp/${tenant}/b2c_1_signin/v2.0/`, `${host}/tfp/${tenant}/b2c_1_signin/v2.0/`],
    [`${host}/${tenant}/v2.0`, `${host}/${tenant}/v2.0/`],
  ])("OAU-35: at %s is announced as %s", async (issuer, announced) => {
    expect((await signIn(issuer, announced)).account.providerAccountId).toBe("subject-1")
  })

  it.each([
    ["another tenant's", `${host}/${tenant}/B2C_1_signin/v2.0`, `${host}/${other}/v2.0/`],
    ["another flow's", atDomain, `${host}/tfp/${tenant}/b2c_1_other/v2.0/`],
    ["one without the ID of a tenant", atDomain, `${host}/common/v2.0/`],
    ["one at another host", atDomain, `https://evil.test/${tenant}/v2.0/`],
  ])("OAU-35: is not %s", async (_, issuer, announced) => {
    expect((await rejectionOf(signIn(issuer, announced))).message).toContain("another issuer")
  })

  it.each([`${host}/${other}/v2.0/`, atDomain, `${host}/${tenant}/v2.0`])(
    "OAU-35: is exactly that of the ID token, and not %s",
    async (iss) => {
      expect((await rejectionOf(signIn(atDomain, `${host}/${tenant}/v2.0/`, iss))).message).toContain('"iss"')
    },
  )
})
