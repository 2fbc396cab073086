import type { Proof } from "../account/proof.js"
import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import type { ResponseCookie } from "../types/http.js"
import type { ResolvedProvider } from "../types/resolved.js"

/** What a callback proved, and where the visitor wanted to go. */
export interface Proven {
  readonly proof: Proof
  /** The address that was checked when the flow began; undefined: this request says. */
  readonly callbackUrl: string | undefined
  /** Clear what the flow left in the browser; set also when the sign-in is refused. */
  readonly cookies: readonly ResponseCookie[]
}

/** A way to prove who one is. Knows nothing of sessions, linking or pages. */
export interface SignInMethod<P extends ResolvedProvider = ResolvedProvider> {
  /** `POST signin/<id>`: starts the flow. */
  begin(request: AuthRequest, provider: P): Promise<Reply>
  /** `callback/<id>`: finishes it. A reply passes the visitor on without a proof. */
  prove(request: AuthRequest, provider: P): Promise<Proven | Reply>
  /** The HTTP method by which this provider's callback comes. */
  callbackMethod(provider: P): AuthRequest["method"]
  /** `GET webauthn-options/<id>`: for methods whose browser side has to be told what to ask for. */
  offerOptions?(request: AuthRequest, provider: P): Promise<Reply>
  /** Whether the callback is a form of ours, which must prove that it is. Answers of identity providers cannot. */
  readonly isCallbackOurForm: boolean
}

export function isProven(outcome: Proven | Reply): outcome is Proven {
  return "proof" in outcome
}
