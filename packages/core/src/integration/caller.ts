import { logRejectedRequest } from "../auth.js"
import { UntrustedHost } from "../errors/errors.js"
import { resolveOrigin } from "../http/origin.js"
import type { AuthContext } from "../types/http.js"
import type { Settings } from "./settings.js"

/** A visitor whose request the host's own code is answering: a page, a form action, a loader. */
export interface Caller {
  /** Of the visitor's request. */
  readonly headers: Headers
  /** `http` or `https`, with or without its colon, where the framework found it out. */
  readonly protocol?: string | undefined
  /** Host with its port, where the framework found it out. */
  readonly host?: string | undefined
  /** Believes `X-Forwarded-Proto` and `X-Forwarded-Host`. Default: false. */
  readonly trustProxy?: boolean | undefined
  readonly context?: AuthContext | undefined
}

/**
 * The origin under which the visitor sees the app: that of `AUTH_URL`, else of the request.
 * @throws UntrustedHost when the request's protocol or host is none; the log says so as well
 */
export function findOrigin({ headers, context, ...options }: Caller, { origin, config: { logger } }: Settings): string {
  try {
    return resolveOrigin(headers, { ...options, origin })
  } catch (error) {
    if (error instanceof UntrustedHost) {
      logRejectedRequest(error, { headers, ...(logger && { logger }), ...(context && { context }) })
    }
    throw error
  }
}

/** What says something of a body that is not sent on, or of a connection that is not used. */
const leftOut = [
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "transfer-encoding",
  "x-auth-return-redirect",
] as const

/** The visitor's headers, for a request that carries another body. */
export function copyHeaders(headers: Headers): Headers {
  const copy = new Headers(headers)
  for (const name of leftOut) copy.delete(name)
  return copy
}
