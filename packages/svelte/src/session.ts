import {
  type AppSession,
  type AuthClient,
  type AuthClientOptions,
  configureAuth,
  createSessionStore,
  currentClient,
  type RefreshOptions,
  type SessionState,
  type SessionStore,
} from "@latchkey/client"
import { getContext, setContext } from "svelte"
import { createSubscriber } from "svelte/reactivity"

/** Options of `createSession` and `provideSession`. */
export interface SessionOptions extends RefreshOptions, Pick<AuthClientOptions, "basePath"> {
  /** The session if the server has read it, null if no one is signed in. The browser then makes no initial request. */
  readonly session?: AppSession | null | undefined
}

/**
 * The current session. Its fields are reactive: what reads them in a component, a `$derived` or an `$effect` follows each
 * change. The session is requested when the first of them reads it.
 */
export interface ReactiveSession {
  readonly status: SessionState["status"]
  /** Undefined while loading, null when signed out. */
  readonly data: AppSession | null | undefined
  /** Why the last request failed. While the service is unreachable, the last known session is kept. */
  readonly error: Error | undefined
  /**
   * Passes data to the service's `jwt` and `session` callbacks and shows the updated session. Without data it requests
   * the session.
   * @throws AuthClientError
   */
  readonly update: SessionStore["update"]
  /** Takes a session that the server has read in the meantime: `$effect(() => session.learn(data.session))`. */
  readonly learn: SessionStore["learn"]
}

/**
 * Creates the session of a page without a server that renders it, in a module that all components import. With one, use
 * `provideSession`, because a server shares its modules between visitors.
 * @param options `basePath` is where the service is mounted, also for `signIn` and the other functions. Default: `/auth`.
 * @example export const session = createSession()
 */
export function createSession({ basePath, session, ...refresh }: SessionOptions = {}): ReactiveSession {
  const client = basePath === undefined ? currentClient() : configureAuth({ basePath })
  const store = createSessionStore({ ...refresh, session, client })
  const follow = createSubscriber((onChange) => store.subscribe(onChange))
  /** The state, which the caller follows from now on. */
  const read = (): SessionState => {
    follow()
    return store.getState()
  }
  const reactive: ReactiveSession = {
    get status() {
      return read().status
    },
    get data() {
      const { status, data } = read()
      return status === "loading" ? undefined : data
    },
    get error() {
      return read().error
    },
    update: store.update,
    learn: store.learn,
  }
  connections.set(reactive, { client, session: store })
  return reactive
}

interface Connection {
  readonly client: AuthClient
  readonly session: SessionStore
}

const connections: WeakMap<ReactiveSession, Connection> = /* @__PURE__ */ new WeakMap()

/** What requests the session. @throws TypeError for one that `createSession` did not make */
export function getConnection(session: ReactiveSession): Connection {
  const connection = connections.get(session)
  if (connection) return connection
  throw new TypeError("session: must be one that createSession or provideSession made")
}

const contextKey = Symbol("@latchkey/svelte")

/**
 * Creates a session, and shares it with the components inside: call it in the root layout.
 * @example const session = provideSession({ session: data.session })
 */
export function provideSession(options?: SessionOptions): ReactiveSession {
  return setContext(contextKey, createSession(options))
}

/**
 * The session of the root layout. Do not take it apart: `const { data } = useSession()` would not follow changes.
 * @throws Error outside a component that calls `provideSession`
 * @example const session = useSession()
 */
export function useSession(): ReactiveSession {
  const session = getContext<ReactiveSession | undefined>(contextKey)
  if (session) return session
  throw new Error("useSession needs a session. Call provideSession() in the root layout")
}
