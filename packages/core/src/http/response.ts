import type { Answer, IncomingHeaders, ResponseCookie, ResponseInternal } from "../types/http.js"
import type { Fields } from "./body.js"
import { serializeCookie } from "./cookies.js"

type ReplyBody =
  /** `indent`: the blanks for each level, in a file for people. */
  | { readonly kind: "json"; readonly value: unknown; readonly indent?: number }
  | { readonly kind: "html"; readonly text: string }
  | { readonly kind: "css"; readonly text: string }
  | { readonly kind: "js"; readonly text: string }
  | { readonly kind: "text"; readonly text: string }

/** An answer before it becomes a `Response`. */
export interface Reply {
  readonly status?: number
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly ResponseCookie[]
  /** Absolute URL, or the path of a configured page. */
  readonly redirect?: string
  readonly body?: ReplyBody
  /** Whether only the headers are sent, which describe the body: for `HEAD`. */
  readonly isBodiless?: boolean
}

/** Headers of replies that depend on the visitor. */
export const noStore: Readonly<Record<string, string>> = {
  "cache-control": "private, no-cache, no-store",
  expires: "0",
  pragma: "no-cache",
}

/**
 * The header of a session that is null because the store failed: nobody knows whether the visitor is signed in. Our clients
 * keep what they know.
 */
export const unknownSession: Readonly<Record<string, string>> = { "latchkey-session": "unknown" }

type Extras = Omit<Reply, "body" | "redirect">

/** An answer with a JSON body. */
export function json(value: unknown, extras: Extras = {}): Reply {
  return { ...extras, body: { kind: "json", value } }
}

/** An answer with a page. */
export function html(text: string, extras: Extras = {}): Reply {
  return { ...extras, body: { kind: "html", text } }
}

/** A redirect with status 302: browsers follow it with GET, so that no body, such as a password, is sent on. */
export function redirect(url: string, extras: Extras = {}): Reply {
  return { ...extras, redirect: url }
}

const contentTypes: Readonly<Record<ReplyBody["kind"], string>> = {
  json: "application/json",
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  text: "text/plain; charset=utf-8",
}

/** Clients that use `fetch` send this header to get the target of a redirect as JSON. */
const returnRedirectHeader = "x-auth-return-redirect"

/** A redirect is for one user only, and differs with the header above. */
const privateHeaders = { "cache-control": "no-store", vary: "X-Auth-Return-Redirect" } as const

/** Whether the client wants the target of a redirect as JSON: by its header, or by the field that next-auth 4 sends. */
export function wantsRedirectAsJson({ headers, body }: RedirectRequest): boolean {
  return headers.has(returnRedirectHeader) || body?.["json"] === "true"
}

interface RedirectRequest {
  readonly headers: Pick<IncomingHeaders, "has">
  readonly body?: Fields | undefined
}

/** Replaces a redirect with `{"url": ...}`; other answers stay the same. */
export function withRedirectAsJson(reply: Reply): Reply {
  if (reply.redirect === undefined) return reply
  const { redirect, status: _, ...rest } = reply
  const { vary = privateHeaders.vary } = rest.headers ?? {}
  const headers = { ...rest.headers, ...privateHeaders, vary }
  return { ...rest, headers, body: { kind: "json", value: { url: redirect } } }
}

/** @throws what `JSON.stringify` throws: for a cycle, a BigInt, or from a `toJSON` of the app. */
export function toResponse(reply: Reply): Response {
  const { cookies = [] } = reply
  const headers = toHeaders(reply)
  const [first, ...others] = cookies
  // An append takes longer than a header that the response begins with. No `Headers` is kept for later responses: those of
  // some servers, such as Hono's for Node, write to the one that they were given.
  if (first) headers["set-cookie"] = serializeCookie(first)
  const response = new Response(toBody(reply), { status: toStatus(reply), headers })
  for (const cookie of others) response.headers.append("set-cookie", serializeCookie(cookie))
  return response
}

/** Serializes an answer for servers that write it without a `Response`. */
export function toAnswer(reply: Reply): Answer {
  const headers: [name: string, value: string][] = Object.entries(toHeaders(reply))
  for (const cookie of reply.cookies ?? []) headers.push(["set-cookie", serializeCookie(cookie)])
  return { status: toStatus(reply), headers, body: toBody(reply) }
}

/** The answer before it is serialized, for framework integrations. */
export function toRaw(reply: Reply): ResponseInternal {
  return {
    status: toStatus(reply),
    headers: new Headers(toHeaders(reply)),
    cookies: reply.cookies ?? [],
    ...(reply.redirect !== undefined && { redirect: reply.redirect }),
    ...(reply.body !== undefined &&
      !reply.isBodiless && { body: reply.body.kind === "json" ? reply.body.value : reply.body.text }),
  }
}

function toStatus(reply: Reply): number {
  return reply.status ?? (reply.redirect === undefined ? 200 : 302)
}

/** A reply's own headers override the defaults. */
function toHeaders({ body, headers, redirect }: Reply): Record<string, string> {
  const fields: Record<string, string> = { "x-content-type-options": "nosniff" }
  if (body) fields["content-type"] = contentTypes[body.kind]
  // The URL of a callback has a code, that of a sign-in link a token: the next site must not get it as a referrer.
  if (redirect === undefined) return Object.assign(fields, headers)
  const location = toHeaderText(redirect)
  return Object.assign(fields, { "referrer-policy": "no-referrer" }, privateHeaders, headers, { location })
}

const visibleAscii = /^[\x21-\x7e]*$/

/** Percent-encodes all characters that a URL in a header must not have. */
function toHeaderText(url: string): string {
  if (visibleAscii.test(url)) return url
  // A lone surrogate has no encoding; it becomes U+FFFD, as in URLs.
  return url.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent)
}

function toBody({ body, isBodiless }: Reply): string | null {
  if (!body || isBodiless) return null
  // `stringify` returns undefined for a value without JSON, such as a function.
  return body.kind === "json" ? (JSON.stringify(body.value, null, body.indent) ?? "null") : body.text
}

/**
 * An error with cookies for its answer, because consumed check cookies are cleared even if the flow fails, or with the
 * user who was refused. The error handler unwraps it and logs `error`.
 */
export class Refusal extends Error {
  readonly error: unknown
  readonly cookies: readonly ResponseCookie[]
  /** Id of the stored user who was refused, for the log record. */
  readonly userId: string | undefined

  constructor(error: unknown, cookies: readonly ResponseCookie[], userId?: string) {
    super("refused")
    this.error = error
    this.cookies = cookies
    this.userId = userId
  }
}

/** Adds parameters to a URL or path, which may already have a query and a fragment. */
export function withQuery(address: string, query: Readonly<Record<string, string | undefined>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, value)
  const text = params.toString()
  if (text === "") return address
  const [beforeFragment = "", ...fragment] = address.split("#")
  const joined = `${beforeFragment}${beforeFragment.includes("?") ? "&" : "?"}${text}`
  return [joined, ...fragment].join("#")
}
