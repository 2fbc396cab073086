import type { RegisteredClient } from "./client.js"
import type { Incoming } from "./endpoint.js"
import type { ApplyFaults } from "./faults/faults.js"
import type { KeyRing } from "./keys.js"
import type { Person } from "./person.js"

/** What the endpoints of one identity provider share. */
export interface Establishment {
  readonly issuer: string
  readonly clients: readonly RegisteredClient[]
  readonly keys: KeyRing
  readonly grants: Grants
  readonly pushed: PushedRequests
  /** Added to the discovery document. */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly apply: ApplyFaults
  /** Who is in front of the provider now. Null: nobody agrees to sign in. */
  readonly person: () => Person | null
}

/** Answers requests at one endpoint. */
export type EndpointAnswer = (incoming: Incoming, establishment: Establishment) => Promise<Response>

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

interface KeptGrant {
  readonly grant: Grant
  readonly expiresAtMs: number
}

export const accessTokenSeconds = 3600
const codeSeconds = 60
const refreshTokenSeconds = 86_400

export function createGrants(issued: IssuedSecret[]): Grants {
  const kept = new Map<string, KeptGrant>()

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

/** Authorization requests that apps handed over, each found once. */
interface PushedRequests {
  /** The reference, which lives for a minute. */
  keep(client: RegisteredClient, params: URLSearchParams): string
  /** Finds and removes. Null when unknown, spent, expired or of another app. */
  spend(reference: string, clientId: string | null): URLSearchParams | null
}

/** Seconds. */
export const pushedRequestSeconds = 60

interface KeptRequest {
  readonly clientId: string
  readonly params: URLSearchParams
  readonly expiresAtMs: number
}

export function createPushedRequests(): PushedRequests {
  const kept = new Map<string, KeptRequest>()
  return {
    keep({ client_id: clientId }, params) {
      const reference = `urn:ietf:params:oauth:request_uri:${crypto.randomUUID()}`
      kept.set(reference, { clientId, params, expiresAtMs: Date.now() + pushedRequestSeconds * 1000 })
      return reference
    },
    spend(reference, clientId) {
      const found = kept.get(reference)
      kept.delete(reference)
      return found && found.clientId === clientId && found.expiresAtMs > Date.now() ? found.params : null
    },
  }
}
