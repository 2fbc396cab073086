import type { AuthClient } from "../auth-client.js"
import type { SessionChange } from "../session-changes.js"
import { isOffline, isSeen, watchPage } from "./page-events.js"
import type { SessionReader } from "./session-reader.js"

/** When the session is asked for besides the first time. */
export interface RefreshOptions {
  /** Whether it is asked for when somebody comes back to the page. Default: true. */
  readonly refetchOnWindowFocus?: boolean
  /** Seconds between requests while somebody is signed in, which keep the session alive. Default: 0, never. */
  readonly refetchInterval?: number
  /** Whether `refetchInterval` goes on while the browser says that it is offline. Default: true. */
  readonly refetchWhenOffline?: boolean
}

/** Nothing that is younger is asked for again because somebody looks at the page. */
const youngMs = 5000
const firstRetryMs = 2000
const lastRetryMs = 60_000

/**
 * Keeps what a reader knows up to date.
 * @param isWanted whether it is asked for when somebody comes back to the page
 * @returns what ends it
 */
export function keepFresh(reader: SessionReader, client: AuthClient, isWanted: () => boolean): () => void {
  let isStale = false

  const ask = (): void => {
    isStale = false
    askQuietly(reader)
  }
  const askUnlessAsking = (): void => askIfIdle(reader)
  const onSeen = (): void => {
    if (isStale) ask()
    else if (isWanted() && reader.age() >= youngMs) askUnlessAsking()
  }
  const onOnline = (): void => {
    if (reader.getState().error) askUnlessAsking()
  }
  const onChange = ({ session }: SessionChange): void => {
    if (session !== undefined) reader.learn(session)
    else if (isSeen()) ask()
    // A page that nobody looks at asks when somebody does.
    else isStale = true
  }

  const ends = [watchPage({ onSeen, onRestored: ask, onOnline }), client.onSessionChange(onChange), retry(reader)]
  // Whatever happened while nobody watched was not heard.
  if (reader.age() >= youngMs) askUnlessAsking()
  return () => {
    for (const end of ends) end()
  }
}

/**
 * Asks at intervals while somebody is signed in.
 * @returns what ends it
 */
export function poll(reader: SessionReader, options: RefreshOptions): () => void {
  const { refetchInterval = 0, refetchWhenOffline = true } = options
  if (refetchInterval <= 0) return () => undefined
  const timer = setInterval(() => {
    const isWorthwhile = refetchWhenOffline || !isOffline()
    if (isWorthwhile && reader.getState().status === "authenticated") askIfIdle(reader)
  }, refetchInterval * 1000)
  return () => clearInterval(timer)
}

/** As long as nothing is known at all, nobody can go on: such a request is made again, less and less often. */
function retry(reader: SessionReader): () => void {
  let delayMs = firstRetryMs
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = reader.watch(() => {
    const { status, error } = reader.getState()
    clearTimeout(timer)
    if (status !== "loading" || !error) return
    timer = setTimeout(() => askIfIdle(reader), delayMs)
    delayMs = Math.min(delayMs * 2, lastRetryMs)
  })
  return () => {
    clearTimeout(timer)
    end()
  }
}

function askIfIdle(reader: SessionReader): void {
  if (reader.isIdle()) askQuietly(reader)
}

/** The state says what went wrong. */
function askQuietly(reader: SessionReader): void {
  reader.refresh().catch(() => undefined)
}
