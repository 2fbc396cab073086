import type { Answer, IncomingRequest, ResponseCookie, ResponseInternal } from "../types/http.js"
import { serializeCookie } from "./cookies.js"

type ReplyBody =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "html"; readonly text: string }
  | { readonly kind: "css"; readonly text: string }
  | { readonly kind: "js"; readonly text: string }

/** An answer as a value. */
export interface Reply {
  readonly status?: number
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly ResponseCookie[]
  /** Absolute URL, or a page path of the host as configured. */
  readonly redirect?: string
  readonly body?: ReplyBody
}

type Extras = Omit<Reply, "body" | "redirect">

export function json(value: unknown, extras: Extras = {}): Reply {
  return { ...extras, body: { kind: "json", value } }
}

export function html(text: string, extras: Extras = {}): Reply {
  return { ...extras, body: { kind: "html", text } }
}

/** 302: the method of the next request is GET, so that no body (a password, say) is sent on. */
export function redirect(url: string, extras: Extras = {}): Reply {
  return { ...extras, redirect: url }
}

const contentTypes: Readonly<Record<ReplyBody["kind"], string>> = {
  json: "application/json",
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
}

/** Clients that fetch ask by this header for the target of a redirect as JSON. */
const returnRedirectHeader = "x-auth-return-redirect"

/** A redirect is meant for one visitor, and for those who did or did not ask for it as JSON. */
const privateAnswer = { "cache-control": "no-store", vary: "X-Auth-Return-Redirect" } as const

export function wantsRedirectAsJson({ headers }: Pick<IncomingRequest, "headers">): boolean {
  return headers.has(returnRedirectHeader)
}

/** `{"url": ...}` in place of a redirect, for clients that asked for it. */
export function withRedirectAsJson(reply: Reply): Reply {
  if (reply.redirect === undefined) return reply
  const { redirect, status: _, ...rest } = reply
  const headers = { ...rest.headers, ...privateAnswer }
  return { ...rest, headers, body: { kind: "json", value: { url: redirect } } }
}

/** @throws what the JSON of a body throws that has none: a cycle, a BigInt, a `toJSON` of the host's */
export function toResponse(reply: Reply): Response {
  const response = new Response(toText(reply.body), { status: toStatus(reply), headers: toHeaders(reply) })
  for (const cookie of reply.cookies ?? []) response.headers.append("set-cookie", serializeCookie(cookie))
  return response
}

export function toAnswer(reply: Reply): Answer {
  const cookies = (reply.cookies ?? []).map((cookie) => ["set-cookie", serializeCookie(cookie)] as const)
  return {
    status: toStatus(reply),
    headers: [...Object.entries(toHeaders(reply)), ...cookies],
    body: toText(reply.body),
  }
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
    // The address of a callback holds a code, that of a mailed link a token: nobody is told it on the way on.
    ...(redirect !== undefined && { "referrer-policy": "no-referrer", ...privateAnswer }),
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
  // What JSON has no word for, such as a function, is nothing.
  return body.kind === "json" ? (JSON.stringify(body.value) ?? "null") : body.text
}

/**
 * A failure whose answer must set cookies all the same: spent check cookies are cleared, whatever came of the flow. Or
 * one of which is known whom it refused. Caught where every error is caught; only the error inside is logged.
 */
export class Refusal extends Error {
  readonly error: unknown
  readonly cookies: readonly ResponseCookie[]
  /** Id of the stored user who was refused. */
  readonly userId: string | undefined

  constructor(error: unknown, cookies: readonly ResponseCookie[], userId?: string) {
    super("refused")
    this.error = error
    this.cookies = cookies
    this.userId = userId
  }
}

/** Adds a query to a page address, which may have one already. */
export function withQuery(address: string, query: Readonly<Record<string, string | undefined>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, value)
  const text = params.toString()
  if (text === "") return address
  const [beforeFragment = "", ...fragment] = address.split("#")
  const joined = `${beforeFragment}${beforeFragment.includes("?") ? "&" : "?"}${text}`
  return [joined, ...fragment].join("#")
}
