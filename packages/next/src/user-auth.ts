import { bindAuth, hasUser, type UserAuth } from "@latchkey/core/integration"
import { type Actions, isRead, redirectTo } from "./actions.js"
import { findSettings, type NextConfigSource, toCaller } from "./config.js"
import { type CurrentSession, canSetCookies, readCurrentRequest, setCookies } from "./session.js"

/**
 * The members of `auth` that other packages have as well, for server components, actions and route handlers. Those that
 * refuse throw Next's redirect. Server components cannot set cookies: tokens that are kept in cookies are refreshed in actions
 * and route handlers.
 *
 * Next does not tell a component its page: pass `callbackUrl` to `requireAuth` and `requireFresh`. They return to the page
 * that called an action by default, and from a component to the app's root. In a route handler for scripts, call
 * `requireFresh(request, config, options)` of `@latchkey/core/sessions`.
 */
export type NextUserAuth = Omit<UserAuth<never>, "session" | "signIn" | "signOut" | "updateSession">

/** Binds them to the request that Next is handling. */
export function bindUser(
  source: NextConfigSource,
  { read }: CurrentSession,
  { signIn }: Pick<Actions, "signIn">,
): NextUserAuth {
  const { auth } = bindAuth<never>({
    async findCaller() {
      const [{ headers }, { settings }] = await Promise.all([readCurrentRequest(), findSettings(source)])
      const caller = toCaller(headers, settings.config)
      return { caller: { ...caller, method: isRead(headers) ? "GET" : "POST" }, settings }
    },
    readTarget: () => "/",
    isNavigation: true,
    throwsFailures: true,
    getSession: read,
    writer: { canWrite: canSetCookies, write: setCookies },
    refuse: ({ headers }) => redirectTo(headers.get("location") ?? "/"),
  })
  const { session: _, signIn: __, signOut: ___, updateSession: ____, ...members } = auth
  return {
    ...members,
    async requireAuth({ callbackUrl } = {}) {
      const session = await read()
      if (hasUser(session)) return session
      return signIn(undefined, callbackUrl === undefined ? {} : { redirectTo: callbackUrl })
    },
  }
}
