import type { AppSession } from "@latchkey/types"
import type { AuthClient } from "./auth-client.js"
import { currentClient } from "./auth-functions.js"
import type { SessionChange } from "./session-changes.js"
import { createSessionReader, type SessionReader, type SessionState } from "./session-reader.js"

/** When the session is requested again. */
export interface RefreshOptions {
  /** Whether to request the session when the visitor returns to the page. Default: true. */
  readonly refetchOnWindowFocus?: boolean | undefined
  /** Seconds between requests while someone is signed in, which keep the session alive. Default: 0, never. */
  readonly refetchInterval?: number | undefined
  /** Whether `refetchInterval` continues while the browser reports that it is offline. Default: true. */
  readonly refetchWhenOffline?: boolean | undefined
}

/** Options of `createSessionStore`. */
export interface SessionStoreOptions extends RefreshOptions {
  /** Default: the client that `configureAuth` configures. */
  readonly client?: AuthClient | undefined
  /** The session if a server has read it, null if no one is signed in. The store then makes no initial request. */
  readonly session?: AppSession | null | undefined
}

/**
 * The session, shared by everything on a page that shows it. The store requests it on the first subscription, when the
 * visitor returns to the page, and after a sign-in, a sign-out or an update, in this tab or another. It makes one
 * request at a time.
 */
export interface SessionStore {
  /** Returns the same object until something changes. */
  getState(): SessionState
  /** The state before the first request, as a server renders it. */
  getInitialState(): SessionState
  /**
   * Calls the listener after each change. Requests start with the first subscriber and stop with the last.
   * @returns an unsubscribe function
   */
  subscribe(listener: () => void): () => void
  /**
   * Requests the session now, or after the pending request.
   * @throws AuthClientError
   */
  refresh(): Promise<AppSession | null>
  /**
   * Passes data to the service's `jwt` and `session` callbacks. Without data it requests the session, and other tabs do
   * so too.
   * @throws AuthClientError
   */
  update(data?: unknown): Promise<AppSession | null>
  /** Takes a session that a server has read in the meantime. */
  learn(session: AppSession | null): void
  /** Replaces the refresh options. */
  configure(options: RefreshOptions): void
}

/** A return to the page requests nothing if the session is younger than this. */
const freshMs = 5000
const firstRetryMs = 2000
const lastRetryMs = 60_000
/** Timers with a longer delay, such as `Infinity`, fire at once. */
const longestMs = 2 ** 31 - 1

/**
 * Creates a store for the session of a page.
 * @example
 * const store = createSessionStore()
 * store.subscribe(() => show(store.getState()))
 */
export function createSessionStore(given: SessionStoreOptions = {}): SessionStore {
  const { client = currentClient(), session, ...rest } = given
  const reader = createSessionReader(client, session)
  const initial = reader.getState()
  const idle = (): void => undefined
  const running = { stop: idle, stopPolling: idle }
  let options: RefreshOptions = rest
  let subscribers = 0

  function start(): void {
    running.stop = keepFresh(reader, client, () => options.refetchOnWindowFocus !== false)
    running.stopPolling = poll(reader, options)
  }

  function stop(): void {
    running.stop()
    running.stopPolling()
  }

  function subscribe(listener: () => void): () => void {
    const unsubscribe = reader.subscribe(listener)
    subscribers += 1
    if (subscribers === 1) start()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      unsubscribe()
      subscribers -= 1
      if (subscribers === 0) stop()
    }
  }

  function configure(next: RefreshOptions): void {
    options = next
    if (subscribers === 0) return
    running.stopPolling()
    running.stopPolling = poll(reader, options)
  }

  const { getState, refresh, update, learn } = reader
  return { getState, getInitialState: () => initial, subscribe, refresh, update, learn, configure }
}

/**
 * Requests the session when it may have changed.
 * @param refetchesOnFocus whether to request it when the visitor returns to the page
 * @returns a function that stops it
 */
function keepFresh(reader: SessionReader, client: AuthClient, refetchesOnFocus: () => boolean): () => void {
  let isStale = false

  const refresh = (): void => {
    isStale = false
    refreshSilently(reader)
  }
  const onVisible = (): void => {
    if (isStale) refresh()
    else if (refetchesOnFocus() && reader.age() >= freshMs) refreshIfIdle(reader)
  }
  const onOnline = (): void => {
    if (reader.getState().error) refreshIfIdle(reader)
  }
  const onChange = ({ session }: SessionChange): void => {
    if (session !== undefined) reader.learn(session)
    else if (isVisible()) refresh()
    // A hidden page waits until it is visible.
    else isStale = true
  }

  const stops = [
    watchPage({ onVisible, onRestored: refresh, onOnline }),
    client.onSessionChange(onChange),
    retry(reader),
  ]
  // Changes without a subscriber were missed.
  if (reader.age() >= freshMs) refreshIfIdle(reader)
  return () => {
    for (const stop of stops) stop()
  }
}

/**
 * Requests the session at intervals while someone is signed in.
 * @returns a function that stops it
 */
function poll(reader: SessionReader, options: RefreshOptions): () => void {
  const { refetchInterval = 0, refetchWhenOffline = true } = options
  if (refetchInterval <= 0) return () => undefined
  const timer = setInterval(
    () => {
      const isOffline = typeof navigator !== "undefined" && navigator.onLine === false
      const isUseful = refetchWhenOffline || !isOffline
      if (isUseful && reader.getState().status === "authenticated") refreshIfIdle(reader)
    },
    Math.min(refetchInterval * 1000, longestMs),
  )
  return () => clearInterval(timer)
}

/** Repeats a failed first request with increasing delays, since the page cannot show anything without it. */
function retry(reader: SessionReader): () => void {
  let delayMs = firstRetryMs
  let timer: ReturnType<typeof setTimeout> | undefined
  const unsubscribe = reader.subscribe(() => {
    const { status, error } = reader.getState()
    clearTimeout(timer)
    if (status !== "loading" || !error) return
    timer = setTimeout(() => refreshIfIdle(reader), delayMs)
    delayMs = Math.min(delayMs * 2, lastRetryMs)
  })
  return () => {
    clearTimeout(timer)
    unsubscribe()
  }
}

function refreshIfIdle(reader: SessionReader): void {
  if (reader.isIdle()) refreshSilently(reader)
}

/** A failure is in the reader's state. */
function refreshSilently(reader: SessionReader): void {
  reader.refresh().catch(() => undefined)
}

interface PageListeners {
  /** The visitor returned to the page. */
  onVisible(): void
  /** The browser restored the page from its back/forward cache. */
  onRestored(): void
  onOnline(): void
}

/** Does nothing without a page. @returns a function that removes the listeners */
function watchPage({ onVisible, onRestored, onOnline }: PageListeners): () => void {
  if (typeof window === "undefined" || typeof document === "undefined") return () => undefined
  const listening = new AbortController()
  const { signal } = listening
  const onVisibility = (): void => {
    if (isVisible()) onVisible()
  }
  const onShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) onRestored()
  }
  document.addEventListener("visibilitychange", onVisibility, { signal })
  // A switch between two visible windows does not change the visibility.
  window.addEventListener("focus", onVisibility, { signal })
  window.addEventListener("pageshow", onShow, { signal })
  window.addEventListener("online", onOnline, { signal })
  return () => listening.abort()
}

function isVisible(): boolean {
  return typeof document === "undefined" || document.visibilityState === "visible"
}
