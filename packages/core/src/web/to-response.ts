import type { ResponseInternal } from "../contract/response.js"
import type { Reply, ReplyBody } from "./reply.js"
import { serializeCookie } from "./set-cookie.js"

const contentTypes: Readonly<Record<ReplyBody["kind"], string>> = {
  json: "application/json",
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
}

/** Clients that fetch ask by this header for the target of a redirect as JSON. */
const returnRedirectHeader = "x-auth-return-redirect"

export function wantsRedirectAsJson(request: Request): boolean {
  return request.headers.has(returnRedirectHeader)
}

/** `{"url": ...}` in place of a redirect, for clients that asked for it. */
export function withRedirectAsJson(reply: Reply): Reply {
  if (reply.redirect === undefined) return reply
  const { redirect, status: _, ...rest } = reply
  // As private as the redirect would have been, which no cache keeps.
  const headers = { ...rest.headers, "cache-control": "no-store" }
  return { ...rest, headers, body: { kind: "json", value: { url: redirect } } }
}

export function toResponse(reply: Reply): Response {
  const response = new Response(toText(reply.body), { status: toStatus(reply), headers: toHeaders(reply) })
  for (const cookie of reply.cookies ?? []) response.headers.append("set-cookie", serializeCookie(cookie))
  return response
}

/** The answer before it is serialised, for framework integrations. */
export function toRaw(reply: Reply): ResponseInternal {
  return {
    status: toStatus(reply),
    headers: new Headers(toHeaders(reply)),
    cookies: reply.cookies ?? [],
    ...(reply.redirect !== undefined && { redirect: reply.redirect }),
    ...(reply.body !== undefined && { body: reply.body.kind === "json" ? reply.body.value : reply.body.text }),
  }
}

function toStatus(reply: Reply): number {
  return reply.status ?? (reply.redirect === undefined ? 200 : 302)
}

/** No answer is anything but what its type says. A reply's own headers count. */
function toHeaders({ body, headers, redirect }: Reply): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    ...(body && { "content-type": contentTypes[body.kind] }),
    ...headers,
    ...(redirect !== undefined && { location: toHeaderText(redirect) }),
  }
}

/** A header holds ASCII without control characters; what a URL may not hold is percent-encoded. */
function toHeaderText(url: string): string {
  return url.replace(/[^\x21-\x7e]/gu, (character) => {
    // Half of a surrogate pair has no encoding; U+FFFD stands for it, as in URLs.
    return /\p{Surrogate}/u.test(character) ? "%EF%BF%BD" : encodeURIComponent(character)
  })
}

function toText(body: ReplyBody | undefined): string | null {
  if (!body) return null
  return body.kind === "json" ? JSON.stringify(body.value) : body.text
}
