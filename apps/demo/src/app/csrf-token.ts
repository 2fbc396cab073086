import { Auth, type AuthConfig } from "@latchkey/core"
import type { Request, Response } from "express"

/**
 * The CSRF token for a form of the demo's own that posts to the sign-in service. Passes on the cookie that belongs to
 * it.
 */
export async function readCsrfToken(request: Request, response: Response, needs: CsrfNeeds): Promise<string> {
  const headers = new Headers()
  if (request.headers.cookie) headers.set("cookie", request.headers.cookie)
  const answer = await Auth(new globalThis.Request(`${needs.origin}/auth/csrf`, { headers }), needs.config)
  const content: unknown = await answer.json()
  for (const cookie of answer.headers.getSetCookie()) response.append("Set-Cookie", cookie)
  if (typeof content === "object" && content !== null && "csrfToken" in content) return String(content.csrfToken)
  throw new Error("The sign-in service gave no CSRF token.")
}

export interface CsrfNeeds {
  readonly origin: string
  readonly config: AuthConfig
}
