import { defaultAccount } from "../host/account-fields.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { TokenSet } from "../types/user.js"

/** What a sign-in was done with. */
interface SignInParameters {
  /** The validated parameters of the callback. */
  readonly parameters: URLSearchParams
  readonly redirectUri: string
}

/** Adds the parameters that the provider needs again at a refresh to the tokens, where `withKept` finds them. */
export function withKeptFields(
  tokens: TokenSet,
  { token }: ResolvedOAuthProvider,
  { parameters, redirectUri }: SignInParameters,
): TokenSet {
  if (!token.keptParams) return tokens
  const find = (name: string) => (name === "redirect_uri" ? redirectUri : parameters.get(name))
  const fields = token.keptParams.map((name) => [name, find(name)] as const)
  return { ...Object.fromEntries(fields.filter(([, value]) => value !== null)), ...tokens }
}

/** Separates a refresh token from what is kept with it. RFC 6749 appendix A.17: no refresh token has it. */
const separator = "\n"

/** The tokens to keep for a refresh: those that the provider's `account` callback selects, and what `toKept` adds. */
export function selectKept(provider: ResolvedOAuthProvider, tokens: TokenSet, nowMs: number): TokenSet {
  return toKept((provider.account ?? defaultAccount)(tokens) ?? {}, tokens, { provider, nowMs })
}

interface KeepingContext {
  readonly provider: ResolvedOAuthProvider
  readonly nowMs: number
}

/**
 * The tokens to keep for a refresh. The parameters that a refresh needs are kept with the refresh token, since stores have
 * no columns for them: both are replaced together.
 * @param selected What the provider's `account` callback selected.
 */
export function toKept(selected: TokenSet, tokens: TokenSet, { provider, nowMs }: KeepingContext): TokenSet {
  const { keptParams = [], expiresIn } = provider.token
  if (!selected.refresh_token) return selected
  const kept = keptParams.flatMap((name) => (typeof tokens[name] === "string" ? [[name, tokens[name]]] : []))
  return {
    ...(expiresIn !== undefined && { expires_at: Math.floor(nowMs / 1000) + expiresIn }),
    ...selected,
    refresh_token: joinRefreshToken(selected.refresh_token, new URLSearchParams(kept)),
  }
}

/** A refresh token, and what a refresh needs besides. */
interface RefreshParts {
  readonly refreshToken: string
  readonly kept: URLSearchParams
}

/** Takes apart what `selectKept` put together. */
export function splitRefreshToken(text: string): RefreshParts {
  const [refreshToken = "", kept = ""] = text.split(separator)
  return { refreshToken, kept: new URLSearchParams(kept) }
}

export function joinRefreshToken(refreshToken: string, kept: URLSearchParams): string {
  return kept.size === 0 ? refreshToken : `${refreshToken}${separator}${kept}`
}
