import type { AppSession } from "@latchkey/types"
import { type AuthClient, getService } from "../auth-client.js"
import { AuthClientError, type ServiceAction } from "../service.js"
import type { SessionState } from "../session-reader.js"
import type { SessionStore } from "../session-store.js"
import { type AccountFailure, readAnswer } from "./account-error.js"

/** What the stores of the account need. */
export interface AccountConnection {
  /** The store of the page's session: nothing is requested while no one is signed in. */
  readonly session: SessionStore
  /** The client that the store of the session has. */
  readonly client: AuthClient
}

/** What a part of the account shows. */
export type AccountState<Data> = AccountCase<Data> & {
  /**
   * Why the last request or action failed. Null after one that succeeded. `loading` with an error: nothing was read yet, call
   * `refresh` to try again.
   */
  readonly error: AccountFailure | null
  /** Whether an action is running. */
  readonly isPending: boolean
}

type AccountCase<Data> =
  | { readonly status: "loading" | "unauthenticated"; readonly data: null }
  | { readonly status: "ready"; readonly data: Data }

/** The result of an action, told apart by `error`. */
export type ActionResult<Answer> =
  | { readonly error: null; readonly answer: Answer }
  | { readonly error: AccountFailure; readonly answer: null }

/** A part of the account, shared by everything on a page that shows it. */
export interface AccountStore<Data, Actions> {
  /** Returns the same object until something changes. */
  getState(): AccountState<Data>
  /** The state before the first request, as a server renders it. */
  getInitialState(): AccountState<Data>
  /**
   * Calls the listener after each change. The request is sent for the first subscriber, and aborted with the last.
   * @returns an unsubscribe function
   */
  subscribe(listener: () => void): () => void
  /** Requests the data again. Without subscribers or signed out, it does nothing. A failure is in the state. */
  refresh(): Promise<void>
  /** What can be done. A failure is in the result and in the state. */
  readonly actions: Actions
}

/** A change: where it is posted, the field `action`, and the other fields. Those that are undefined are left out. */
export interface Change {
  readonly to: readonly [ServiceAction, string]
  readonly action?: string
  readonly fields?: Readonly<Record<string, string | undefined>>
  /** Whether it may change the session, such as the name in it, or end it. */
  readonly changesSession?: boolean
}

/** Posts a change, and requests everything again that is shown. */
export type Post = <Answer>(change: Change) => Promise<ActionResult<Answer>>

/** A store whose data is new enough after a new subscription. */
const freshMs = 5000

const loading = { status: "loading", data: null, error: null, isPending: false } as const
const signedOut = { ...loading, status: "unauthenticated" } as const

/** What is known before any request: a session that is null, such as one that a server has read, has no account. */
const toInitial = ({ status }: SessionState): typeof loading | typeof signedOut =>
  status === "unauthenticated" ? signedOut : loading

interface Resource<Data, Actions> {
  /** The path of the data. */
  readonly path: readonly [ServiceAction, string?]
  /** Takes the data from an answer of the service, whose shape is fixed. */
  readonly select: (answer: object) => Data
  readonly toActions: (post: Post) => Actions
}

/** The stores of one page, by their path. */
const pages: WeakMap<SessionStore, Map<string, AccountStore<unknown, unknown>>> = /* @__PURE__ */ new WeakMap()

/** The store of a part of the account; the same for the same store of the session. */
export function getStore<Data, Actions>(
  resource: Resource<Data, Actions>,
  connection: AccountConnection,
): AccountStore<Data, Actions> {
  const stores = pages.get(connection.session) ?? new Map<string, AccountStore<unknown, unknown>>()
  pages.set(connection.session, stores)
  const key = resource.path.join("/")
  const store = stores.get(key) ?? createStore(resource, connection, () => [...stores.values()])
  stores.set(key, store)
  return store as AccountStore<Data, Actions> // Each path has one resource.
}

function createStore<Data, Actions>(
  { path, select, toActions }: Resource<Data, Actions>,
  { client, session }: AccountConnection,
  listStores: () => readonly AccountStore<unknown, unknown>[],
): AccountStore<Data, Actions> {
  const service = getService(client)
  const listeners = new Set<() => void>()
  let state: AccountState<Data> = toInitial(session.getState())
  /** Whose data it is. Null: of no one. Undefined: the session is not known yet. */
  let owner: string | null | undefined = state.status === "unauthenticated" ? null : undefined
  let loadedAt = Number.NEGATIVE_INFINITY
  let running: AbortController | undefined
  let unfollow = (): void => undefined

  function setState(changes: Partial<AccountState<Data>>): void {
    state = { ...state, ...changes } as AccountState<Data> // Status and data are set together.
    for (const listener of [...listeners]) listener()
  }

  function abort(): void {
    running?.abort()
    running = undefined
  }

  /** Follows the session: another user must not see what the last one saw. */
  function follow(): void {
    const { status, data } = session.getState()
    if (status === "loading") return
    const user = data && identify(data)
    if (user === owner) return
    abort()
    loadedAt = Number.NEGATIVE_INFINITY
    owner = user
    setState({ status: user === null ? "unauthenticated" : "loading", data: null, error: null })
    void refresh()
  }

  async function refresh(): Promise<void> {
    if (typeof owner !== "string" || listeners.size === 0) return
    abort()
    const own = new AbortController()
    running = own
    try {
      const answer = await readAnswer(await service.request(service.address(...path), { signal: own.signal }))
      if (running !== own) return
      loadedAt = Date.now()
      setState({ status: "ready", data: select(answer), error: null })
    } catch (error) {
      if (running === own) fail(error)
    } finally {
      if (running === own) running = undefined
    }
  }

  function fail(thrown: unknown): AccountFailure {
    if (!(thrown instanceof AuthClientError)) throw thrown
    const error = thrown as AccountFailure // as: requests fail with these codes.
    setState({ error })
    // The session ended elsewhere.
    if (error.code === "signed-out") announce(client)
    return error
  }

  function start(): void {
    unfollow = session.subscribe(follow)
    // Not at once: a component that is mounted twice in a row, as in React's strict mode, sends one request.
    queueMicrotask(() => {
      if (listeners.size === 0) return
      follow()
      if (!running && Math.abs(Date.now() - loadedAt) >= freshMs) void refresh()
    })
  }

  return {
    getState: () => state,
    getInitialState: () => toInitial(session.getInitialState()),
    subscribe(listener) {
      // Wrapped, so that a function that subscribes twice is called twice.
      const own = (): void => listener()
      listeners.add(own)
      if (listeners.size === 1) start()
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return
        unfollow()
        abort()
      }
    },
    refresh,
    actions: toActions(createPost({ client, setState, fail, listStores })),
  }
}

interface PostDeps {
  readonly client: AuthClient
  readonly setState: (changes: Pick<Partial<AccountState<unknown>>, "error" | "isPending">) => void
  readonly fail: (error: unknown) => AccountFailure
  readonly listStores: () => readonly AccountStore<unknown, unknown>[]
}

function createPost({ client, setState, fail, listStores }: PostDeps): Post {
  const service = getService(client)
  let pending = 0
  return async ({ to, action, fields, changesSession = false }) => {
    pending += 1
    setState({ isPending: true })
    try {
      const form = toForm({ csrfToken: await service.requestCsrfToken(), action, ...fields })
      const response = await service.request(service.address(...to), { method: "POST", body: form })
      const answer = await readAnswer(response)
      setState({ error: null })
      if (changesSession) announce(client)
      await Promise.all(listStores().map((store) => store.refresh()))
      return { error: null, answer: answer as never } // as: the service fixes the shape.
    } catch (error) {
      return { error: fail(error), answer: null }
    } finally {
      pending -= 1
      setState({ isPending: pending > 0 })
    }
  }
}

/** Other tabs and the store of the session request the session. A failure is in the state of that store. */
function announce(client: AuthClient): void {
  client.updateSession().catch(() => undefined)
}

/** Tells users apart, as far as the session does. */
function identify({ user }: AppSession): string {
  const id: unknown = user && Reflect.get(user, "id")
  return String(id ?? user?.email ?? user?.name ?? "")
}

function toForm(fields: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value)
  return form
}
