import type { TokenEndpointResponse } from "oauth4webapi"
import type { ResolvedOAuthProvider } from "../config/resolved-provider.js"
import type { TokenSet } from "../contract/account.js"
import { isObject, type JsonAnswer, parseJson } from "./json-object.js"
import { toLogCode } from "./log-text.js"
import { ProviderError } from "./provider-error.js"

/** A token answer, ready for the protocol library. */
export interface TokenAnswer {
  readonly response: Response
  /** Of an OpenID Connect provider, unverified. */
  readonly idToken?: string
  /** What came with an answer that needs none, unverified. */
  readonly strayIdToken?: string
}

/**
 * Lets the provider's `conform` repair an answer, then brings what providers do differently (nulls, a lifetime as text,
 * an error with status 200) to the form of RFC 6749 section 5.
 * @throws ProviderError
 */
export async function parseTokenAnswer(provider: ResolvedOAuthProvider, answered: Response): Promise<TokenAnswer> {
  const response = (await provider.token.conform?.(answered.clone())) ?? answered
  if (response.status !== 200) return { response }
  const answer = parseJson(await response.text())
  if (!isObject(answer)) throw refusal("not-json", "The token endpoint did not answer a JSON object")
  assertNoError(answer)
  const fields = toFields(answer)
  const { id_token: idToken, ...asked } = fields
  const hasIdToken = typeof idToken === "string"
  if (provider.type === "oidc") return { response: Response.json(fields), ...(hasIdToken && { idToken }) }
  // Nobody asked for an ID token here, so that none is judged: who this is comes from the userinfo endpoint.
  return { response: Response.json(asked), ...(hasIdToken && { strayIdToken: idToken }) }
}

/** The token set of a validated answer. */
export function toTokenSet(answer: TokenEndpointResponse, { strayIdToken }: TokenAnswer, nowMs: number): TokenSet {
  const { token_type, expires_in, ...fields } = answer
  if (token_type !== "bearer") throw refusal("token-type", "The token endpoint answered no bearer token")
  return {
    ...fields,
    ...(strayIdToken !== undefined && { id_token: strayIdToken }),
    token_type,
    ...(expires_in !== undefined && { expires_in, expires_at: Math.floor(nowMs / 1000) + Math.floor(expires_in) }),
  }
}

function assertNoError({ error }: JsonAnswer): void {
  if (typeof error !== "string" || error === "") return
  throw new ProviderError("The token endpoint answered an error", {
    code: "token-error",
    endpoint: "token",
    status: 200,
    error: toLogCode(error),
  })
}

const prototypeKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

function toFields(answer: JsonAnswer): JsonAnswer {
  const fields = Object.entries(answer).filter(([name, value]) => value !== null && !prototypeKeys.has(name))
  const { expires_at, ...others } = Object.fromEntries(fields)
  const copy: JsonAnswer = Number.isSafeInteger(expires_at) ? { ...others, expires_at } : others
  return copy["expires_in"] === undefined ? copy : { ...copy, expires_in: parseLifetime(copy["expires_in"]) }
}

/** Seconds; some providers send them as text. */
function parseLifetime(value: unknown): number {
  const seconds = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof seconds === "number" && seconds >= 0 && seconds <= Number.MAX_SAFE_INTEGER) return seconds
  throw refusal("lifetime", "The token endpoint answered a lifetime that is no number of seconds")
}

function refusal(code: string, message: string): ProviderError {
  return new ProviderError(message, { code, endpoint: "token", status: 200 })
}
