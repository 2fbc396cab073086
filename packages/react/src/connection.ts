import { type AuthClient, createSessionStore, type SessionStore, type SessionStoreOptions } from "@latchkey/client"
import { type Context, createContext, useContext } from "react"
import { configureAuth, currentClient } from "./auth.js"

/** What a provider shares with everything inside of it. */
export interface Connection {
  readonly client: AuthClient
  readonly store: SessionStore
}

/** Null outside of a `SessionProvider`. */
export const ConnectionContext: Context<Connection | null> = /* @__PURE__ */ createContext<Connection | null>(null)

/** @param basePath also for `signIn` and the other functions, so that it is said in one place */
export function connect(basePath: string | undefined, options: Omit<SessionStoreOptions, "client">): Connection {
  const client = basePath === undefined ? currentClient() : configureAuth({ basePath })
  return { client, store: createSessionStore({ ...options, client }) }
}

/** @throws Error outside of a `SessionProvider` */
export function useConnection(): Connection {
  const connection = useContext(ConnectionContext)
  if (connection) return connection
  throw new Error("useSession works inside of <SessionProvider>: put one around your app")
}
