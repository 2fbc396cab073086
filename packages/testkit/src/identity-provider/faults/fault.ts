import type { JWK } from "jose"
import type { Client } from "../client.js"
import type { Endpoint, Incoming } from "../endpoint.js"
import type { KeyRing, Signing } from "../keys.js"

/** Claims, metadata or the members of a JSON response. */
export type Members = Readonly<Record<string, unknown>>

/** The response of the authorization endpoint, which the browser takes to the client. */
export interface AuthorizationAnswer {
  readonly params: URLSearchParams
  readonly mode: "query" | "form_post"
  /** Whether it is sent as one signed token. Default: the requested mode. */
  readonly isSigned?: boolean | undefined
}

/** The points at which a fault can change something, with the type of the value. */
export interface FaultPoints {
  /** The discovery document. */
  readonly metadata: Members
  /** The key set. */
  readonly jwks: readonly JWK[]
  /** The authorization response, before it is signed. */
  readonly authorizationAnswer: AuthorizationAnswer
  /** Claims of a signed authorization response. */
  readonly answerClaims: Members
  /** How the authorization response is signed. */
  readonly answerSigning: Signing
  /** The signed authorization response as a compact JWS. */
  readonly answerToken: string
  /** The authorization response that carries the signed token. */
  readonly signedAnswer: AuthorizationAnswer
  /** Claims of the ID token. */
  readonly idTokenClaims: Members
  /** How the ID token is signed. */
  readonly idTokenSigning: Signing
  /** The ID token as a compact JWS. */
  readonly idToken: string
  /** The token response. */
  readonly tokens: Members
  /** The userinfo response. */
  readonly userinfo: Members
  /** The whole response of any endpoint. */
  readonly response: Response
}

/** The request during which a fault changes something. */
export interface FaultContext {
  readonly endpoint: Endpoint
  readonly issuer: string
  readonly keys: KeyRing
  readonly incoming: Incoming
  /** The client, if it is known. */
  readonly client?: Client | undefined
}

type Change<Value> = (value: Value, context: FaultContext) => Value | Promise<Value>

/** The changes that a fault makes, by point. */
export type Effects = { readonly [Point in keyof FaultPoints]?: Change<FaultPoints[Point]> | undefined }

/** The step of a sign-in at which a fault appears. */
export type FaultStage =
  | "discovery"
  | "jwks"
  | "pushed"
  | "authorization"
  | "signed-answer"
  | "id-token"
  | "token"
  | "userinfo"

/** One way in which an identity provider misbehaves. */
export interface Fault {
  readonly stage: FaultStage
  /** What a careful client does. `choice`: accepting and refusing are both defensible. */
  readonly outcome: "refused" | "accepted" | "choice"
  /** The specification or weakness behind it, such as `RFC 6749 section 5.1`. */
  readonly source: string
  readonly effects: Effects
}

/** Copies an object without one member. */
export function without(members: Members, name: string): Members {
  return Object.fromEntries(Object.entries(members).filter(([own]) => own !== name))
}

/** Changes a character in the middle of the signature. The last characters of base64url can hold unused bits. */
export function changeSignature(token: string): string {
  return replaceSignature(token, (text) => {
    const middle = Math.floor(text.length / 2)
    return text.slice(0, middle) + (text[middle] === "A" ? "B" : "A") + text.slice(middle + 1)
  })
}

/** Replaces the signature with zeros. */
export function zeroSignature(token: string): string {
  return replaceSignature(token, (text) => text.replace(/./g, "A"))
}

function replaceSignature(token: string, change: (signature: string) => string): string {
  const start = token.lastIndexOf(".") + 1
  return token.slice(0, start) + change(token.slice(start))
}
