// biome-ignore-all lint/correctness/useQwikLoaderLocation: the app exports them from a route file
import { implicit$FirstArg, type QRL } from "@builder.io/qwik"
import { isServer } from "@builder.io/qwik/build"
import {
  type Action,
  globalAction$,
  type Loader,
  type RequestEvent,
  type RequestEventCommon,
  type RequestHandler,
  routeLoader$,
} from "@builder.io/qwik-city"
import type { AppSession } from "@latchkey/core"
import { signIn, signOut } from "./actions.js"
import type { FindConfig } from "./config.js"
import { answerEvent, assertConfigHidden } from "./handler.js"

/** The exports of `src/routes/plugin@auth.ts`. */
export interface QwikAuth {
  /** Answers requests to the service, and stores the session in `sharedMap` for all others. */
  readonly onRequest: RequestHandler
  /** The current session, or null when signed out. */
  readonly useSession: Loader<AppSession | null>
  /** Takes `providerId`, `redirectTo`, `authorizationParams`, and the provider's own fields. */
  readonly useSignIn: Action<void>
  /** Takes `redirectTo`. */
  readonly useSignOut: Action<void>
}

/**
 * `QwikAuth$` as Qwik's optimizer calls it.
 * @throws Error on a server whose app was built without the Vite plugin, since browsers could load its configuration
 */
export function QwikAuthQrl(config: QRL<FindConfig<RequestEventCommon>>): QwikAuth {
  if (isServer) assertConfigHidden()
  return {
    // Browsers load this module for the hooks below; the condition keeps the service out of their bundle.
    onRequest: isServer ? (event: RequestEvent) => answerEvent(event, config) : () => undefined,
    useSession: routeLoader$((event): AppSession | null => event.sharedMap.get("session") ?? null),
    useSignIn: globalAction$((fields, event) => signIn(fields, event, config)),
    useSignOut: globalAction$((fields, event) => signOut(fields, event, config)),
  }
}

/**
 * Mounts the service in Qwik City.
 * @param config Returns the configuration. A function without parameters is called once. One with a parameter gets the
 *   event of each request; return the same object for the same case, since Latchkey resolves each object once.
 * @example
 * // src/routes/plugin@auth.ts
 * export const { onRequest, useSession, useSignIn, useSignOut } = QwikAuth$(() => ({ providers: [GitHub] }))
 */
export const QwikAuth$: (config: FindConfig<RequestEventCommon>) => QwikAuth =
  /* @__PURE__ */ implicit$FirstArg(QwikAuthQrl)
