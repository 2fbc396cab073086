// Imported as `@latchkey/core/providers/azure-devops`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, TokenRequestContext } from "../types/oauth-provider.js"
import { optional, required } from "./_shared/options.js"
import { conformFields } from "./_shared/request.js"

/**
 * A user as returned by the Azure DevOps API.
 * @see https://learn.microsoft.com/rest/api/azure/devops/profile/profiles/get
 */
export interface AzureDevOpsProfile {
  readonly id: string
  readonly displayName: string
  readonly emailAddress?: string
  readonly coreAttributes?: { readonly Avatar?: { readonly value?: { readonly value?: string } } }
  readonly [field: string]: AnyValue
}

/** Options of the Azure DevOps provider. */
export interface AzureDevOpsOptions extends OAuthUserConfig<AzureDevOpsProfile> {
  /** Separated by spaces. Default: `vso.profile`. */
  readonly scope?: string | undefined
}

/**
 * Azure DevOps sign-in (OAuth 2.0, with a nonstandard token request).
 *
 * Scope: `vso.profile` (default), for the profile. The image is a JPEG in a `data:` URL and may be missing. Register the
 * callback URL `<origin>/auth/callback/azure-devops`; it must be https.
 * @deprecated New apps cannot be registered since April 2025, and the service ends in 2026. Use `microsoft-entra-id`.
 * @see https://learn.microsoft.com/azure/devops/integrate/get-started/authentication/azure-devops-oauth
 */
export function AzureDevOps(options: AzureDevOpsOptions = {}): OAuth2Config<AzureDevOpsProfile> {
  return {
    id: "azure-devops",
    name: "Azure DevOps",
    type: "oauth",
    authorization: {
      url: `${host}/oauth2/authorize`,
      params: { scope: options.scope ?? "vso.profile" },
      // The authorization request calls the code an assertion.
      request: ({ url }) => {
        url.searchParams.set("response_type", "Assertion")
        return url
      },
    },
    token: {
      url: `${host}/oauth2/token`,
      // A refresh also needs it.
      keptParams: ["redirect_uri"],
      request: requestTokens,
      // The vendor's token type is "jwt-bearer".
      conform: conformFields((fields) => ({ ...fields, token_type: "bearer" })),
    },
    userinfo: `${host}/_apis/profile/profiles/me?details=true&coreAttributes=Avatar&api-version=6.0`,
    client: { token_endpoint_auth_method: "client_secret_post" },
    optionRules: { scope: optional(required("must be scopes separated by spaces")) },
    // The token request does not support a code verifier.
    checks: ["state"],
    profile: ({ id, displayName, emailAddress, coreAttributes }) => ({
      id,
      name: displayName,
      email: emailAddress ?? null,
      image: toImage(coreAttributes?.Avatar?.value?.value),
    }),
    style: { brandColor: "#0078d4", mark },
    options,
  }
}

const host = "https://app.vssps.visualstudio.com"
const assertionTypes = "urn:ietf:params:oauth"

/** The secret is the client assertion and the code is the grant, a variant of RFC 7521. The client ID is not sent. */
function requestTokens({ url, headers, params, callback, provider }: TokenRequestContext): Promise<Response> {
  const refreshToken = params.get("refresh_token")
  const body = new URLSearchParams({
    client_assertion_type: `${assertionTypes}:client-assertion-type:jwt-bearer`,
    client_assertion: params.get("client_secret") ?? "",
    grant_type: refreshToken === null ? `${assertionTypes}:grant-type:jwt-bearer` : "refresh_token",
    assertion: refreshToken ?? params.get("code") ?? "",
    redirect_uri: params.get("redirect_uri") ?? callback.get("redirect_uri") ?? "",
  })
  return provider.fetch(url, { method: "POST", headers, body })
}

function toImage(avatar: string | undefined): string | null {
  return avatar ? `data:image/jpeg;base64,${avatar}` : null
}

const mark =
  "M0 8.88 2.25 5.9l8.4-3.42V.02l7.37 5.4L2.97 8.34v8.22L0 15.71Zm24-4.45v14.65l-5.75 4.9-9.3-3.06v3.06l-5.98-7.42 15.05 1.8V5.42Z"

export default AzureDevOps
