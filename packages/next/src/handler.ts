import { Auth } from "@latchkey/core"
import { findOrigin, isBelow } from "@latchkey/core/integration"
import { answerRequest, readTarget, toListener } from "@latchkey/node"
import type { NextApiRequest, NextApiResponse } from "next"
import type { NextRequest } from "next/server.js"
import {
  findDeveloperAddress,
  findSettings,
  type Mount,
  type NextConfigSource,
  type NextSettings,
  rejectHost,
  toCaller,
  toContext,
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

const forwardedFor = "x-forwarded-for"

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
  const listen = toListener(async (request: NextApiRequest, response: NextApiResponse) => {
    const { settings, mount } = await findSettings(source)
    const [path = "", ...query] = readTarget(request).split("?")
    const url = [toPublicPath(path, mount), ...query].join("?")
    const { headers } = request
    const developer = findDeveloperAddress(String(headers[forwardedFor]), settings.config)
    if (developer !== undefined) delete headers[forwardedFor]
    const context = developer === undefined ? toContext(settings.config) : { clientAddress: developer }
    return await answerRequest(request, settings, { trustProxy: true, context, url, response })
  })
  return { GET: answer, POST: answer, pages: (request, response) => listen(request, response) }
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

/** The public path for a path that Next sees, without the slash that Next's `trailingSlash` option adds. */
function toPublicPath(path: string, mount: Mount): string {
  const known = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path
  return isBelow(known, mount.path) ? `${mount.publicPath}${known.slice(mount.path.length)}` : known
}
