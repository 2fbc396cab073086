import { InvalidConfiguration } from "../errors/configuration.js"
import { isHttp } from "../web/is-http.js"
import type { ResolvedOAuthProvider } from "./resolved-provider.js"
import { isResponseMode, responseModes } from "./response-mode.js"

/** What of a provider's authorization request cannot work: its type, how it is sent, how its answer is to come. */
export function findAuthorizationMistake(provider: ResolvedOAuthProvider, path: string): InvalidConfiguration | null {
  const sentence = findTypeMistake(provider) ?? findModeMistake(provider) ?? findPushMistake(provider)
  return sentence === null ? null : new InvalidConfiguration(`${path}.authorization.${sentence}`)
}

/** Tokens in an address or through the browser are not offered: RFC 9700 section 2.1.2. */
function findTypeMistake({ authorization }: ResolvedOAuthProvider): string | null {
  const responseType = authorization.params?.["response_type"] ?? "code"
  return responseType === "code" ? null : "params.response_type: only the code flow is offered"
}

function findModeMistake({ authorization, isJwtResponse, issuer, wellKnown }: ResolvedOAuthProvider): string | null {
  const mode = authorization.params?.["response_mode"]
  if (mode !== undefined && !isResponseMode(mode)) return `params.response_mode: only ${responseModes.join(", ")}`
  if (!isJwtResponse || issuer || wellKnown) return null
  return "params.response_mode: signed answers need the provider's issuer"
}

function findPushMistake({ authorization, issuer, wellKnown }: ResolvedOAuthProvider): string | null {
  const { pushed } = authorization
  if (pushed === undefined || pushed === false) return null
  if (pushed !== true)
    return isHttp(URL.parse(String(pushed))) ? null : "pushed: must be true or an absolute http(s) URL"
  return issuer || wellKnown ? null : "pushed: a provider without an issuer needs the URL"
}
