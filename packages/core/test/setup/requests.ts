import type { Browser, RequestOptions, TestHost } from "@latchkey/testkit"
import { type AuthRequest, readRequest } from "../../src/http/request.js"
import type { AuthContext } from "../../src/types/http.js"

export const appOrigin = "https://app.test"

export interface TestRequestOptions {
  readonly origin?: string
  /** A form makes it a POST. */
  readonly form?: Readonly<Record<string, string>>
  /** A JSON body makes it a POST. */
  readonly json?: unknown
  /** Default: POST with a body, otherwise GET. */
  readonly method?: "GET" | "HEAD" | "POST"
  /** The `Cookie` header. */
  readonly cookie?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The connection's context from an integration. Default: none. */
  readonly context?: AuthContext
}

export function requestTo(path: string, options: TestRequestOptions = {}): Request {
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

/** A request as the actions receive it, parsed by the service's own code. The base path is `/auth`. */
export async function authRequestTo(path: string, options: TestRequestOptions = {}): Promise<AuthRequest> {
  return readRequest(
    requestTo(path, options),
    { basePath: "/auth", parts: { loadBodyReader: () => import("../../src/http/body.js") } },
    options.context,
  )
}

/** A response with its body read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly location: string | null
  readonly text: string
  readonly cookies: ReadonlyMap<string, SentCookie>
  json(): unknown
}

/** A parsed `Set-Cookie` header. */
export interface SentCookie {
  /** Percent-decoded. */
  readonly value: string
  /** In their order in the header, unparsed. */
  readonly attributes: readonly string[]
}

/** Sends a request without a browser, with only the given cookies and headers. */
export async function ask(
  host: Pick<TestHost, "handler">,
  path: string,
  options: TestRequestOptions = {},
): Promise<Answer> {
  return readAnswer(await host.handler(requestTo(path, options)))
}

/** Posts a form with the browser's cookies and its CSRF token, from a page of the app. Does not follow redirects. */
export async function post(
  browser: Browser,
  path: string,
  fields: Readonly<Record<string, string>> = {},
  options: Pick<RequestOptions, "headers" | "from"> = {},
): Promise<Answer> {
  const csrfToken = await browser.csrfToken()
  const body = new URLSearchParams({ csrfToken, ...fields })
  return readAnswer(await browser.fetch(path, { method: "POST", body, ...options }))
}

/**
 * Like {@link post}, but follows the redirect of a form to the page that says what came of it, as browsers do. Loaded again, that
 * page must be the same. It is returned with the headers and cookies of both.
 */
export async function postForm(...[browser, ...rest]: Parameters<typeof post>): Promise<Answer> {
  const answer = await post(browser, ...rest)
  const target = URL.parse(answer.location ?? "")
  const isResult = /[?&](?:refused|after)=|\/undo\?error=/.test(answer.location ?? "")
  if (!target || !isResult) return answer
  const load = () => get(browser, `${target.pathname}${target.search}`, { accept: "text/html" })
  const page = await load()
  const again = await load()
  if (again.text !== page.text || again.status !== page.status)
    throw new Error(`${target.pathname} is not the same again`)
  const headers = new Headers(page.headers)
  for (const [name, value] of answer.headers) if (!headers.has(name)) headers.set(name, value)
  return { ...page, headers, cookies: new Map([...answer.cookies, ...page.cookies]) }
}

/** Sends a GET request with the browser's cookies. Does not follow redirects. */
export async function get(browser: Browser, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return readAnswer(await browser.fetch(path, { headers }))
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    location: response.headers.get("location"),
    text,
    cookies: new Map(response.headers.getSetCookie().map(toSentCookie)),
    json: () => JSON.parse(text),
  }
}

function toSentCookie(header: string): [string, SentCookie] {
  const [pair = "", ...attributes] = header.split("; ")
  const [name = "", value = ""] = pair.split("=")
  return [name, { value: decodeURIComponent(value), attributes }]
}
