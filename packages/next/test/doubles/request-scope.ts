import { AsyncLocalStorage } from "node:async_hooks"
import { serializeCookie } from "@latchkey/core/integration"
import type { CookieSerializeOptions } from "@latchkey/core/types"

interface ScopeOptions {
  readonly isComponent?: boolean
  readonly connect?: () => Promise<void>
}

/**
 * One request as Next's own functions see it. Next is not installed here; the example app is built with it and tested in
 * a browser.
 */
export class RequestScope {
  /** The same object until the request ends; never changed. */
  readonly headers: Headers
  readonly #values: Map<string, string>
  readonly #set: string[] = []

  /** Whether a server component is rendered, which cannot set cookies. */
  readonly #isComponent: boolean

  /** Waits for the request, if the component is rendered ahead of it. */
  readonly connect: () => Promise<void>

  constructor(headers: Headers, { isComponent = false, connect = async () => {} }: ScopeOptions = {}) {
    this.headers = headers
    this.#isComponent = isComponent
    this.connect = connect
    const pairs = (headers.get("cookie") ?? "").split("; ").filter(Boolean)
    this.#values = new Map(pairs.map((pair) => pair.split("=", 2) as [string, string])) // Every cookie in the tests has a `=`.
  }

  /** The `Set-Cookie` values of the response. */
  get setCookies(): readonly string[] {
    return this.#set
  }

  getAll(): { readonly name: string; readonly value: string }[] {
    return [...this.#values].map(([name, value]) => ({ name, value: decodeURIComponent(value) }))
  }

  set(name: string, value: string, options: CookieSerializeOptions): void {
    if (this.#isComponent) throw new Error("Cookies can only be modified in a Server Action or Route Handler.")
    this.#values.set(name, encodeURIComponent(value))
    this.#set.push(serializeCookie({ name, value, options }))
  }
}

export const scopes = new AsyncLocalStorage<RequestScope>()

/** @throws outside a request, as Next does */
export function currentScope(): RequestScope {
  const scope = scopes.getStore()
  if (!scope) throw new Error("called outside a request scope")
  return scope
}
