import {
  type AppSession,
  type AuthClient,
  createSessionStore,
  type RefreshOptions,
  type SessionStore,
} from "@latchkey/client"
import {
  type Context,
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react"
import { configureAuth, currentClient } from "./auth.js"

/** Properties of `SessionProvider`. */
export interface SessionProviderProps extends RefreshOptions {
  readonly children?: ReactNode
  /**
   * The session if the server has read it, null if no one is signed in. The browser then makes no initial request. A
   * different session in a later render replaces it.
   */
  readonly session?: AppSession | null | undefined
  /**
   * Where the service is mounted, also for `signIn` and the other functions. Read at the first render. Default:
   * `/api/auth`.
   */
  readonly basePath?: string | undefined
}

/** Shares one session with every `useSession` inside it. */
export function SessionProvider({ children, session, basePath, ...refresh }: SessionProviderProps): ReactElement {
  const [connection] = useState(() => {
    const client = basePath === undefined ? currentClient() : configureAuth({ basePath })
    return { client, store: createSessionStore({ ...refresh, session, client }) }
  })
  useRefreshOptions(connection.store, refresh)
  useServerSession(connection.store, session)
  return createElement(ConnectionContext.Provider, { value: connection }, children)
}

/** The client of a page and the store of its session. */
export interface Connection {
  readonly client: AuthClient
  readonly store: SessionStore
}

/** Null outside a `SessionProvider`. */
export const ConnectionContext: Context<Connection | null> = /* @__PURE__ */ createContext<Connection | null>(null)

function useRefreshOptions(store: SessionStore, refresh: RefreshOptions): void {
  const { refetchOnWindowFocus = true, refetchInterval = 0, refetchWhenOffline = true } = refresh
  useEffect(() => {
    store.configure({ refetchOnWindowFocus, refetchInterval, refetchWhenOffline })
  }, [store, refetchOnWindowFocus, refetchInterval, refetchWhenOffline])
  const isKeptAlive = refetchInterval > 0
  useEffect(() => {
    // Subscribed, so that the session is also kept alive on pages that do not show it.
    return isKeptAlive ? store.subscribe(() => undefined) : undefined
  }, [store, isKeptAlive])
}

/** Compares by content: a new object with the same session, as in every render, is not news. */
function useServerSession(store: SessionStore, session: AppSession | null | undefined): void {
  const json = session === undefined ? undefined : JSON.stringify(session)
  useEffect(() => {
    if (json !== undefined) store.learn(JSON.parse(json))
  }, [store, json])
}

/** The result of `useSession`. With `required: true` the status is never `unauthenticated`. */
export type SessionContextValue<R extends boolean = false> = SessionCase<R> & {
  /**
   * Passes data to the service's `jwt` and `session` callbacks and shows the updated session. Without data it requests
   * the session.
   * @throws AuthClientError
   */
  readonly update: SessionStore["update"]
  /** Why the last request failed. While the service is unreachable, the last known session is kept. */
  readonly error: Error | undefined
}

type SessionCase<R extends boolean> =
  | { readonly status: "authenticated"; readonly data: AppSession }
  // While loading, it is undefined, although the type says null. next-auth does the same: apps that move keep compiling.
  | { readonly status: R extends true ? "loading" : "loading" | "unauthenticated"; readonly data: null }

/**
 * A fixed session for the components inside its `Provider`, such as in a test or in Storybook. `SessionProvider` does not
 * set it: read the session with `useSession`.
 */
export const SessionContext: Context<SessionContextValue | undefined> = /* @__PURE__ */ createContext<
  SessionContextValue | undefined
>(undefined)

/** Options of `useSession`. */
export interface UseSessionOptions<R extends boolean = boolean> {
  /**
   * Whether the component requires a signed-in user. This only affects what is shown: protect data on the server.
   */
  readonly required: R
  /** Default: goes to the sign-in page, which leads back here. */
  readonly onUnauthenticated?: (() => void) | undefined
}

/**
 * The current session. All components share one request.
 * @throws Error outside a `SessionProvider`
 * @example const { data: session, status } = useSession()
 */
export function useSession<R extends boolean = false>(options?: UseSessionOptions<R>): SessionContextValue<R> {
  const given = useContext(SessionContext)
  // A component stays below the same provider as long as it is mounted, so the order of its hooks does not change.
  // biome-ignore lint/correctness/useHookAtTopLevel: see above.
  return given ? (given as SessionContextValue<R>) : useConnection(options)
}

function useConnection<R extends boolean>(options: UseSessionOptions<R> | undefined): SessionContextValue<R> {
  const connection = useContext(ConnectionContext)
  if (!connection) throw new Error("useSession must be used inside <SessionProvider>. Wrap your app in one")
  const { client, store } = connection
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getInitialState)
  const isMissing = options?.required === true && state.status === "unauthenticated"
  const goToSignIn = (): void => void client.signIn(undefined, {}, { error: "SessionRequired" })
  useCallWhen(isMissing, options?.onUnauthenticated ?? goToSignIn)
  const data = state.status === "loading" ? undefined : state.data
  const value = { ...state, data, status: isMissing ? "loading" : state.status, update: store.update }
  return value as SessionContextValue<R> // The compiler cannot follow that `required` rules out `unauthenticated`.
}

/**
 * Shows what is inside while someone is signed in. This only affects what is shown: protect data on the server.
 * @throws Error outside a `SessionProvider`
 */
export function SignedIn({ children }: { readonly children?: ReactNode }): ReactNode {
  return useSession().status === "authenticated" ? children : null
}

/**
 * Shows what is inside while no one is signed in, once that is known.
 * @throws Error outside a `SessionProvider`
 */
export function SignedOut({ children }: { readonly children?: ReactNode }): ReactNode {
  return useSession().status === "unauthenticated" ? children : null
}

/** Calls the latest function each time the condition becomes true. */
function useCallWhen(condition: boolean, call: () => void): void {
  const latest = useRef(call)
  useEffect(() => {
    latest.current = call
  })
  useEffect(() => {
    if (condition) latest.current()
  }, [condition])
}
