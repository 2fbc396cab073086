/// <reference path="../types/virtual.d.ts" />

import type { UserAuth } from "@latchkey/core/integration"
import type { EventHandler, H3Event } from "h3"
import source from "#latchkey/auth-config"
import { mountPath } from "#latchkey/mount-path"
import { createNuxtAuth, type H3Response, type NuxtAuth } from "./handler.js"

/**
 * The authentication of the app's configuration.
 * @internal Exported for its tests.
 */
export const auth: NuxtAuth = createNuxtAuth(source, { mountPath })

/** Nitro's middleware. */
export const handler: EventHandler = auth.handler

/** The parts of Nitro that are used. */
export interface NitroApp {
  readonly hooks: {
    hook(name: "request", run: (event: H3Event) => void): unknown
    hook(name: "beforeResponse", run: (event: H3Event, response: H3Response) => void): unknown
  }
}

/** Nitro's plugin. The pages are another bundle, which reaches the server by the event. */
export function plugin({ hooks }: NitroApp): void {
  hooks.hook("request", (event) => {
    event.context["latchkey"] = auth
  })
  hooks.hook("beforeResponse", auth.beforeResponse)
}

/**
 * The session and the actions of a request, for server routes and server middleware.
 * @example export default defineEventHandler(async (event) => (await getAuth(event).getSession())?.user)
 */
export function getAuth(event: H3Event): UserAuth {
  return auth.getAuth(event)
}

/**
 * Requires a session in server middleware: page loads are redirected to the sign-in page, every other request gets 401. Do not
 * choose pages by their paths: Vue's router ignores case.
 * @example export default defineEventHandler((event) => (event.path.startsWith("/api/admin") ? requireAuth(event) : undefined))
 */
export function requireAuth(event: H3Event): Promise<Response | undefined> {
  return auth.requireAuth(event)
}
