import type { AuthAction } from "@latchkey/types"
import { describeAnswer, readJson, readText } from "./answer.js"
import { AuthClientError } from "./auth-client-error.js"
import { type Completion, findCompletion } from "./completion.js"

/** Where the service is, and how it is asked. */
export interface ServiceOptions {
  /** Where the service is mounted: a path, or a URL of the page's own origin. Default: `/auth`. */
  readonly basePath?: string
  /** The service's origin, for where there is no page whose origin it could be, such as a script. Default: the page's. */
  readonly baseUrl?: string
  /** Default: the global one, as it is at the time of the request. */
  readonly fetch?: typeof fetch
  /**
   * Whether forms carry a csrf token. Say false where the framework protects its forms itself, which saves a request.
   * Default: true.
   */
  readonly csrf?: boolean
}

export type Query = ConstructorParameters<typeof URLSearchParams>[0]

export interface Asking {
  readonly method?: "POST"
  readonly body?: URLSearchParams | string
  readonly headers?: Readonly<Record<string, string>>
}

/** The service over HTTP. Everything throws `AuthClientError`. */
export interface Service {
  address(action: AuthAction, providerId?: string, query?: Query): string
  /** Any answer. */
  ask(address: string, init?: Asking): Promise<Response>
  /** Undefined where the check is off. */
  requestCsrfToken(): Promise<string | undefined>
  /** Posts a form and reads where the service would redirect. */
  submit(address: string, form: URLSearchParams): Promise<Completion>
}

/** The service would rather answer with JSON than with pages and redirects. */
const headers = { accept: "application/json", "x-auth-return-redirect": "1" } as const

export function createService({ basePath = "/auth", baseUrl = "", fetch, csrf = true }: ServiceOptions): Service {
  const base = `${baseUrl.replace(/\/+$/, "")}${basePath.replace(/\/+$/, "")}`
  // Of another origin, a browser would send no cookies by itself.
  const credentials: RequestInit = baseUrl === "" ? {} : { credentials: "include" }

  function address(action: AuthAction, providerId?: string, query?: Query): string {
    const path = providerId === undefined ? action : `${action}/${encodeURIComponent(providerId)}`
    const search = new URLSearchParams(query).toString()
    return `${base}/${path}${search && `?${search}`}`
  }

  async function ask(target: string, init: Asking = {}): Promise<Response> {
    const send = fetch ?? globalThis.fetch
    try {
      return await send(target, {
        cache: "no-store",
        ...credentials,
        ...init,
        headers: { ...headers, ...init.headers },
      })
    } catch (cause) {
      throw new AuthClientError("network", `The service could not be reached at ${withoutQuery(target)}`, { cause })
    }
  }

  async function requestCsrfToken(): Promise<string | undefined> {
    if (!csrf) return undefined
    const answer = await ask(address("csrf"))
    if (answer.status === 404) return undefined
    const token = readText(await readJson(answer), "csrfToken")
    if (token === undefined) throw toUnavailable(answer)
    return token
  }

  async function submit(target: string, body: URLSearchParams): Promise<Completion> {
    const answer = await ask(target, { method: "POST", body })
    const completion = findCompletion(answer, await readJson(answer), answer.url || toAbsolute(target))
    if (!completion) throw toUnavailable(answer)
    return completion
  }

  return { address, ask, requestCsrfToken, submit }
}

/** For an answer that nobody can use. */
export function toUnavailable(answer: Response): AuthClientError {
  return new AuthClientError("unavailable", describeAnswer(answer), { status: answer.status })
}

function withoutQuery(address: string): string {
  return address.split("?", 1)[0] ?? address
}

/** A page path of the host, as it may be configured, is one of the service's origin. */
export function toAbsolute(address: string): string {
  return new URL(address, globalThis.location?.href).href
}
