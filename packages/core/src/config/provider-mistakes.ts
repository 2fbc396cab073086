import type { AuthError } from "../errors/auth-error.js"
import { InvalidConfiguration, InvalidEndpoints, MissingAuthorize } from "../errors/configuration.js"
import { isHttp } from "../web/is-http.js"
import { findAuthorizationMistake } from "./authorization-mistakes.js"
import { findBrokenRule } from "./broken-rules.js"
import { findClientMistake } from "./client-mistakes.js"
import { findVariable } from "./env-provider.js"
import type { ResolvedConfig } from "./resolved-config.js"
import type { ResolvedOAuthProvider, ResolvedProvider } from "./resolved-provider.js"
import { findWebAuthnMistake } from "./webauthn-mistakes.js"

/** What may stand in a URL path and in the name of an environment variable, and be read in both. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/

/** The first provider that cannot work. */
export function findProviderMistake(config: ResolvedConfig): AuthError | null {
  const { providers } = config
  for (const provider of providers) {
    const mistake = findIdMistake(provider) ?? findRuleMistake(provider) ?? findTypeMistake(provider, config)
    if (mistake) return mistake
  }
  const ids = providers.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  return twice === undefined ? null : new InvalidConfiguration(`providers.${twice}: two providers have this id`)
}

function findIdMistake({ id }: ResolvedProvider): AuthError | null {
  if (typeof id === "string" && idPattern.test(id)) return null
  return new InvalidConfiguration(
    "providers: each needs an id of letters, digits, dots, dashes and underscores, 128 at most",
  )
}

function findRuleMistake(provider: ResolvedProvider): AuthError | null {
  const broken = findBrokenRule(provider)
  if (broken === null) return null
  const variable = broken.isMissing ? findVariable(provider.id, broken.option) : undefined
  const hint = variable === undefined ? "" : `; ${variable} sets it as well`
  return new InvalidConfiguration(`providers.${provider.id}.${broken.option}: ${broken.sentence}${hint}`)
}

function findTypeMistake(provider: ResolvedProvider, config: ResolvedConfig): AuthError | null {
  const path = `providers.${provider.id}`
  switch (provider.type) {
    case "oauth":
    case "oidc":
      return findOAuthMistake(provider, path)
    case "credentials":
      if (typeof provider.authorize !== "function") return new MissingAuthorize(`${path}.authorize: must be a function`)
      return findFieldsMistake(provider.credentials, `${path}.credentials`)
    case "email":
      if (typeof provider.sendVerificationRequest === "function") return null
      return new InvalidConfiguration(`${path}.sendVerificationRequest: must be a function`)
    case "webauthn":
      return findFieldsMistake(provider.formFields, `${path}.formFields`) ?? findWebAuthnMistake(provider, path, config)
    default:
      return new InvalidConfiguration(`${path}.type: must be oidc, oauth, email, credentials or webauthn`)
  }
}

/** A text would be a form with a field for each of its letters. */
function findFieldsMistake(fields: unknown, path: string): AuthError | null {
  const isWrong = [fields ?? {}, ...Object.values(fields ?? {})].some((each) => Object(each) !== each)
  return isWrong ? new InvalidConfiguration(`${path}: must be an object, and each field in it`) : null
}

function findOAuthMistake(provider: ResolvedOAuthProvider, path: string): AuthError | null {
  return (
    findEndpointMistake(provider, path) ??
    findUrlMistake(provider, path) ??
    findScopeMistake(provider, path) ??
    findChecksMistake(provider, path) ??
    findAuthorizationMistake(provider, path) ??
    findClientMistake(provider, path)
  )
}

function findEndpointMistake(provider: ResolvedOAuthProvider, path: string): AuthError | null {
  if (provider.issuer || provider.wellKnown) return null
  const { authorization, token, userinfo } = provider
  const missing = Object.entries({ authorization, token, userinfo })
    .filter(([name, endpoint]) => !endpoint.url && !(name === "userinfo" && userinfo.request))
    .map(([name]) => `${path}.${name}`)
  if (missing.length === 0) return null
  return new InvalidEndpoints(`${missing.join(", ")}: a provider without an issuer needs the URL of each endpoint`)
}

function findUrlMistake(provider: ResolvedOAuthProvider, path: string): AuthError | null {
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

/** RFC 6749 section 3.3; an empty one keeps the default from being sent. */
const scopePattern = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function findScopeMistake({ authorization }: ResolvedOAuthProvider, path: string): AuthError | null {
  const scope = authorization.params?.["scope"]
  if (scope === undefined || scope === null || (typeof scope === "string" && scopePattern.test(scope))) return null
  const sentence = 'must be one text with all scopes, such as "openid profile email"'
  return new InvalidConfiguration(`${path}.authorization.params.scope: ${sentence}`)
}

function findChecksMistake(provider: ResolvedOAuthProvider, path: string): AuthError | null {
  if (!Array.isArray(provider.checks)) return new InvalidConfiguration(`${path}.checks: must be a list`)
  const known = provider.type === "oidc" ? ["pkce", "state", "nonce", "none"] : ["pkce", "state", "none"]
  const unknown = provider.checks.find((check) => !known.includes(check))
  return unknown === undefined ? null : new InvalidConfiguration(`${path}.checks: only ${known.join(", ")}`)
}
