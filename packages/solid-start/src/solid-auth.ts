import { answerRequest, isServicePath } from "@latchkey/core/integration"
import { type SolidAuthConfig, toSettings } from "./solid-auth-config.js"
import { type SolidEvent, toCaller } from "./solid-event.js"

/** Answers an API route's event; undefined for what is no action of the service, which SolidStart then answers. */
export type SolidAuthHandler = (event: SolidEvent) => Promise<Response | undefined>

/** What a route file exports. */
export interface SolidAuthHandlers {
  readonly GET: SolidAuthHandler
  readonly POST: SolidAuthHandler
}

/**
 * Mounts the service in SolidStart, in the file of a catch-all route below `prefix`.
 * @param config The same object that the app's `getSession`, `signIn` and `signOut` are given.
 * @example
 * // src/routes/api/auth/[...auth].ts
 * export const { GET, POST } = SolidAuth(authConfig)
 */
export function SolidAuth(config: SolidAuthConfig): SolidAuthHandlers {
  const answer: SolidAuthHandler = async (event) => {
    const settings = toSettings(config)
    if (!isServicePath(new URL(event.request.url).pathname, settings.basePath)) return undefined
    return await answerRequest(event.request, toCaller(event), settings)
  }
  return { GET: answer, POST: answer }
}
