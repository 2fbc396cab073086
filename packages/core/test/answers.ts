import type { Browser, RequestOptions, TestHost } from "@latchkey/testkit"
import { requestTo, type VisitOptions } from "./visits.js"

/** A `Set-Cookie` header, taken apart. */
export interface SentCookie {
  /** Percent-decoded. */
  readonly value: string
  /** As on the wire, in their order. */
  readonly attributes: readonly string[]
}

/** An answer of the service, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly location: string | null
  readonly text: string
  readonly cookies: ReadonlyMap<string, SentCookie>
  json(): unknown
}

/** Asks without a browser: no cookies but those given, no headers but those given. */
export async function ask(host: Pick<TestHost, "handler">, path: string, options: VisitOptions = {}): Promise<Answer> {
  return readAnswer(await host.handler(requestTo(path, options)))
}

/** Posts a form from a page of the app, with the browser's cookies and its CSRF token. Redirects are not followed. */
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

/** Asks with the browser's cookies. Redirects are not followed. */
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
