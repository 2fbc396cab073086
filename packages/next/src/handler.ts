import { Auth } from "@latchkey/core"
import { findOrigin } from "@latchkey/core/integration"
import type { NextApiRequest, NextApiResponse } from "next"
import type { NextRequest } from "next/server.js"
import { createPagesHandler } from "#pages-handler"
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
    let serviceRequest: Request
    try {
      serviceRequest = toServiceRequest(request, known)
    } catch (error) {
      return rejectHost(error)
    }
    const { headers } = serviceRequest
    const developer = findDeveloperAddress(headers.get(forwardedFor), config)
    if (developer === undefined) return await Auth(serviceRequest, config, toContext(config))
    headers.delete(forwardedFor)
    return await Auth(serviceRequest, config, { clientAddress: developer })
  }
  return { GET: answer, POST: answer, pages: createPagesHandler(source) }
}

/**
 * The request of a route handler under its public URL: Next's `url` has another host and lacks Next's `basePath`. Built
 * from its parts, since Next's request is a proxy that `new Request(request)` cannot read.
 * @throws UntrustedHost for an invalid host; the log records it
 */
function toServiceRequest(request: NextRequest, { settings, mount }: NextSettings): Request {
  const { method, headers, body, signal, nextUrl } = request
  const origin = findOrigin(toCaller(headers, settings.config), settings)
  const url = `${origin}${toPublicPath(nextUrl.pathname, mount)}${nextUrl.search}`
  // Some type libraries lack `duplex`, but a stream as the body requires it.
  const init: RequestInit & { duplex: "half" } = { method, headers, signal, duplex: "half" }
  if (body && method !== "GET" && method !== "HEAD") init.body = body
  return new Request(url, init)
}
