import type { AuthContext } from "../contract/context.js"
import type { IncomingRequest } from "../contract/incoming-request.js"
import type { RouteName } from "./auth-path.js"
import type { CookieJar } from "./cookie-jar.js"

/** The fields of a form or of a JSON object. Untrusted; no prototype. */
export type Fields = Readonly<Record<string, unknown>>

/** One request, read once. Query and body are untrusted until something parsed them. */
export interface Visit {
  readonly request: IncomingRequest
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly route: RouteName
  readonly providerId: string | undefined
  /** Undefined when there is none, or none that is read: neither form nor JSON. */
  readonly body: Fields | undefined
  readonly cookies: CookieJar
  readonly context: AuthContext
}

/** A field of the body, when it is text. */
export function findField({ body }: Pick<Visit, "body">, name: string): string | undefined {
  const value = body?.[name]
  return typeof value === "string" ? value : undefined
}

/** Whether a form asks for the target of a redirect as JSON, as the browser's side of next-auth 4 does. */
export function asksForJson(visit: Pick<Visit, "body">): boolean {
  return findField(visit, "json") === "true"
}
