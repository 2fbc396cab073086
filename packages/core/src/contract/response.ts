import type { CookieSerializeOptions } from "./cookies.js"

/** A cookie that an answer sets, before it is written as a header. */
export interface ResponseCookie {
  readonly name: string
  readonly value: string
  readonly options: CookieSerializeOptions
}

/** What `Auth` returns with the `raw` marker: the answer before it becomes a `Response`. */
export interface ResponseInternal {
  readonly status?: number
  readonly headers?: Headers
  /** An object for JSON actions, a string for pages. */
  readonly body?: unknown
  readonly redirect?: string
  readonly cookies?: readonly ResponseCookie[]
}
