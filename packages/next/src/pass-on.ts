import { serializeCookie } from "@latchkey/core/integration"
import type { ResponseCookie } from "@latchkey/core/types"
import { type NextRequest, NextResponse } from "next/server.js"

/** How a proxy tells Next which headers a request goes on with: their names in one header, each value in another. */
const overrides = "x-middleware-override-headers"
const overrideOf = (name: string) => `x-middleware-request-${name}`

/**
 * Adds a renewed session to what a proxy answers: the browser gets the cookies, and so do the pages that Next renders
 * for this same request.
 */
export function withSession(response: Response, request: NextRequest, cookies: readonly ResponseCookie[]): Response {
  if (cookies.length === 0) return response
  // The headers of some answers, such as those of `Response.redirect`, cannot be changed.
  const answer = new Response(response.body, response)
  for (const cookie of cookies) answer.headers.append("set-cookie", serializeCookie(cookie))
  if (isPassedOn(response)) overrideCookies(answer.headers, request, cookies)
  return answer
}

function isPassedOn({ headers }: Response): boolean {
  return headers.has("x-middleware-next") || headers.has("x-middleware-rewrite")
}

function overrideCookies(answer: Headers, request: NextRequest, cookies: readonly ResponseCookie[]): void {
  const names = answer.get(overrides)
  if (names === null) {
    const headers = new Headers(request.headers)
    headers.set("cookie", replaceCookies(request.headers.get("cookie"), cookies))
    NextResponse.next({ request: { headers } }).headers.forEach((value, name) => {
      if (name === overrides || name.startsWith(overrideOf(""))) answer.set(name, value)
    })
    return
  }
  const hasCookies = names.split(",").includes("cookie")
  const sent = hasCookies ? answer.get(overrideOf("cookie")) : null
  answer.set(overrideOf("cookie"), replaceCookies(sent, cookies))
  if (!hasCookies) answer.set(overrides, `${names},cookie`)
}

/** A `Cookie` header as the browser would send it after an answer with these cookies. */
function replaceCookies(sent: string | null, cookies: readonly ResponseCookie[]): string {
  const names = new Set(cookies.map(({ name }) => name))
  const kept = (sent ?? "").split(/; */).filter((pair) => pair !== "" && !names.has(pair.split("=", 1)[0] ?? ""))
  const added = cookies
    .filter(({ value }) => value !== "")
    .map(({ name, value }) => serializeCookie({ name, value, options: {} }))
  return [...kept, ...added].join("; ")
}
