import {
  endOtherSessions,
  endSession,
  listSessions,
  type SignOutEverywhereOptions,
  signOutEverywhere,
} from "@latchkey/core/integration"
import type { SessionView } from "@latchkey/core/sessions"
import type { RequestEvent } from "@sveltejs/kit"
import type { FindRequestAuth } from "./session.js"

/** The sessions of the signed-in user, for hooks, loaders, actions and endpoints. */
export interface UserSessions {
  /**
   * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
   * `session.track`.
   */
  listSessions(event: RequestEvent): Promise<readonly SessionView[]>
  /**
   * Ends one session of the signed-in user, by its id in the list. False when signed out, and for an id that is not one of
   * the user's sessions.
   * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
   */
  endSession(event: RequestEvent, id: string): Promise<boolean>
  /**
   * Ends all sessions of the signed-in user but the current one. Returns how many.
   * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
   */
  endOtherSessions(event: RequestEvent): Promise<number>
  /** Ends all sessions of a user, such as when you disable an account. Returns how many. Asks for no sign-in. */
  signOutEverywhere(event: RequestEvent, userId: string, options?: SignOutEverywhereOptions): Promise<number>
}

export function createUserSessions(find: FindRequestAuth): UserSessions {
  return {
    async listSessions(event) {
      const { caller, settings } = await find(event)
      return listSessions(caller, settings)
    },
    async endSession(event, id) {
      const { caller, settings } = await find(event)
      return endSession(caller, settings, id)
    },
    async endOtherSessions(event) {
      const { caller, settings } = await find(event)
      return endOtherSessions(caller, settings)
    },
    async signOutEverywhere(event, userId, options) {
      const { settings } = await find(event)
      return signOutEverywhere(settings, userId, options)
    },
  }
}
