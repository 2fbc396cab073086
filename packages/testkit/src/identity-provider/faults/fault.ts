import type { JWK } from "jose"
import type { Client } from "../client.js"
import type { Endpoint, Incoming } from "../endpoint.js"
import type { KeyRing, Signing } from "../keys.js"

/** Claims, metadata or the fields of an answer. */
export type Members = Readonly<Record<string, unknown>>

/** What the authorization endpoint sends back by way of the browser. */
export interface AuthorizationAnswer {
  readonly params: URLSearchParams
  readonly mode: "query" | "form_post"
  /** Whether it is sent as one signed token. Default: as the app asked. */
  readonly isSigned?: boolean
}

/** The points at which the provider's work can be changed, with what is passed through them. */
export interface FaultPoints {
  /** The discovery document. */
  readonly metadata: Members
  readonly jwks: readonly JWK[]
  readonly authorizationAnswer: AuthorizationAnswer
  /** Claims of a signed authorization answer. */
  readonly answerClaims: Members
  readonly answerSigning: Signing
  /** The signed answer in its compact form. */
  readonly answerToken: string
  readonly signedAnswer: AuthorizationAnswer
  readonly idTokenClaims: Members
  readonly idTokenSigning: Signing
  /** The ID token in its compact form. */
  readonly idToken: string
  /** The answer of the token endpoint. */
  readonly tokens: Members
  readonly userinfo: Members
  /** The whole answer of any endpoint. */
  readonly response: Response
}

/** For which request a fault changes something. */
export interface FaultContext {
  readonly endpoint: Endpoint
  readonly issuer: string
  readonly keys: KeyRing
  readonly incoming: Incoming
  /** The app that asks, where that is known. */
  readonly client?: Client
}

type Change<Value> = (value: Value, context: FaultContext) => Value | Promise<Value>

/** What is done at each point. */
export type Effects = { readonly [Point in keyof FaultPoints]?: Change<FaultPoints[Point]> }

/** The part of a sign-in in which a fault shows. */
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
  /** What a careful app does about it. `choice`: either can be defended. */
  readonly outcome: "refused" | "accepted" | "choice"
  /** Where the rule stands. */
  readonly source: string
  readonly effects: Effects
}

/** The same without one member. */
export function without(members: Members, name: string): Members {
  return Object.fromEntries(Object.entries(members).filter(([own]) => own !== name))
}

/** Changes a byte in the middle: the last characters of base64url may hold bits that do not count. */
export function changeSignature(token: string): string {
  return replaceSignature(token, (text) => {
    const middle = Math.floor(text.length / 2)
    return text.slice(0, middle) + (text[middle] === "A" ? "B" : "A") + text.slice(middle + 1)
  })
}

/** Nothing but zeros, as long as before. */
export function zeroSignature(token: string): string {
  return replaceSignature(token, (text) => text.replace(/./g, "A"))
}

function replaceSignature(token: string, change: (signature: string) => string): string {
  const start = token.lastIndexOf(".") + 1
  return token.slice(0, start) + change(token.slice(start))
}
