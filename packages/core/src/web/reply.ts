import type { ResponseCookie } from "../contract/response.js"

export type ReplyBody =
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
