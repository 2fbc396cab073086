import type { Person } from "./person.js"

/** What was agreed to at the authorization endpoint. */
export interface Grant {
  readonly clientId: string
  readonly redirectUri: string
  readonly scope: string
  readonly person: Person
  readonly nonce: string | null
  readonly codeChallenge: string | null
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly authTime: number
}

/** Codes and tokens, all of them random and spent or found by their value. */
export interface Grants {
  issueCode(grant: Grant): string
  /** Finds and removes. Null when unknown, spent or older than a minute. */
  spendCode(code: string): Grant | null
  issueAccessToken(grant: Grant): string
  findAccessToken(token: string): Grant | null
  issueRefreshToken(grant: Grant): string
  /** Finds and removes: each refresh token works once. */
  spendRefreshToken(token: string): Grant | null
  /** Lists an ID token among what was issued. */
  noteIdToken(token: string): void
  /** Every secret that was issued, for a search of logs and answers. */
  readonly issued: readonly IssuedSecret[]
}

export interface IssuedSecret {
  readonly name: "code" | "access token" | "refresh token" | "id token"
  readonly value: string
}

interface Kept {
  readonly grant: Grant
  readonly expiresAtMs: number
}

export const accessTokenSeconds = 3600
const codeSeconds = 60
const refreshTokenSeconds = 86_400

export function createGrants(issued: IssuedSecret[]): Grants {
  const kept = new Map<string, Kept>()

  function issue(name: IssuedSecret["name"], grant: Grant, lifetimeSeconds: number): string {
    const value = crypto.randomUUID()
    kept.set(`${name} ${value}`, { grant, expiresAtMs: Date.now() + lifetimeSeconds * 1000 })
    issued.push({ name, value })
    return value
  }

  function find(name: IssuedSecret["name"], value: string): Grant | null {
    const found = kept.get(`${name} ${value}`)
    return found && found.expiresAtMs > Date.now() ? found.grant : null
  }

  function spend(name: IssuedSecret["name"], value: string): Grant | null {
    const grant = find(name, value)
    kept.delete(`${name} ${value}`)
    return grant
  }

  return {
    issued,
    noteIdToken: (value) => void issued.push({ name: "id token", value }),
    issueCode: (grant) => issue("code", grant, codeSeconds),
    spendCode: (code) => spend("code", code),
    issueAccessToken: (grant) => issue("access token", grant, accessTokenSeconds),
    findAccessToken: (token) => find("access token", token),
    issueRefreshToken: (grant) => issue("refresh token", grant, refreshTokenSeconds),
    spendRefreshToken: (token) => spend("refresh token", token),
  }
}
