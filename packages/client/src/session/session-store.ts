import type { Session } from "@latchkey/types"
import type { AuthClient } from "../auth-client.js"
import { currentClient } from "../ready.js"
import { createSessionReader } from "./session-reader.js"
import { keepFresh, poll, type RefreshOptions } from "./session-refresh.js"
import type { SessionState } from "./session-state.js"

export interface SessionStoreOptions extends RefreshOptions {
  /** Default: the client of the functions that `configureAuth` configures. */
  readonly client?: AuthClient
  /** The session, or null for nobody, where a server has said so already; then nothing is asked for at first. */
  readonly session?: Session | null | undefined
}

/**
 * The session, for everything on a page that shows it. It is asked for once somebody watches, and when the person comes
 * back to the page, signs in or out, here or in another tab, or updates it. Never are two requests under way.
 */
export interface SessionStore {
  /** The same object until something changes. */
  getState(): SessionState
  /** What was given at the beginning, as a server renders it. */
  getInitialState(): SessionState
  /**
   * Calls after each change. The first one to watch starts the requests, and the last one to leave ends them.
   * @returns what ends it
   */
  subscribe(listener: () => void): () => void
  /**
   * Asks now, after whatever is under way.
   * @throws AuthClientError
   */
  refresh(): Promise<Session | null>
  /**
   * Hands data to the `jwt` and `session` callbacks of the service. Without data it asks, and lets other tabs ask.
   * @throws AuthClientError
   */
  update(data?: unknown): Promise<Session | null>
  /** Takes what a server has said meanwhile. */
  learn(session: Session | null): void
  /** Takes other options in place of those of the beginning. */
  configure(options: RefreshOptions): void
}

/**
 * @example
 * const store = createSessionStore()
 * store.subscribe(() => show(store.getState()))
 */
export function createSessionStore(given: SessionStoreOptions = {}): SessionStore {
  const { client = currentClient(), session, ...rest } = given
  const reader = createSessionReader(client, session)
  const initial = reader.getState()
  let options: RefreshOptions = rest
  let watching = 0
  const idle = (): void => undefined
  const running = { stop: idle, stopPolling: idle }

  function start(): void {
    running.stop = keepFresh(reader, client, () => options.refetchOnWindowFocus !== false)
    running.stopPolling = poll(reader, options)
  }

  function stop(): void {
    running.stop()
    running.stopPolling()
  }

  function subscribe(listener: () => void): () => void {
    const end = reader.watch(listener)
    watching += 1
    if (watching === 1) start()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      end()
      watching -= 1
      if (watching === 0) stop()
    }
  }

  function configure(next: RefreshOptions): void {
    options = next
    if (watching === 0) return
    running.stopPolling()
    running.stopPolling = poll(reader, options)
  }

  const { getState, refresh, update, learn } = reader
  return { getState, getInitialState: () => initial, subscribe, refresh, update, learn, configure }
}
