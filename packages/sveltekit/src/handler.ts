import type { Session } from "@latchkey/core"
import {
  answerRequest,
  appendCookies,
  type ConfigSource,
  forbidSharedCaching,
  isServicePath,
} from "@latchkey/core/integration"
import type { ResponseCookie } from "@latchkey/core/types"
import type { RequestEvent } from "@sveltejs/kit"
import { type AccessTokens, createAccessTokens } from "./access-token.js"
import { type FormActions, formActions } from "./actions.js"
import { type SvelteKitAuthOptions, settingsFinder } from "./config.js"
import { createFreshness, type Freshness } from "./require-fresh.js"
import { requestAuthFinder } from "./session.js"
import { createUserSessions, type UserSessions } from "./user-sessions.js"

declare global {
  // biome-ignore lint/style/noNamespace: SvelteKit's types of an app are augmented this way
  namespace App {
    interface Locals {
      /**
       * Returns the current session, or null when signed out. Reads it once per request.
       * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
       */
      auth(): Promise<Session | null>
      /** The older name of `auth`. */
      getSession(): Promise<Session | null>
    }
  }
}

/** SvelteKit's `Handle`, which versions 2 and 3 export from different modules. */
export type AuthHandle = (input: {
  readonly event: RequestEvent
  readonly resolve: (event: RequestEvent) => Response | PromiseLike<Response>
}) => Promise<Response>

/** What `SvelteKitAuth` returns, for `src/auth.ts` to export. */
export interface SvelteKitAuthResult extends AccessTokens, FormActions, Freshness, UserSessions {
  /** For `src/hooks.server.ts`: answers requests to the service, and sets `event.locals.auth()` for all others. */
  readonly handle: AuthHandle
}

/**
 * Authentication for SvelteKit. The base path is `config.basePath`, else the path of `AUTH_URL`, else `/auth` below the
 * app's `paths.base`. Other paths below it remain the app's own.
 * @param config The configuration, or a function that returns one for each request. Return the same object for the same
 *   case, since Latchkey resolves each object once.
 * @example
 * export const { handle, signIn, signOut } = SvelteKitAuth({ providers: [GitHub] })
 */
export function SvelteKitAuth(
  config: ConfigSource<RequestEvent>,
  options: SvelteKitAuthOptions = {},
): SvelteKitAuthResult {
  const findRequestAuth = requestAuthFinder(settingsFinder(config, options.env))

  const handle: AuthHandle = async ({ event, resolve }) => {
    const auth = await findRequestAuth(event)
    const { caller, settings, getSession } = auth
    event.locals.auth = getSession
    event.locals.getSession = getSession
    if (isServicePath(event.url.pathname, settings.basePath, settings.config)) {
      return await answerRequest(event.request, caller, settings)
    }
    const response = await resolve(event)
    return withRenewed(response, auth.renewedCookies(), auth.hasSetCookies())
  }

  return {
    handle,
    ...formActions(findRequestAuth),
    ...createAccessTokens(findRequestAuth),
    ...createFreshness(findRequestAuth),
    ...createUserSessions(findRequestAuth),
  }
}

/**
 * Adds renewed session cookies to a response, except those that it already sets. Shared caches may store no response that
 * sets cookies of the service.
 * @param isChanged Whether SvelteKit has added the cookies of an action.
 * @internal Exported for its tests.
 */
export function withRenewed(response: Response, cookies: readonly ResponseCookie[], isChanged = false): Response {
  const set = new Set(response.headers.getSetCookie().map((line) => line.split("=", 1)[0]))
  const missing = cookies.filter(({ name }) => !set.has(name))
  if (missing.length === 0 && !isChanged) return response
  // A copy: the headers of some responses, such as `Response.redirect`, are immutable.
  const changed = new Response(response.body, response)
  appendCookies(changed.headers, missing)
  if (isChanged) forbidSharedCaching(changed.headers)
  return changed
}
