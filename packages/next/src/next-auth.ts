import type { Session } from "@latchkey/core/types"
import { type Actions, createActions } from "./actions.js"
import { type AuthFunction, createAuth } from "./auth.js"
import type { NextConfigSource } from "./config.js"
import { createCurrentSession } from "./current-session.js"
import { createHandlers, type Handlers } from "./handlers.js"

/** What an app has of the service. */
export interface NextAuthResult extends Actions {
  readonly handlers: Handlers
  readonly auth: AuthFunction
  /** As `updateSession`, under the name that other packages have for it. */
  unstable_update(data: unknown): Promise<Session | null>
}

/**
 * The service in Next.js: `export const { handlers, auth, signIn, signOut } = NextAuth(config)`, in a file of the app
 * such as `auth.ts`.
 * @param config The configuration, or a function that finds the one for a request. It should give the same object each
 *   time for the same case, since what an object says is worked out once and kept with it.
 */
export function NextAuth(config: NextConfigSource): NextAuthResult {
  const current = createCurrentSession(config)
  const actions = createActions(config, current)
  const { updateSession } = actions
  return {
    ...actions,
    handlers: createHandlers(config),
    auth: createAuth(config, current),
    unstable_update: updateSession,
  }
}
