import type { IncomingHttpHeaders } from "node:http"
import { readSession, serializeCookie } from "@latchkey/core/integration"
import type { Session } from "@latchkey/core/types"
import { fromNodeHeaders } from "@latchkey/node"
import { toCaller } from "./caller.js"
import { type NextConfigSource, resolveConfig } from "./config.js"
import { settingsFor } from "./settings.js"

/** A request of an API route or of `getServerSideProps`: Node's, or the Web's on the edge. */
export interface PagesRequest {
  readonly headers: IncomingHttpHeaders | Headers
}

/** Its answer: Node's, or the Web's on the edge. */
export type PagesResponse = { appendHeader(name: string, value: string): unknown } | { readonly headers: Headers }

/** The session of whoever asks for a page, renewed on its answer. */
export async function readPagesSession(
  source: NextConfigSource,
  { headers }: PagesRequest,
  response: PagesResponse,
): Promise<Session | null> {
  const { settings } = settingsFor(await resolveConfig(source))
  const { session, cookies } = await readSession(toCaller(toHeaders(headers), settings.config), settings)
  for (const cookie of cookies) append(response, serializeCookie(cookie))
  return session
}

function append(response: PagesResponse, cookie: string): void {
  if ("appendHeader" in response) response.appendHeader("set-cookie", cookie)
  else response.headers.append("set-cookie", cookie)
}

function toHeaders(headers: IncomingHttpHeaders | Headers): Headers {
  return isWebHeaders(headers) ? headers : fromNodeHeaders(headers)
}

function isWebHeaders(headers: IncomingHttpHeaders | Headers): headers is Headers {
  return typeof headers["get"] === "function"
}
