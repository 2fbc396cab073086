import type { AppSession } from "@latchkey/types"
import type { AuthClient } from "./auth-client.js"
import { AuthClientError } from "./service.js"

/**
 * The session of a page. `loading` until the first response of the service. `error` is why the last request failed;
 * while the service is unreachable, the last known session is kept.
 */
export type SessionState =
  | { readonly status: "loading"; readonly data: null; readonly error: Error | undefined }
  | { readonly status: "authenticated"; readonly data: AppSession; readonly error: Error | undefined }
  | { readonly status: "unauthenticated"; readonly data: null; readonly error: Error | undefined }

/** Holds the session and requests it, one request at a time. */
export interface SessionReader {
  getState(): SessionState
  /** @returns an unsubscribe function */
  subscribe(listener: () => void): () => void
  /** Requests the session after any pending request. Calls that wait share one request. @throws AuthClientError */
  refresh(): Promise<AppSession | null>
  /** @throws AuthClientError */
  update(data: unknown): Promise<AppSession | null>
  /** Takes a session that was read elsewhere. */
  learn(session: AppSession | null): void
  /** Whether no request is running or waiting. */
  isIdle(): boolean
  /** Milliseconds since the last response. */
  age(): number
}

/** @param known the session if a server has read it, null if no one is signed in; undefined if unknown */
export function createSessionReader(client: AuthClient, known: AppSession | null | undefined): SessionReader {
  const listeners = new Set<() => void>()
  const queue = createQueue()
  let state = toState(known)
  let learnedAt = known === undefined ? Number.NEGATIVE_INFINITY : Date.now()
  let revision = 0
  let waiting: Promise<AppSession | null> | undefined

  function setState(next: SessionState): void {
    if (isSameState(state, next)) return
    state = next
    for (const listener of [...listeners]) listener()
  }

  function subscribe(listener: () => void): () => void {
    // Wrapped, so that a function that subscribes twice is called twice.
    const own = (): void => listener()
    listeners.add(own)
    return () => {
      listeners.delete(own)
    }
  }

  function learn(session: AppSession | null): void {
    revision += 1
    learnedAt = Date.now()
    setState(toState(session))
  }

  async function load(): Promise<AppSession | null> {
    waiting = undefined
    const before = revision
    try {
      const session = await client.getSession()
      // A session that was learned during the request is newer than the response.
      if (before === revision) learn(session)
    } catch (error) {
      if (before === revision) setState(afterFailure(state, toError(error)))
      throw error
    }
    return state.data
  }

  function refresh(): Promise<AppSession | null> {
    waiting ??= queue.add(load)
    return waiting
  }

  async function update(data: unknown): Promise<AppSession | null> {
    const session = await queue.add(() => client.updateSession(data))
    learn(session)
    return session
  }

  return {
    getState: () => state,
    subscribe,
    refresh,
    update,
    learn,
    isIdle: queue.isIdle,
    // Also if the clock was set back.
    age: () => Math.abs(Date.now() - learnedAt),
  }
}

interface Queue {
  /** Whether no job is running or waiting. */
  isIdle(): boolean
  add<T>(job: () => Promise<T>): Promise<T>
}

/** Runs one job after the other. */
function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  let count = 0
  return {
    isIdle: () => count === 0,
    add: (job) => {
      count += 1
      const result = last.then(job).finally(() => {
        count -= 1
      })
      // The caller handles a failure; the next job runs anyway.
      last = result.catch(() => undefined)
      return result
    },
  }
}

function toState(session: AppSession | null | undefined): SessionState {
  if (session === undefined) return { status: "loading", data: null, error: undefined }
  if (session === null) return { status: "unauthenticated", data: null, error: undefined }
  return { status: "authenticated", data: session, error: undefined }
}

/**
 * The state after a failed request. A temporary failure keeps the session until it expires; any response that is not a
 * session ends it.
 */
function afterFailure(state: SessionState, error: Error): SessionState {
  const isExpired = state.status === "authenticated" && Date.parse(state.data.expires) <= Date.now()
  if (isTemporary(error) && !isExpired) return { ...state, error }
  return { status: "unauthenticated", data: null, error }
}

/** Whether a later request may succeed: the service was unreachable, overloaded or down. */
function isTemporary(error: Error): boolean {
  if (!(error instanceof AuthClientError)) return false
  const { code, status = 0 } = error
  return code === "network" || status === 429 || status >= 500
}

/** Compares by content, so that an unchanged session does not cause a render. */
function isSameState(one: SessionState, other: SessionState): boolean {
  return one.error === other.error && JSON.stringify(one) === JSON.stringify(other)
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("Could not read the session", { cause: thrown })
}
