import type { AuthError } from "../../errors/auth-error.js"
import { InvalidConfiguration, InvalidEndpoints } from "../../errors/errors.js"
import { isHttp } from "../../http/origin.js"
import type { ResolvedOAuthProvider } from "../../types/resolved.js"
import { isResponseMode, responseModes } from "./resolve.js"

/** Checks the options of an OAuth or OpenID Connect provider. */
export function validateOAuth(provider: ResolvedOAuthProvider, path: string): AuthError | null {
  return (
    validateEndpoints(provider, path) ??
    validateUrls(provider, path) ??
    validateScope(provider, path) ??
    validateChecks(provider, path) ??
    validateAuthorization(provider, path) ??
    validateClient(provider, path)
  )
}

function validateEndpoints(provider: ResolvedOAuthProvider, path: string): AuthError | null {
  if (provider.issuer || provider.wellKnown) return null
  const { authorization, token, userinfo } = provider
  const missing = Object.entries({ authorization, token, userinfo })
    .filter(([name, endpoint]) => !endpoint.url && !(name === "userinfo" && userinfo.request))
    .map(([name]) => `${path}.${name}`)
  if (missing.length === 0) return null
  return new InvalidEndpoints(`${missing.join(", ")}: a provider without an issuer needs the URL of each endpoint`)
}

function validateUrls(provider: ResolvedOAuthProvider, path: string): AuthError | null {
  const { issuer, wellKnown, redirectProxyUrl, authorization, token, userinfo } = provider
  const addresses = {
    issuer,
    wellKnown,
    redirectProxyUrl,
    "authorization.url": authorization.url,
    "token.url": token.url,
    "userinfo.url": userinfo.url,
  }
  for (const [name, address] of Object.entries(addresses)) {
    if (address === undefined || isHttp(URL.parse(String(address)))) continue
    return new InvalidConfiguration(`${path}.${name}: must be an absolute http(s) URL`)
  }
  return null
}

/** RFC 6749 section 3.3. An empty scope omits the default. */
const scopePattern = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function validateScope({ authorization }: ResolvedOAuthProvider, path: string): AuthError | null {
  const scope = authorization.params?.["scope"]
  if (scope === undefined || scope === null || (typeof scope === "string" && scopePattern.test(scope))) return null
  const sentence = 'must be one text with all scopes, such as "openid profile email"'
  return new InvalidConfiguration(`${path}.authorization.params.scope: ${sentence}`)
}

function validateChecks(provider: ResolvedOAuthProvider, path: string): AuthError | null {
  if (!Array.isArray(provider.checks)) return new InvalidConfiguration(`${path}.checks: must be a list`)
  const known = provider.type === "oidc" ? ["pkce", "state", "nonce", "none"] : ["pkce", "state", "none"]
  const unknown = provider.checks.find((check) => !known.includes(check))
  return unknown === undefined ? null : new InvalidConfiguration(`${path}.checks: only ${known.join(", ")}`)
}

/** Checks the authorization request: response type, response mode and PAR. */
function validateAuthorization(provider: ResolvedOAuthProvider, path: string): InvalidConfiguration | null {
  const sentence = validateResponseType(provider) ?? validateResponseMode(provider) ?? validatePushed(provider)
  return sentence === null ? null : new InvalidConfiguration(`${path}.authorization.${sentence}`)
}

/** The implicit grant is not supported: RFC 9700 section 2.1.2. */
function validateResponseType({ authorization }: ResolvedOAuthProvider): string | null {
  const responseType = authorization.params?.["response_type"] ?? "code"
  return responseType === "code" ? null : "params.response_type: only the code flow is offered"
}

function validateResponseMode({
  authorization,
  isJwtResponse,
  issuer,
  wellKnown,
}: ResolvedOAuthProvider): string | null {
  const mode = authorization.params?.["response_mode"]
  if (mode !== undefined && !isResponseMode(mode)) return `params.response_mode: only ${responseModes.join(", ")}`
  if (!isJwtResponse || issuer || wellKnown) return null
  return "params.response_mode: signed answers need the provider's issuer"
}

function validatePushed({ authorization, issuer, wellKnown }: ResolvedOAuthProvider): string | null {
  const { pushed } = authorization
  if (pushed === undefined || pushed === false) return null
  if (pushed !== true)
    return isHttp(URL.parse(String(pushed))) ? null : "pushed: must be true or an absolute http(s) URL"
  return issuer || wellKnown ? null : "pushed: a provider without an issuer needs the URL"
}

/** Checks how the app calls the provider: client authentication, clock tolerance and response limits. */
function validateClient(provider: ResolvedOAuthProvider, path: string): InvalidConfiguration | null {
  const sentence = validateClientAuthentication(provider) ?? validateAdvanced(provider)
  return sentence === null ? null : new InvalidConfiguration(`${path}.${sentence}`)
}

const clientAuthenticationMethods = [
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
  "none",
]

function validateClientAuthentication({ client, token }: ResolvedOAuthProvider): string | null {
  const method = client?.token_endpoint_auth_method
  if (method !== undefined && !clientAuthenticationMethods.includes(method)) {
    return `client.token_endpoint_auth_method: only ${clientAuthenticationMethods.join(", ")}`
  }
  const isKeyMissing = method === "private_key_jwt" && !token.clientPrivateKey
  return isKeyMissing ? "token.clientPrivateKey: private_key_jwt needs one" : null
}

function validateAdvanced({ advanced }: ResolvedOAuthProvider): string | null {
  if (typeof (advanced ?? {}) !== "object") return "advanced: must be an object"
  const { clockToleranceSeconds, answerLimits } = advanced ?? {}
  const numbers = [
    ["advanced.clockToleranceSeconds", clockToleranceSeconds, 0, 60],
    ["advanced.answerLimits.seconds", answerLimits?.seconds, 0.001, 60],
    ["advanced.answerLimits.bytes", answerLimits?.bytes, 1024, 16 * 1024 * 1024],
  ] as const
  for (const [name, value, least, most] of numbers) {
    if (value === undefined || (typeof value === "number" && value >= least && value <= most)) continue
    return `${name}: must be a number from ${least} to ${most}`
  }
  return null
}
