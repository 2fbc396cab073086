import { answerAt, findOrigin } from "@latchkey/core/integration"
import type { NextApiRequest, NextApiResponse } from "next"
import type { NextRequest } from "next/server.js"
import { createPagesHandler } from "#api-route-handler"
import {
  findDeveloperAddress,
  findSettings,
  forwardedFor,
  type NextConfigSource,
  type NextSettings,
  rejectHost,
  toCaller,
  toContext,
  toPublicPath,
} from "./config.js"

/** The route handlers of the service. */
export interface Handlers {
  /** For `app/api/auth/[...nextauth]/route.ts`: `export const { GET, POST } = handlers`. */
  GET(request: NextRequest): Promise<Response>
  /** For `app/api/auth/[...nextauth]/route.ts`, beside `GET`. */
  POST(request: NextRequest): Promise<Response>
  /** For an app without an `app` folder, in `pages/api/auth/[...nextauth].ts`: `export default handlers.pages`. */
  pages(request: NextApiRequest, response: NextApiResponse): Promise<void>
}

/** Creates the route handlers for both routers. */
export function createHandlers(source: NextConfigSource): Handlers {
  const answer = async (request: NextRequest) => {
    const known = await findSettings(source, request)
    const { config } = known.settings
    let url: string
    try {
      url = findPublicUrl(request, known)
    } catch (error) {
      return rejectHost(error)
    }
    const developer = findDeveloperAddress(request.headers.get(forwardedFor), config)
    if (developer === undefined) return answerAt(url, request, { config, context: toContext(config) })
    const headers = new Headers(request.headers)
    headers.delete(forwardedFor)
    const { method } = request
    const copy = {
      method,
      headers,
      get body() {
        return request.body
      },
      text: () => request.text(),
    }
    return answerAt(url, copy, { config, context: { clientAddress: developer } })
  }
  return { GET: answer, POST: answer, pages: createPagesHandler(source) }
}

/**
 * The public URL of a route handler's request: Next's `url` has another host and lacks Next's `basePath`.
 * @throws UntrustedHost for an invalid host; the log records it
 */
function findPublicUrl({ headers, nextUrl }: NextRequest, { settings, mount }: NextSettings): string {
  const origin = findOrigin(toCaller(headers, settings.config), settings)
  return `${origin}${toPublicPath(nextUrl.pathname, mount)}${nextUrl.search}`
}
