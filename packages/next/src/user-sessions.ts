import {
  type Caller,
  endOtherSessions,
  endSession,
  listSessions,
  type Settings,
  type SignOutEverywhereOptions,
  signOutEverywhere,
} from "@latchkey/core/integration"
import type { SessionView } from "@latchkey/core/sessions"
import { findSettings, type NextConfigSource, toCaller } from "./config.js"
import { readCurrentRequest } from "./session.js"

/** The sessions of the signed-in user, for server components, actions and route handlers. */
export interface UserSessions {
  /**
   * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
   * `session.track`.
   * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
   */
  listSessions(): Promise<readonly SessionView[]>
  /**
   * Ends one session of the signed-in user, by its id in the list. False when signed out, and for an id that is not one of
   * the user's sessions.
   * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
   */
  endSession(id: string): Promise<boolean>
  /**
   * Ends all sessions of the signed-in user but the current one. Returns how many.
   * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
   */
  endOtherSessions(): Promise<number>
  /** Ends all sessions of a user, such as when you disable an account. Returns how many. Asks for no sign-in. */
  signOutEverywhere(userId: string, options?: SignOutEverywhereOptions): Promise<number>
}

export function createUserSessions(source: NextConfigSource): UserSessions {
  async function find(): Promise<{ readonly caller: Caller; readonly settings: Settings }> {
    const [{ headers }, { settings }] = await Promise.all([readCurrentRequest(), findSettings(source)])
    return { caller: toCaller(headers, settings.config), settings }
  }
  return {
    async listSessions() {
      const { caller, settings } = await find()
      return listSessions(caller, settings)
    },
    async endSession(id) {
      const { caller, settings } = await find()
      return endSession(caller, settings, id)
    },
    async endOtherSessions() {
      const { caller, settings } = await find()
      return endOtherSessions(caller, settings)
    },
    async signOutEverywhere(userId, options) {
      const { settings } = await findSettings(source)
      return signOutEverywhere(settings, userId, options)
    },
  }
}
