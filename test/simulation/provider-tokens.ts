import { type Identity, secretMark } from "./people.js"

/** What the world wants to know about a call. */
export interface ProviderCaller {
  /** Gets the identity for which tokens were issued at a sign-in. */
  note(identity: Identity): void
  /** Gets a refresh token that is presented. */
  present(token: RefreshToken): void
}

/** A refresh token, which works once: with its second use, all that came from the same sign-in end. */
export interface RefreshToken {
  readonly identity: Identity
  readonly family: { isEnded: boolean }
  isUsed: boolean
}

interface Refreshed {
  readonly identity: Identity
  readonly answer: object
}

/** The access tokens and refresh tokens of a provider. */
interface ProviderTokens {
  /** The fields of a token answer. */
  issue(identity: Identity, family: RefreshToken["family"]): object
  /** Null for a token that does not work. */
  refresh(text: string, caller: ProviderCaller): Refreshed | null
  /** Whose access token it is. Null if it is not valid any more. */
  findOwner(accessToken: string): Identity | null
}

interface TokensOptions {
  /** Whether the attacker can make the provider answer for anyone. */
  readonly isCompromised: boolean
  /** Whether it gives refresh tokens, and access tokens of a short life. */
  readonly isRefreshed: boolean
  now(): number
  secretText(): string
}

/** The service refreshes a minute before the end. */
const accessSeconds = 90

export function createTokens({ isCompromised, isRefreshed, now, secretText }: TokensOptions): ProviderTokens {
  const accessTokens = new Map<string, { readonly identity: Identity; readonly expiresMs: number }>()
  const refreshTokens = new Map<string, RefreshToken>()

  /** A compromised provider answers for someone else now and then. */
  function chooseIdentity(own: Identity): Identity {
    if (!isCompromised || refreshTokens.size % 3 !== 0) return own
    return [...refreshTokens.values()].map(({ identity }) => identity).findLast(({ sub }) => sub !== own.sub) ?? own
  }

  const tokens: ProviderTokens = {
    issue(identity, family) {
      const accessToken = `${secretMark}-access-${secretText()}`
      if (!isRefreshed) return { access_token: accessToken, token_type: "bearer" }
      const refreshToken = `${secretMark}-refresh-${secretText()}`
      accessTokens.set(accessToken, { identity, expiresMs: now() + accessSeconds * 1000 })
      refreshTokens.set(refreshToken, { identity, family, isUsed: false })
      return { access_token: accessToken, refresh_token: refreshToken, token_type: "bearer", expires_in: accessSeconds }
    },
    refresh(text, { present }) {
      const token = refreshTokens.get(text)
      if (!token) return null
      present(token)
      if (token.isUsed) token.family.isEnded = true
      if (token.family.isEnded) return null
      token.isUsed = true
      const identity = chooseIdentity(token.identity)
      // The service refuses it, which ends the family as well.
      if (identity !== token.identity) token.family.isEnded = true
      return { identity, answer: tokens.issue(identity, token.family) }
    },
    findOwner(accessToken) {
      const { identity, expiresMs = 0 } = accessTokens.get(accessToken) ?? {}
      return identity && expiresMs > now() ? identity : null
    },
  }
  return tokens
}
