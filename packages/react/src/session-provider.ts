import type { RefreshOptions, Session, SessionStore } from "@latchkey/client"
import { createElement, type ReactElement, type ReactNode, useEffect, useState } from "react"
import { ConnectionContext, connect } from "./connection.js"

export interface SessionProviderProps extends RefreshOptions {
  readonly children?: ReactNode
  /**
   * The session, or null for nobody, where the server has read it: then the browser does not ask at first. Another one
   * that the server says later takes its place.
   */
  readonly session?: Session | null | undefined
  /** Where the service is mounted, as it is at the first render; for `signIn` and the other functions too. Default: `/api/auth`. */
  readonly basePath?: string
}

/** Shares one session with every `useSession` inside of it. */
export function SessionProvider({ children, session, basePath, ...refresh }: SessionProviderProps): ReactElement {
  const [connection] = useState(() => connect(basePath, { ...refresh, session }))
  useRefreshOptions(connection.store, refresh)
  useGivenSession(connection.store, session)
  return createElement(ConnectionContext.Provider, { value: connection }, children)
}

function useRefreshOptions(store: SessionStore, refresh: RefreshOptions): void {
  const { refetchOnWindowFocus = true, refetchInterval = 0, refetchWhenOffline = true } = refresh
  useEffect(() => {
    store.configure({ refetchOnWindowFocus, refetchInterval, refetchWhenOffline })
  }, [store, refetchOnWindowFocus, refetchInterval, refetchWhenOffline])
  const isKeptAlive = refetchInterval > 0
  useEffect(() => {
    // Whoever wants a session kept alive wants it on pages as well that do not show it.
    return isKeptAlive ? store.subscribe(() => undefined) : undefined
  }, [store, isKeptAlive])
}

/** By content: a component that is drawn anew with the same session has learnt nothing. */
function useGivenSession(store: SessionStore, session: Session | null | undefined): void {
  const given = session === undefined ? undefined : JSON.stringify(session)
  useEffect(() => {
    if (given !== undefined) store.learn(JSON.parse(given))
  }, [store, given])
}
