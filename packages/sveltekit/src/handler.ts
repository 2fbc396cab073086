import type { AppSession } from "@latchkey/core"
import {
  answerRequest,
  type ConfigSource,
  forbidSharedCaching,
  isServicePath,
  type UserAuth,
  warnAtStart,
} from "@latchkey/core/integration"
import type { RequestEvent } from "@sveltejs/kit"
import { type FormActions, formActions } from "./actions.js"
import { findEnvironment, type SvelteKitAuthOptions, settingsFinder } from "./config.js"
import { requestAuthFinder } from "./session.js"

/**
 * `event.locals.auth()` returns the current session. Its members do more, for hooks, loaders, actions and endpoints;
 * `requireAuth` and `requireFresh` throw SvelteKit's redirect, or its error for clients that load no page.
 */
export interface KitAuth extends UserAuth<never> {
  /** `getSession`. */
  (): Promise<AppSession | null>
}

declare global {
  // biome-ignore lint/style/noNamespace: SvelteKit's types of an app are augmented this way
  namespace App {
    interface Locals {
      /**
       * Returns the current session, or null when signed out. Reads it once per request. Also the actions and the signed-in
       * user of the request, such as `event.locals.auth.requireAuth()`.
       * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
       */
      auth: KitAuth
      /** The older name of `auth`. */
      getSession(): Promise<AppSession | null>
    }
  }
}

/** SvelteKit's `Handle`, which versions 2 and 3 export from different modules. */
export type AuthHandle = (input: {
  readonly event: RequestEvent
  readonly resolve: (event: RequestEvent) => Response | PromiseLike<Response>
}) => Promise<Response>

/** What `SvelteKitAuth` returns, for `src/auth.ts` to export. */
export interface SvelteKitAuthResult extends FormActions {
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
  // The process has no variables of the file .env: they are read when SvelteKit has set them.
  warnAtStart(config, () => findEnvironment(options.env))
  const findRequestAuth = requestAuthFinder(settingsFinder(config, options.env))

  const handle: AuthHandle = async ({ event, resolve }) => {
    const { auth, caller, settings, takeCookies, takeHeaders, isPrivate } = await findRequestAuth(event)
    const getSession = () => auth.getSession()
    event.locals.auth = Object.defineProperties(getSession, Object.getOwnPropertyDescriptors(auth)) as KitAuth // as: with its members
    event.locals.getSession = auth.getSession
    if (isServicePath(event.url.pathname, settings.basePath, settings.config)) {
      return await answerRequest(event.request, caller, settings)
    }
    const response = await resolve(event)
    const answer = withRenewed(response, takeCookies(response.headers.getSetCookie()), isPrivate())
    // An action that ends a session sets cookies, so this is a copy.
    for (const [name, value] of Object.entries(takeHeaders())) answer.headers.set(name, value)
    return answer
  }

  return { handle, ...formActions(findRequestAuth) }
}

/**
 * Adds renewed session cookies to a response. Shared caches may then not store it.
 * @param lines `Set-Cookie` values.
 * @param isPrivate Whether they may not store the response anyway.
 * @internal Exported for its tests.
 */
export function withRenewed(response: Response, lines: readonly string[], isPrivate = false): Response {
  if (lines.length === 0 && !isPrivate) return response
  // A copy: the headers of some responses, such as `Response.redirect`, are immutable.
  const changed = new Response(response.body, response)
  for (const line of lines) changed.headers.append("set-cookie", line)
  forbidSharedCaching(changed.headers)
  return changed
}
