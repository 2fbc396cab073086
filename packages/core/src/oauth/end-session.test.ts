import type { AnyValue } from "@latchkey/types"
import { describe, expect, it } from "vitest"
import { createFakeProvider, type FakeProvider, resolveOAuth } from "../../test/setup/fake-provider.js"
import { Auth0 } from "../providers/auth0.js"
import { Cognito } from "../providers/cognito.js"
import { MicrosoftEntraID } from "../providers/microsoft-entra-id.js"
import { customFetch } from "../types/basics.js"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { createSignOutRequest } from "./end-session.js"
import { createProviderEndpoints } from "./endpoints.js"

const returnUrl = "https://app.test/auth/signed-out"

/** The parameters that a provider gets, and whether it got the state. */
async function signOut(fake: FakeProvider, create: (options: OIDCUserConfig<AnyValue>) => OIDCConfig<AnyValue>) {
  const provider = resolveOAuth(
    create({ clientId: "rp", clientSecret: "s", issuer: fake.issuer, [customFetch]: fake.fetch }),
  )
  const idToken = await fake.sign(fake.claims({ login_hint: "opaque-hint" }))
  const facts = { idToken, accountId: "subject-1", returnUrl, state: "state-1" }
  const request = await createSignOutRequest(facts, provider, createProviderEndpoints({}))
  const url = new URL(request?.url ?? "")
  return {
    endpoint: url.origin + url.pathname,
    params: Object.fromEntries(url.searchParams),
    isStateSent: request?.isStateSent,
  }
}

async function createFake(issuer: string, endSession?: string): Promise<FakeProvider> {
  const fake = await createFakeProvider(issuer)
  fake.metadata["end_session_endpoint"] = endSession
  return fake
}

describe("the sign-out page of a provider with parameters of its own", () => {
  it("Auth0: needs no discovery, and gets returnTo", async () => {
    const fake = await createFake("https://tenant.eu.auth0.com")
    expect(await signOut(fake, Auth0 as never)).toEqual({
      endpoint: "https://tenant.eu.auth0.com/v2/logout",
      params: { client_id: "rp", returnTo: returnUrl },
      isStateSent: false,
    })
    expect(fake.calls).toEqual([])
  })

  it("Amazon Cognito: gets logout_uri at the domain of its pages", async () => {
    const domain = "https://harbour.auth.eu-west-1.amazoncognito.com/logout"
    const fake = await createFake("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEfGhI", domain)
    expect(await signOut(fake, Cognito as never)).toEqual({
      endpoint: domain,
      params: { client_id: "rp", logout_uri: returnUrl },
      isStateSent: false,
    })
  })

  it("Microsoft Entra ID: gets the optional claim login_hint, and no ID token", async () => {
    const tenant = "8b1e5c5e-6f0f-4b6b-9d0c-1f6c7a9f7a11"
    const base = `https://login.microsoftonline.com/${tenant}`
    const fake = await createFake(`${base}/v2.0`, `${base}/oauth2/v2.0/logout`)
    expect(await signOut(fake, MicrosoftEntraID as never)).toEqual({
      endpoint: `${base}/oauth2/v2.0/logout`,
      params: { client_id: "rp", logout_hint: "opaque-hint", post_logout_redirect_uri: returnUrl },
      isStateSent: false,
    })
  })
})
