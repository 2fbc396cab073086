import type { Proof, SignInRedirect } from "../account/proof.js"
import type { Events } from "../host/events.js"
import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import type { MethodFacts, SignedIn } from "../session/session.js"
import type { AdapterUser } from "../types/adapter.js"
import type { Awaitable } from "../types/basics.js"
import type { ResponseCookie } from "../types/http.js"
import type { ResolvedProvider } from "../types/resolved.js"

/** The steps of a sign-in. */
export interface SignInSteps<P extends ResolvedProvider = ResolvedProvider, Proved extends Proof = Proof> {
  /** Answers `POST signin/<id>`: starts the sign-in. */
  begin(request: AuthRequest, provider: P): Promise<Reply>
  /** Answers `callback/<id>`. A reply instead of a proof is sent to the browser as it is. */
  prove(request: AuthRequest, provider: P): Promise<Proven<Proved> | LinkPage | Reply>
  /**
   * Decides whose account it is and stores what follows from that. Called after the `signIn` callback allowed it.
   * @param current The user of the current session, if the proof depends on it.
   * @returns where to redirect if the `signIn` callback, asked again about the user, redirects.
   */
  resolveUser(proof: Proved, current: AdapterUser | null, events: Events): Awaitable<ResolvedUser | SignInRedirect>
  /**
   * Stores the tokens of a sign-in with an account that was linked before. Called before the session starts, if the method
   * brought facts, and not while the sign-in is held.
   */
  renewTokens?(signedIn: Pick<SignedIn, "user" | "account" | "facts">, provider: P): Promise<void>
  /** Answers `GET webauthn-options/<id>`. */
  offerOptions?(request: AuthRequest, provider: P): Promise<Reply>
}

/** The result of a successful callback. */
export interface Proven<Proved extends Proof = Proof> {
  readonly proof: Proved
  /** The callback URL that was checked when the sign-in began. Undefined: the request or its cookie has it. */
  readonly callbackUrl: string | undefined
  /** Clear the cookies of the flow. Set them whether or not the sign-in succeeds. */
  readonly cookies: readonly ResponseCookie[]
  /** The token of the link in the mail whose code was typed: both are completed. */
  readonly token?: string
}

/** A mailed link was opened in a browser that did not ask for it. The visitor decides on a page; nothing is consumed. */
export interface LinkPage {
  readonly linkPage: {
    /** The masked address. Undefined if the link has none that can be shown. */
    readonly address: string | undefined
    /** Whether the mail also holds a code. */
    readonly hasCode: boolean
    /** The code to type where the sign-in began, if nothing can be consumed here. */
    readonly code: string | undefined
  }
}

/** The user of a proof. The account and the profile are those of the proof. */
export type ResolvedUser = Omit<SignedIn, "account" | "achieved" | "profile">

/** Something that a method knows about a sign-in, and reads again when the session starts, which may be after a second factor. */
export interface MethodFact<Value extends MethodFacts[string]> {
  /** For the result of `resolveUser`. */
  bring(value: Value): Required<Pick<SignedIn, "facts">>
  /** Undefined if the sign-in was not by this method. */
  of(signedIn: Pick<SignedIn, "facts">): Value | undefined
}

/** @param name Unique: it begins with the name of the method. */
export function methodFact<Value extends MethodFacts[string]>(name: `${string}.${string}`): MethodFact<Value> {
  return {
    bring: (value) => ({ facts: { [name]: value } }),
    // as: only `bring` writes under the name.
    of: ({ facts }) => facts?.[name] as Value | undefined,
  }
}
