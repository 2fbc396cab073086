import {
  type AppSession,
  type AuthFunctions,
  createAuthFunctions,
  nuxtBasePath,
  type SessionStore,
} from "@latchkey/client"
import { useNuxtApp } from "nuxt/app"
import type { ComputedRef } from "vue"

/** What the plugin provides as `$latchkey`. */
export interface PageSession {
  readonly session: UseSession
  readonly store: SessionStore
}

/** The result of `useSession`. All components share one session. */
export interface UseSession {
  /** Null while loading and when signed out. */
  readonly data: ComputedRef<AppSession | null>
  /** `loading` only on pages that are cached or prerendered for all visitors: the browser requests the session there. */
  readonly status: ComputedRef<"loading" | "authenticated" | "unauthenticated">
  /** Why the last request failed. While the service is unreachable, the last known session is kept. */
  readonly error: ComputedRef<Error | undefined>
  /**
   * Passes data to the service's `jwt` and `session` callbacks and shows the updated session. Without data it requests the
   * session. Only in the browser.
   * @throws AuthClientError
   */
  update(data?: unknown): Promise<AppSession | null>
}

/** @throws Error if the module is not installed */
export function findPageSession(): PageSession {
  const { $latchkey } = useNuxtApp() as { readonly $latchkey?: PageSession } // The plugin provides it.
  if ($latchkey) return $latchkey
  throw new Error('The app has no authentication. Add "@latchkey/nuxt" to `modules` in nuxt.config')
}

/**
 * The current session, on the server and in the browser. This only affects what is shown: protect data on the server.
 * @example const { data: session, status } = useSession()
 */
export function useSession(): UseSession {
  return findPageSession().session
}

const shared: AuthFunctions = /* @__PURE__ */ createAuthFunctions({ basePath: nuxtBasePath })

/** Sets the options of the other functions. The plugin calls it with the path of the module. */
export const configureAuth: AuthFunctions["configureAuth"] = shared.configureAuth

/** `signIn` of `@latchkey/client`. */
export const signIn: AuthFunctions["signIn"] = shared.signIn

/** `signInWithAutofill` of `@latchkey/client`. */
export const signInWithAutofill: AuthFunctions["signInWithAutofill"] = shared.signInWithAutofill

/** `signOut` of `@latchkey/client`. */
export const signOut: AuthFunctions["signOut"] = shared.signOut

/** `submitCode` of `@latchkey/client`. */
export const submitCode: AuthFunctions["submitCode"] = shared.submitCode
