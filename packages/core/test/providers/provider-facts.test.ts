import { describe, expect, it } from "vitest"
import type { ResolvedOAuthProvider } from "../../src/types/resolved.js"
import { resolveOAuth } from "../setup/fake-provider.js"
import { type ProviderFacts, providerFacts } from "./provider-facts.js"
import { createProvider } from "./provider-modules.js"

function toFacts(provider: ResolvedOAuthProvider): Omit<ProviderFacts, "options"> {
  const { id, name, type, issuer, wellKnown, authorization, client, checks } = provider
  const { scope, ...params } = authorization.params ?? {}
  const userinfo = provider.userinfo.url === undefined ? undefined : new URL(provider.userinfo.url)
  const fields = { ...Object.fromEntries(userinfo?.searchParams ?? []), ...provider.userinfo.params }
  if (userinfo) userinfo.search = ""
  return present({
    id,
    name,
    type,
    issuer,
    wellKnown,
    authorization: authorization.url && String(authorization.url),
    scope,
    params: filled(params),
    token: provider.token.url && String(provider.token.url),
    userinfo: userinfo?.href,
    fields: filled(fields),
    checks,
    authentication: client?.token_endpoint_auth_method ?? "client_secret_basic",
    idTokenAlgorithm: client?.id_token_signed_response_alg,
    profileFrom: type === "oidc" && !provider.idToken ? "userinfo" : undefined,
  })
}

function filled(values: object): object | undefined {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

function present(facts: object): ReturnType<typeof toFacts> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof toFacts
  > // Only undefined fields are removed.
}

describe("documented facts of a provider", () => {
  it.each(providerFacts.map((facts) => [facts.file, facts] as const))("match the module %s", async (_, facts) => {
    const { file: __, options: ___, ...expected } = facts
    expect(toFacts(resolveOAuth(await createProvider(facts)))).toEqual(expected)
  })
})
