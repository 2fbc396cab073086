import { type AuthRequest, readRequest } from "../src/http/request.js"
import type { AuthContext } from "../src/types/http.js"

export interface VisitOptions {
  readonly origin?: string
  /** A form makes it a POST. */
  readonly form?: Readonly<Record<string, string>>
  /** A JSON body makes it a POST. */
  readonly json?: unknown
  /** Default: GET without a body. */
  readonly method?: "GET" | "POST"
  /** The `Cookie` header. */
  readonly cookie?: string
  readonly headers?: Readonly<Record<string, string>>
  /** What an integration would say of the connection. Default: nothing. */
  readonly context?: AuthContext
}

export const appOrigin = "https://app.test"

/** A request as it reaches the actions, read by the code that reads real ones. The base path is `/auth`. */
export async function visitTo(path: string, options: VisitOptions = {}): Promise<AuthRequest> {
  return readRequest(requestTo(path, options), "/auth", options.context)
}

export function requestTo(path: string, options: VisitOptions = {}): Request {
  const { origin = appOrigin, form, json, cookie } = options
  const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json)
  const type = form ? "application/x-www-form-urlencoded" : "application/json"
  const headers = {
    ...(body !== undefined && { "content-type": type }),
    ...(cookie !== undefined && { cookie }),
    ...options.headers,
  }
  const method = options.method ?? (body === undefined ? "GET" : "POST")
  return new Request(`${origin}${path}`, { method, headers, ...(body !== undefined && { body }) })
}
