import { resolveOrigin } from "@latchkey/core"
import { UntrustedHost } from "@latchkey/core/errors"
import { isBelow } from "@latchkey/core/integration"
import type { NextRequest } from "next/server.js"
import type { Mount } from "./app-paths.js"
import { report } from "./caller.js"
import type { NextSettings } from "./settings.js"

/**
 * The request of a route handler as visitors address it: Next's `url` names another host and lacks its `basePath`. Made
 * from its parts, since Next's request is a proxy that `new Request(request)` cannot read.
 * @throws UntrustedHost when the request's host is none
 */
export function toServiceRequest(request: NextRequest, { settings, mount }: NextSettings): Request {
  const { method, headers, body, signal, nextUrl } = request
  const origin = resolveOrigin(headers, { origin: settings.origin, trustProxy: true })
  const url = `${origin}${toPublicPath(nextUrl.pathname, mount)}${nextUrl.search}`
  // `duplex` is missing from some type libraries, and a stream is refused without it.
  const init: RequestInit & { duplex: "half" } = { method, headers, signal, duplex: "half" }
  if (body && method !== "GET" && method !== "HEAD") init.body = body
  return new Request(url, init)
}

/** A path that Next sees as visitors see it. Next's `trailingSlash` option adds one, which names nothing else. */
export function toPublicPath(path: string, mount: Mount): string {
  const known = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path
  return isBelow(known, mount.path) ? `${mount.publicPath}${known.slice(mount.path.length)}` : known
}

/**
 * The answer to a request whose host is none; logged as the service logs its own refusals.
 * @throws the error, when it is anything else
 */
export function refuseHost(error: unknown, { headers }: NextRequest, { settings }: NextSettings): Response {
  if (!(error instanceof UntrustedHost)) throw error
  report(error, headers, settings.config)
  return Response.json("Bad request.", { status: 400 })
}
