import {
  type Client,
  type ClientAuth,
  ClientSecretJwt,
  ClientSecretPost,
  clockSkew,
  clockTolerance,
  type ModifyAssertionOptions,
  modifyAssertion,
  None,
  PrivateKeyJwt,
} from "oauth4webapi"
import { findVariable } from "../runtime/environment.js"
import type { Clock } from "../types/basics.js"
import type { ClientAuthenticationMethod } from "../types/oauth-provider.js"
import type { ResolvedOAuthProvider, ResolvedProvider } from "../types/resolved.js"
import { ProviderError } from "./errors.js"

/** A provider of OAuth 2.0 or OpenID Connect. Undefined for any other. */
export function asOAuthProvider(provider: ResolvedProvider | undefined): ResolvedOAuthProvider | undefined {
  // as: the union of these types is resolved to one.
  return provider?.type === "oidc" || provider?.type === "oauth" ? (provider as ResolvedOAuthProvider) : undefined
}

/** How far the clocks of a provider and of this service may differ, in seconds. */
export function toleranceOf({ advanced }: Pick<ResolvedOAuthProvider, "advanced">): number {
  return advanced?.clockToleranceSeconds ?? 30
}

/** This app as a client of the protocol library. */
export function toClient(provider: ResolvedOAuthProvider, clock: Clock): Client {
  const { clientId, client } = provider
  const maxAge = client?.["default_max_age"]
  const signedUserinfo = client?.userinfo_signed_response_alg
  return {
    client_id: clientId,
    ...(signedUserinfo !== undefined && { userinfo_signed_response_alg: signedUserinfo }),
    ...(typeof maxAge === "number" && { default_max_age: maxAge }),
    ...(client?.["require_auth_time"] === true && { require_auth_time: true }),
    [clockSkew]: Math.round((clock() - Date.now()) / 1000),
    [clockTolerance]: toleranceOf(provider),
  }
}

const authentications: Readonly<Record<ClientAuthenticationMethod, (provider: ResolvedOAuthProvider) => ClientAuth>> = {
  client_secret_basic: (provider) => clientSecretBasic(getSecret(provider)),
  client_secret_post: (provider) => ClientSecretPost(getSecret(provider)),
  client_secret_jwt: (provider) => ClientSecretJwt(getSecret(provider), assertionOptions(provider)),
  private_key_jwt: (provider) => PrivateKeyJwt(getPrivateKey(provider), assertionOptions(provider)),
  none: () => None(),
}

/**
 * How this app authenticates at the token endpoint, OpenID Connect Core 1.0 section 9.
 * @throws ProviderError when the secret or key is missing, or the method is unknown
 */
export function getClientAuthentication(provider: ResolvedOAuthProvider): ClientAuth {
  const method = provider.client?.token_endpoint_auth_method ?? "client_secret_basic"
  if (isKnown(method)) return authentications[method](provider)
  throw new ProviderError(`providers.${provider.id}.client.token_endpoint_auth_method: "${method}" is unknown`, {
    code: "client-authentication",
  })
}

function isKnown(method: string): method is ClientAuthenticationMethod {
  return Object.hasOwn(authentications, method)
}

/**
 * RFC 6749 section 2.3.1. Form-encoded like browsers do, which keeps `-`, `.` and `_`: servers that forget to decode
 * read the same value.
 */
function clientSecretBasic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${toFormText(client.client_id)}:${toFormText(secret)}`)}`)
  }
}

function toFormText(text: string): string {
  if (/^[\w.-]*$/.test(text)) return text
  return new URLSearchParams([["", text]]).toString().slice(1)
}

/** The audience is the configured issuer if the discovery document's is a template. */
function assertionOptions({ isIssuer, issuer }: ResolvedOAuthProvider): ModifyAssertionOptions {
  if (!isIssuer || issuer === undefined) return {}
  return {
    [modifyAssertion]: (_header, payload) => {
      payload["aud"] = issuer
    },
  }
}

function getSecret({ id, clientSecret }: ResolvedOAuthProvider): string {
  if (clientSecret) return clientSecret
  throw new ProviderError(
    `providers.${id}.clientSecret: missing. Set it, or ${findVariable(id, "clientSecret")} in the environment`,
    { code: "client-authentication" },
  )
}

function getPrivateKey({ id, token }: ResolvedOAuthProvider): CryptoKey | { key: CryptoKey; kid?: string } {
  const given = token.clientPrivateKey
  if (given && "key" in given) return given.kid === undefined ? given.key : { key: given.key, kid: given.kid }
  if (given) return given
  throw new ProviderError(`providers.${id}.token.clientPrivateKey: missing. private_key_jwt needs it`, {
    code: "client-authentication",
  })
}

/**
 * Configured parameters as strings: an object (such as `claims`, OpenID Connect Core 1.0 section 5.5) as JSON. Leaves
 * out null and undefined.
 */
export function toTextParameters(parameters: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const toText = (value: unknown) =>
    typeof value === "object" && !(value instanceof URL) ? JSON.stringify(value) : String(value)
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given.map(([name, value]) => [name, toText(value)]))
}
