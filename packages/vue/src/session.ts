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
import {
  type App,
  type Component,
  type ComputedRef,
  computed,
  defineComponent,
  getCurrentInstance,
  type InjectionKey,
  inject,
  onMounted,
  onScopeDispose,
  shallowRef,
  watch,
} from "vue"

/** Options of `createAuth`. */
export interface AuthOptions extends RefreshOptions, Pick<AuthClientOptions, "basePath"> {
  /** The session if the server has read it, null if no one is signed in. The browser then makes no initial request. */
  readonly session?: AppSession | null | undefined
}

/** A plugin of an app, and the store of its session. */
export interface Auth {
  install(app: App): void
  /** For code outside components, such as the guard of a router: `await auth.store.refresh()`. */
  readonly store: SessionStore
}

export interface Connection {
  readonly client: AuthClient
  readonly store: SessionStore
}

export const connectionKey: InjectionKey<Connection> = Symbol("@latchkey/vue")

/**
 * Creates a plugin that shares one session with all components: `createApp(App).use(createAuth())`. On a server, create one
 * for each request.
 * @param options `basePath` is where the service is mounted, also for `signIn` and the other functions. Default: `/auth`.
 */
export function createAuth({ basePath, session, ...refresh }: AuthOptions = {}): Auth {
  const client = basePath === undefined ? currentClient() : configureAuth({ basePath })
  const store = createSessionStore({ ...refresh, session, client })
  return {
    store,
    install(app) {
      app.provide(connectionKey, { client, store })
      if ((refresh.refetchInterval ?? 0) <= 0 || typeof window === "undefined") return
      // Subscribed, so that the session is also kept alive on pages that do not show it.
      app.onUnmount(store.subscribe(() => undefined))
    },
  }
}

/** Options of `useSession`. */
export interface UseSessionOptions {
  /** Whether the component requires a signed-in user. This only affects what is shown: protect data on the server. */
  readonly required?: boolean | undefined
  /** Called if `required` is set and no one is signed in. Default: goes to the sign-in page, which leads back here. */
  readonly onUnauthenticated?: (() => void) | undefined
}

/** The result of `useSession`. */
export interface UsedSession {
  /** Undefined while loading, null when signed out. */
  readonly data: ComputedRef<AppSession | null | undefined>
  /** With `required: true` never `unauthenticated`. */
  readonly status: ComputedRef<SessionState["status"]>
  /** Why the last request failed. While the service is unreachable, the last known session is kept. */
  readonly error: ComputedRef<Error | undefined>
  /**
   * Passes data to the service's `jwt` and `session` callbacks and shows the updated session. Without data it requests
   * the session.
   * @throws AuthClientError
   */
  readonly update: SessionStore["update"]
}

/**
 * The current session, in a component. All components share one request, which begins when the first is mounted.
 * @throws Error in an app without `createAuth`
 * @example const { data: session, status } = useSession()
 */
export function useSession({ required = false, onUnauthenticated }: UseSessionOptions = {}): UsedSession {
  const connection = inject(connectionKey, null)
  if (!connection) throw new Error("useSession needs the plugin. Write app.use(createAuth())")
  const { client, store } = connection
  // What the server has rendered, until the component is hydrated.
  const isHydrating = Boolean(getCurrentInstance()?.vnode.el)
  const state = shallowRef(isHydrating ? store.getInitialState() : store.getState())
  let unsubscribe = (): void => undefined
  onMounted(() => {
    unsubscribe = store.subscribe(() => {
      state.value = store.getState()
    })
    state.value = store.getState()
  })
  onScopeDispose(() => unsubscribe())

  const isMissing = computed(() => required && state.value.status === "unauthenticated")
  if (required) {
    const leave = onUnauthenticated ?? (() => void client.signIn(undefined, {}, { error: "SessionRequired" }))
    onMounted(() => watch(isMissing, (isNow) => isNow && leave(), { immediate: true }))
  }
  return {
    data: computed(() => (state.value.status === "loading" ? undefined : state.value.data)),
    status: computed(() => (isMissing.value ? "loading" : state.value.status)),
    error: computed(() => state.value.error),
    update: store.update,
  }
}

/**
 * Shows its slot while someone is signed in. This only affects what is shown: protect data on the server.
 * @throws Error in an app without `createAuth`
 */
export const SignedIn: Component = /* @__PURE__ */ defineComponent({
  name: "SignedIn",
  setup(_, { slots }) {
    const { status } = useSession()
    return () => (status.value === "authenticated" ? slots["default"]?.() : null)
  },
})

/**
 * Shows its slot while no one is signed in, once that is known.
 * @throws Error in an app without `createAuth`
 */
export const SignedOut: Component = /* @__PURE__ */ defineComponent({
  name: "SignedOut",
  setup(_, { slots }) {
    const { status } = useSession()
    return () => (status.value === "unauthenticated" ? slots["default"]?.() : null)
  },
})
