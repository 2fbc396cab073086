import type { AuthorizationRules, OpenIdRules, TokenRules } from "@latchkey/testkit"
import type { ExpectedUser, ProviderFixture } from "./provider-fixture.js"

export const picture = "https://pictures.example/ada.png"
export const email = "ada@example.com"

/** Ada in the standard claims of OpenID Connect Core 1.0 section 5.1. */
const adaClaims = { sub: "ada-1815", name: "Ada Lovelace", email, email_verified: true, picture }

/** Ada as a user, from a vendor that returns all standard claims. */
export const ada: ExpectedUser = { id: "ada-1815", name: "Ada Lovelace", email, image: picture }

export interface OpenIdVendor extends Omit<Partial<ProviderFixture>, "authorization" | "token" | "openId"> {
  readonly issuer: string
  readonly authorization: AuthorizationRules
  readonly token: TokenRules
  readonly openId?: Omit<OpenIdRules, "issuer">
}

/** A fixture for an OpenID Connect vendor, with the standard scopes and claims by default. */
export function openIdFixture({ issuer, authorization, openId, ...others }: OpenIdVendor): ProviderFixture {
  return {
    profile: adaClaims,
    user: ada,
    ...others,
    authorization: { parameters: { scope: "openid profile email" }, ...authorization },
    openId: { issuer, ...openId },
  }
}

/** The same for a vendor whose issuer the host has to configure. */
export function issuerFixture(vendor: OpenIdVendor): ProviderFixture {
  const { issuer } = vendor
  return openIdFixture({ options: { issuer }, env: { ISSUER: issuer }, ...vendor })
}
