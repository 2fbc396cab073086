import type { AnyValue } from "@latchkey/types"
import { describe, expect, it } from "vitest"
import { createFakeProvider, type FakeProvider, resolveOAuth } from "../../test/setup/fake-provider.js"
import { Auth0 } from "../providers/auth0.js"
import { Cognito } from "../providers/cognito.js"
import { MicrosoftEntraID } from "../providers/microsoft-entra-id.js"
import { OpenIDConnect } from "../providers/oidc.js"
import { customFetch } from "../types/basics.js"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { createSignOutRequest } from "./end-session.js"
import { createProviderEndpoints } from "./endpoints.js"

const returnUrl = "https://app.test/auth/signed-out"

/** The parameters that a provider gets, and whether it got the state. */
async function signOut(
  fake: FakeProvider,
  create: (options: OIDCUserConfig<AnyValue>) => OIDCConfig<AnyValue>,
  { accountId = "subject-1", ...claims }: { readonly accountId?: string; readonly groups?: readonly string[] } = {},
) {
  const provider = resolveOAuth(
    create({ clientId: "rp", clientSecret: "s", issuer: fake.issuer, [customFetch]: fake.fetch }),
  )
  const idToken = await fake.sign(fake.claims({ login_hint: "opaque-hint", ...claims }))
  const facts = { idToken, accountId, returnUrl, state: "state-1" }
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

describe("the sign-out page of a provider that refuses long addresses", () => {
  const endpoint = "https://id.example/sign-out"
  const groups = Array.from({ length: 40 }, () => crypto.randomUUID())
  const params = { client_id: "rp", post_logout_redirect_uri: returnUrl, state: "state-1" }

  it("gets the ID token if it fits", async () => {
    const fake = await createFake("https://id.example", endpoint)
    expect(await signOut(fake, OpenIDConnect as never)).toEqual({
      endpoint,
      params: { ...params, id_token_hint: expect.any(String) },
      isStateSent: true,
    })
  })

  it("gets the user's id instead of the ID token of a user in many groups", async () => {
    const fake = await createFake("https://id.example", endpoint)
    expect(await signOut(fake, OpenIDConnect as never, { groups })).toEqual({
      endpoint,
      params: { ...params, logout_hint: "subject-1" },
      isStateSent: true,
    })
  })

  it("gets neither if the id is too long as well", async () => {
    const fake = await createFake("https://id.example", endpoint)
    const signedOut = await signOut(fake, OpenIDConnect as never, { groups, accountId: "a".repeat(2000) })
    expect(signedOut).toEqual({ endpoint, params, isStateSent: true })
  })

  it("gets a claim of the ID token that does not fit", async () => {
    const fake = await createFake("https://id.example", endpoint)
    const create = (options: OIDCUserConfig<AnyValue>): OIDCConfig<AnyValue> => ({
      ...(OpenIDConnect as never as typeof create)(options),
      logout: { params: { who: "{claim:sub}" } },
    })
    const { params: sent } = await signOut(fake, create, { groups })
    expect(sent).toEqual({ ...params, logout_hint: "subject-1", who: expect.any(String) })
  })
})
