import type { RegisteredClient } from "./client.js"
import type { Incoming } from "./endpoint.js"
import type { ApplyFaults } from "./faults/faults.js"
import type { KeyRing } from "./keys.js"
import type { Person } from "./person.js"

/** The state that the endpoints of one identity provider share. */
export interface ProviderState {
  readonly issuer: string
  readonly clients: readonly RegisteredClient[]
  readonly keys: KeyRing
  readonly grants: Grants
  readonly pushed: PushedRequests
  /** Added to the discovery document. */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly apply: ApplyFaults
  /** The current user. Null: the sign-in is denied. */
  readonly person: () => Person | null
}

/** Serves one endpoint. */
export type EndpointHandler = (incoming: Incoming, provider: ProviderState) => Promise<Response>

/** A grant of the authorization endpoint. */
export interface Grant {
  readonly clientId: string
  readonly redirectUri: string
  readonly scope: string
  readonly person: Person
  readonly nonce: string | null
  readonly codeChallenge: string | null
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly authTime: number
  /** Id of the session at the provider. */
  readonly sid: string
}

/** Issues random codes and tokens, and finds their grants. */
export interface Grants {
  issueCode(grant: Grant): string
  /** Returns the grant of a code once. Null if the code is unknown, used or older than a minute. */
  consumeCode(code: string): Grant | null
  issueAccessToken(grant: Grant): string
  findAccessToken(token: string): Grant | null
  issueRefreshToken(grant: Grant): string
  /** Returns the grant of a refresh token once. */
  consumeRefreshToken(token: string): Grant | null
  /** Adds an ID token to `issued`. */
  recordIdToken(token: string): void
  /** All secrets issued so far, for {@link findLeaks}. */
  readonly issued: readonly IssuedSecret[]
}

/** A code or token that the identity provider issued. */
export interface IssuedSecret {
  readonly name: "code" | "access token" | "refresh token" | "id token"
  readonly value: string
}

interface KeptGrant {
  readonly grant: Grant
  readonly expiresAtMs: number
}

/** Lifetime of an access token. */
export const accessTokenSeconds = 3600
const codeSeconds = 60
const refreshTokenSeconds = 86_400

/** @param issued The list to which every secret is added. */
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

  function consume(name: IssuedSecret["name"], value: string): Grant | null {
    const grant = find(name, value)
    kept.delete(`${name} ${value}`)
    return grant
  }

  return {
    issued,
    recordIdToken: (value) => void issued.push({ name: "id token", value }),
    issueCode: (grant) => issue("code", grant, codeSeconds),
    consumeCode: (code) => consume("code", code),
    issueAccessToken: (grant) => issue("access token", grant, accessTokenSeconds),
    findAccessToken: (token) => find("access token", token),
    issueRefreshToken: (grant) => issue("refresh token", grant, refreshTokenSeconds),
    consumeRefreshToken: (token) => consume("refresh token", token),
  }
}

/** Pushed authorization requests, RFC 9126. */
interface PushedRequests {
  /** Stores a request for a minute and returns its `request_uri`. */
  store(client: RegisteredClient, params: URLSearchParams): string
  /** Returns a request once. Null if it is unknown, used, expired or of another client. */
  consume(reference: string, clientId: string | null): URLSearchParams | null
}

/** Lifetime of a pushed request. */
export const pushedRequestSeconds = 60

interface KeptRequest {
  readonly clientId: string
  readonly params: URLSearchParams
  readonly expiresAtMs: number
}

/** Creates an empty store of pushed requests. */
export function createPushedRequests(): PushedRequests {
  const kept = new Map<string, KeptRequest>()
  return {
    store({ client_id: clientId }, params) {
      const reference = `urn:ietf:params:oauth:request_uri:${crypto.randomUUID()}`
      kept.set(reference, { clientId, params, expiresAtMs: Date.now() + pushedRequestSeconds * 1000 })
      return reference
    },
    consume(reference, clientId) {
      const found = kept.get(reference)
      kept.delete(reference)
      return found && found.clientId === clientId && found.expiresAtMs > Date.now() ? found.params : null
    },
  }
}
