import { answerRequest, isServicePath, warnAtStart } from "@latchkey/core/integration"
import { findSettings, type SolidAuthConfig, type SolidEvent, toCaller } from "./config.js"

/** Handles the event of an API route. Returns undefined for other paths, which SolidStart then handles. */
export type SolidAuthHandler = (event: SolidEvent) => Promise<Response | undefined>

/** The exports of the route file. */
export interface SolidAuthHandlers {
  readonly GET: SolidAuthHandler
  readonly POST: SolidAuthHandler
}

/**
 * Mounts the service in SolidStart, in the file of a catch-all route at `prefix`.
 * @param config The same object that the app passes to `getSession`, `signIn` and `signOut`.
 * @example
 * // src/routes/api/auth/[...auth].ts
 * export const { GET, POST } = SolidAuth(authConfig)
 */
export function SolidAuth(config: SolidAuthConfig): SolidAuthHandlers {
  warnAtStart(config)
  const answer: SolidAuthHandler = async (event) => {
    const settings = findSettings(config)
    if (!isServicePath(new URL(event.request.url).pathname, settings.basePath, settings.config)) return undefined
    return await answerRequest(event.request, toCaller(event), settings)
  }
  return { GET: answer, POST: answer }
}
