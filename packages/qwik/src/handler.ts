import { answerRequest, forbidSharedCaching, isServicePath } from "@latchkey/core/integration"
import { type ConfigQrl, findSettings, type QwikEvent, toCaller } from "./config.js"
import { shareSession } from "./session.js"

/**
 * `onRequest`: answers requests to the service, and stores the session in `sharedMap` for all others.
 * @throws Qwik City's response message
 */
export async function answerEvent(event: QwikEvent, config: ConfigQrl): Promise<void> {
  const settings = await findSettings(config, event)
  if (isServicePath(event.url.pathname, settings.basePath, settings.config)) {
    const response = await answerRequest(event.request, toCaller(event), settings)
    // Qwik City adds the headers that the app has set before, such as those for caches.
    if (response.headers.has("set-cookie")) forbidSharedCaching(event.headers)
    throw event.send(response)
  }
  await shareSession(event, settings)
}

/**
 * Refuses to start a server whose app was built without the Vite plugin, which replaces the expression below. Browsers
 * could load the configuration of such an app.
 * @throws Error without the plugin
 */
export function assertConfigHidden(): void {
  // Only to type the one property that the plugin replaces.
  if ((globalThis as { readonly latchkeyHidesConfig?: boolean }).latchkeyHidesConfig) return
  throw new Error(
    "Browsers can load the configuration of QwikAuth$. Add latchkey() of @latchkey/qwik/vite to the plugins in vite.config.ts",
  )
}
