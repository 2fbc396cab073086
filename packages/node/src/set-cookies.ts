import type { ResponseCookie } from "@latchkey/core"
import { serializeCookie } from "@latchkey/core/integration"
import type { NodeResponse } from "./node-response.js"

/** Adds cookies to those that an answer sets already. */
export function setCookies(target: NodeResponse, cookies: readonly ResponseCookie[]): void {
  for (const cookie of cookies) target.appendHeader("set-cookie", serializeCookie(cookie))
}
