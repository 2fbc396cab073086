import type { AuthClient, Session, SessionStore } from "@latchkey/client"
import { useEffect, useRef, useSyncExternalStore } from "react"
import { useConnection } from "./connection.js"

/** The session as a component sees it. With `required` there always is one, or it is not known yet. */
export type SessionContextValue<R extends boolean = false> = SessionCase<R> & {
  /**
   * Hands data to the `jwt` and `session` callbacks of the service, and shows the session that comes of it. Without data
   * it asks anew.
   * @throws AuthClientError
   */
  readonly update: SessionStore["update"]
  /** What the last request failed with. While the service cannot be reached, the last session goes on to count. */
  readonly error: Error | undefined
}

type SessionCase<R extends boolean> =
  | { readonly status: "authenticated"; readonly data: Session }
  | { readonly status: R extends true ? "loading" : "loading" | "unauthenticated"; readonly data: null }

export interface UseSessionOptions<R extends boolean = boolean> {
  /** Whether nobody sees this component without being signed in. It is for show: what is secret, the server guards. */
  readonly required: R
  /** Default: goes to the sign-in page and comes back. */
  readonly onUnauthenticated?: () => void
}

/**
 * Whose session it is. Asked for once for all components.
 * @throws Error outside of a `SessionProvider`
 * @example const { data: session, status } = useSession()
 */
export function useSession<R extends boolean = false>(options?: UseSessionOptions<R>): SessionContextValue<R> {
  const { client, store } = useConnection()
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getInitialState)
  const isMissing = options?.required === true && state.status === "unauthenticated"
  useCall(isMissing, options?.onUnauthenticated ?? (() => askToSignIn(client)))
  const value = { ...state, status: isMissing ? "loading" : state.status, update: store.update }
  return value as SessionContextValue<R> // `required` takes `unauthenticated` away, which the compiler cannot follow.
}

/** Calls what was given last, once for each time that the condition comes true. */
function useCall(condition: boolean, call: () => void): void {
  const latest = useRef(call)
  useEffect(() => {
    latest.current = call
  })
  useEffect(() => {
    if (condition) latest.current()
  }, [condition])
}

function askToSignIn(client: AuthClient): void {
  void client.signIn(undefined, {}, { error: "SessionRequired" })
}
