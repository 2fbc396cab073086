import { expect } from "vitest"
import { right } from "./config.js"

export interface BrowserOptions {
  /** Where the endpoints are mounted. Default: `/auth`. */
  readonly basePath?: string
  /** The encoding of forms. Default: `form`. */
  readonly bodyType?: "form" | "json"
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A browser with a cookie jar that does not follow redirects. */
export interface Browser {
  readonly origin: string
  readonly cookies: ReadonlyMap<string, string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Posts fields to an action, with the CSRF token. */
  post(action: string, fields: Readonly<Record<string, string>>): Promise<Response>
  signIn(password: string): Promise<Response>
  signOut(): Promise<Response>
  session(): Promise<unknown>
}

export function createBrowser(origin: string, options: BrowserOptions = {}): Browser {
  const { basePath = "/auth", bodyType = "form" } = options
  const cookies = new Map<string, string>()

  async function send(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const headers = { origin, cookie, ...options.headers, ...init.headers }
    const response = await fetch(`${origin}${path}`, { redirect: "manual", ...init, headers })
    for (const line of response.headers.getSetCookie()) keep(cookies, line)
    return response
  }

  async function post(action: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    const { csrfToken } = await (await send(`${basePath}/csrf`)).json()
    expect(csrfToken).toMatch(/^[0-9a-f]{64}$/)
    const all = { ...fields, csrfToken }
    const [type, body] =
      bodyType === "json"
        ? ["application/json", JSON.stringify(all)]
        : ["application/x-www-form-urlencoded", new URLSearchParams(all).toString()]
    return await send(`${basePath}/${action}`, { method: "POST", headers: { "content-type": type }, body })
  }

  return {
    origin,
    cookies,
    get: (path, headers) => send(path, headers && { headers }),
    post,
    signIn: (password) =>
      post("callback/credentials", { username: right.username, password, callbackUrl: `${origin}/home` }),
    signOut: () => post("signout", { callbackUrl: `${origin}/bye` }),
    session: async () => (await send(`${basePath}/session`)).json(),
  }
}

/** Keeps name and value only: tests in a browser cover the attributes. */
function keep(cookies: Map<string, string>, line: string): void {
  const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (value === "" || /;\s*max-age=0/i.test(line)) cookies.delete(name)
  else cookies.set(name, value)
}
