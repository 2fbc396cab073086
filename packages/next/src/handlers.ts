import { Auth } from "@latchkey/core"
import { answerRequest, readTarget, toListener } from "@latchkey/node"
import type { NextApiRequest, NextApiResponse } from "next"
import type { NextRequest } from "next/server.js"
import { toContext } from "./caller.js"
import { type NextConfigSource, resolveConfig } from "./config.js"
import { refuseHost, toPublicPath, toServiceRequest } from "./service-request.js"
import { settingsFor } from "./settings.js"

/** What answers below the base path. */
export interface Handlers {
  /** For `app/api/auth/[...nextauth]/route.ts`: `export const { GET, POST } = handlers`. */
  GET(request: NextRequest): Promise<Response>
  POST(request: NextRequest): Promise<Response>
  /** For an app without an `app` folder, in `pages/api/auth/[...nextauth].ts`: `export default handlers.pages`. */
  pages(request: NextApiRequest, response: NextApiResponse): Promise<void>
}

/** The endpoints of the service, for either router. */
export function createHandlers(source: NextConfigSource): Handlers {
  const answer = async (request: NextRequest) => {
    const known = settingsFor(await resolveConfig(source, request))
    const { config } = known.settings
    let serviceRequest: Request
    try {
      serviceRequest = toServiceRequest(request, known)
    } catch (error) {
      return refuseHost(error, request, known)
    }
    return await Auth(serviceRequest, config, toContext(config))
  }
  const listen = toListener(async (request: NextApiRequest, response: NextApiResponse) => {
    const { settings, mount } = settingsFor(await resolveConfig(source))
    const [path = "", ...query] = readTarget(request).split("?")
    const url = [toPublicPath(path, mount), ...query].join("?")
    const context = toContext(settings.config)
    return await answerRequest(request, settings, { trustProxy: true, context, url, response })
  })
  return { GET: answer, POST: answer, pages: (request, response) => listen(request, response) }
}
