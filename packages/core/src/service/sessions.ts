import type { ResolvedConfig } from "../config/resolved-config.js"
import type { CookieOption } from "../contract/cookies.js"
import { randomHex } from "../crypto/random.js"
import type { HostCallbacks } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { Log } from "../log/log.js"
import { createSessionTokens } from "../session/session-tokens.js"
import type { Sessions } from "../session/sessions.js"
import { statelessSessions } from "../session/stateless-sessions.js"
import { storedSessions } from "../session/stored-sessions.js"
import { systemClock } from "./system-clock.js"

export interface SessionsNeeds {
  readonly cookie: CookieOption
  readonly store: Store | null
  readonly callbacks: HostCallbacks
  readonly events: Events
  readonly log: Log
}

/** The one place where the strategy is chosen. */
export function createSessions({ session, jwt, requestLimits }: ResolvedConfig, needs: SessionsNeeds): Sessions {
  const { store, cookie } = needs
  const clock = systemClock
  const { maxAge, absoluteMaxAge, updateAge, generateSessionToken = () => randomHex(32) } = session
  const bounds = { clock, maxAge, absoluteMaxAge, maxChunks: requestLimits.sessionChunks }
  if (session.strategy === "database" && store) {
    return storedSessions({ ...needs, ...bounds, store, updateAge, generateSessionToken })
  }
  const tokens = createSessionTokens({ ...jwt, salt: cookie.name })
  const getUser = store?.has("getUser") ? async (id: string) => store.getUser(id) : undefined
  return statelessSessions({ ...needs, ...bounds, tokens, getUser })
}
