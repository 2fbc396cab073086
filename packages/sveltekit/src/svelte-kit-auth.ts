import type { Session } from "@latchkey/core"
import { answerRequest, type ConfigSource, type HostConfig, isServicePath } from "@latchkey/core/integration"
import type { RequestEvent } from "@sveltejs/kit"
import { withRenewed } from "./cookies.js"
import type { Variables } from "./environment.js"
import { type FormActions, formActions } from "./form-actions.js"
import { visitorFinder } from "./visitors.js"

declare global {
  // biome-ignore lint/style/noNamespace: SvelteKit's types of an app are augmented so
  namespace App {
    interface Locals {
      /**
       * The session of whoever sent the request; null when nobody is signed in. Read once a request.
       * @throws AuthError when the service cannot say, so that a failure never looks like a session, nor like a visitor
       */
      auth(): Promise<Session | null>
      /** The older name of `auth`. */
      getSession(): Promise<Session | null>
    }
  }
}

/** Everything a host decides. */
export type SvelteKitAuthConfig = HostConfig

/** What surrounds a configuration. */
export interface SvelteKitAuthOptions {
  /**
   * The app's private variables: `import * as env from "$app/env/private"` in SvelteKit 3. Default: what
   * `$env/dynamic/private` holds, which is all of them in SvelteKit 2. The process's environment fills in the rest.
   */
  readonly env?: Variables
}

/** SvelteKit's `Handle`, which its versions 2 and 3 export from different places. */
export type AuthHandle = (input: {
  readonly event: RequestEvent
  readonly resolve: (event: RequestEvent) => Response | PromiseLike<Response>
}) => Promise<Response>

/** What `src/auth.ts` exports. */
export interface SvelteKitAuthResult extends FormActions {
  /** For `src/hooks.server.ts`: answers the service's requests, and gives all others `event.locals.auth()`. */
  readonly handle: AuthHandle
}

/**
 * Authentication for SvelteKit.
 *
 * Answers what is below `config.basePath`, else the path of `AUTH_URL`, else `/auth` below the app's `paths.base`. What
 * is no action of the service there is the app's own.
 * @param config The configuration, or a function that finds the one for a request. It should give the same object each
 *   time for the same case, since what an object says is worked out once and kept with it.
 * @example
 * export const { handle, signIn, signOut } = SvelteKitAuth({ providers: [GitHub] })
 */
export function SvelteKitAuth(
  config: ConfigSource<RequestEvent>,
  options: SvelteKitAuthOptions = {},
): SvelteKitAuthResult {
  const findVisitor = visitorFinder(config, options.env)

  const handle: AuthHandle = async ({ event, resolve }) => {
    const { caller, settings, findSession, findRenewed } = await findVisitor(event)
    event.locals.auth = findSession
    event.locals.getSession = findSession
    if (isServicePath(event.url.pathname, settings.basePath)) {
      return await answerRequest(event.request, caller, settings)
    }
    return withRenewed(await resolve(event), findRenewed())
  }

  return { handle, ...formActions(findVisitor) }
}
