// biome-ignore-all lint/correctness/useQwikLoaderLocation: the app exports them from a file of its routes
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
import type { Session } from "@latchkey/core"
import { beginSignIn, endSession } from "./actions.js"
import { answerEvent } from "./answer-event.js"
import { assertHidden } from "./assert-hidden.js"
import type { FindConfig } from "./settings.js"

/** What `src/routes/plugin@auth.ts` exports. */
export interface QwikAuth {
  readonly onRequest: RequestHandler
  /** The session of the visitor; null when nobody is signed in. */
  readonly useSession: Loader<Session | null>
  /** Takes `providerId`, `redirectTo`, `authorizationParams`, and what the provider asks for. */
  readonly useSignIn: Action<void>
  /** Takes `redirectTo`. */
  readonly useSignOut: Action<void>
}

/**
 * `QwikAuth$` as Qwik's optimizer calls it.
 * @throws Error on a server whose app was built without the Vite plugin: then the configuration is published
 */
export function QwikAuthQrl(config: QRL<FindConfig<RequestEventCommon>>): QwikAuth {
  if (isServer) assertHidden()
  return {
    // Browsers load this module for the functions below, and must not be given the service with it.
    onRequest: isServer ? (event: RequestEvent) => answerEvent(event, config) : () => undefined,
    useSession: routeLoader$((event): Session | null => event.sharedMap.get("session") ?? null),
    useSignIn: globalAction$((fields, event) => beginSignIn(fields, event, config)),
    useSignOut: globalAction$((fields, event) => endSession(fields, event, config)),
  }
}

/**
 * Mounts the service in Qwik City.
 * @param config Gives the configuration. One without parameters is called once; one with a parameter is given the event
 *   of each request, and should give the same object each time for the same case.
 * @example
 * // src/routes/plugin@auth.ts
 * export const { onRequest, useSession, useSignIn, useSignOut } = QwikAuth$(() => ({ providers: [GitHub] }))
 */
export const QwikAuth$: (config: FindConfig<RequestEventCommon>) => QwikAuth =
  /* @__PURE__ */ implicit$FirstArg(QwikAuthQrl)
