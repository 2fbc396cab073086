import type { Session } from "@latchkey/types"
import { AuthClientError } from "../auth-client-error.js"

/**
 * What is known of the session. `loading` until the service has said something. `error` is what the last request failed
 * with: while the service cannot be reached, what it said last goes on to count.
 */
export type SessionState =
  | { readonly status: "loading"; readonly data: null; readonly error: Error | undefined }
  | { readonly status: "authenticated"; readonly data: Session; readonly error: Error | undefined }
  | { readonly status: "unauthenticated"; readonly data: null; readonly error: Error | undefined }

/** @param session undefined when nobody has said anything yet */
export function toState(session: Session | null | undefined): SessionState {
  if (session === undefined) return { status: "loading", data: null, error: undefined }
  if (session === null) return { status: "unauthenticated", data: null, error: undefined }
  return { status: "authenticated", data: session, error: undefined }
}

/**
 * What is left of a state after a failed request. Only trouble that passes keeps a session, and only while that lasts:
 * an answer that is no session ends it.
 */
export function afterFailure(state: SessionState, error: Error): SessionState {
  const isKept = isPassing(error) && !(state.status === "authenticated" && isExpired(state.data))
  return isKept ? { ...state, error } : { status: "unauthenticated", data: null, error }
}

/** Two that look the same are the same, so that nobody draws anew for nothing. */
export function isSameState(one: SessionState, other: SessionState): boolean {
  return one.error === other.error && JSON.stringify(one) === JSON.stringify(other)
}

/** Whether another request may succeed: nobody answered, or somebody who is in trouble. */
function isPassing(error: Error): boolean {
  if (!(error instanceof AuthClientError)) return false
  const { code, status = 0 } = error
  return code === "network" || status === 429 || status >= 500
}

function isExpired({ expires }: Session): boolean {
  return Date.parse(expires) <= Date.now()
}
