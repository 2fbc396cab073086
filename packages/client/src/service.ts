import type { AppSession, AuthAction, PublicProvider } from "@latchkey/types"
import { clientBasePath } from "./base-paths.js"
import {
  type Completion,
  describeUnexpected,
  isAt,
  jsonHeaders,
  type Query,
  readCompletion,
  readJson,
  readString,
  type SignInStep,
  toAddress,
  trimEnd,
} from "./protocol.js"

/**
 * Why a request failed. New codes may be added, so a `switch` needs a default.
 *
 * - `network`: the service could not be reached, or did not respond within 30 seconds. The session may or may not still exist.
 * - `unavailable`: the response is an error or does not come from the service: check the base path, and `status`.
 * - `refused`: the service rejected a session update or a change of the account, and logged the reason.
 *
 * Only the account (`@latchkey/client/account`):
 * - `signed-out`: the session has ended.
 * - `confirm`: the user must re-authenticate, on a page of the service.
 * - `gone`: what was to be changed does not exist any more.
 * - `limited`: too many requests. Try again later.
 */
export type AuthClientErrorCode = "network" | "unavailable" | "refused" | "signed-out" | "confirm" | "gone" | "limited"

/** Thrown by all functions of the client. The message is for the developer. */
export class AuthClientError extends Error {
  override readonly name = "AuthClientError"
  readonly code: AuthClientErrorCode
  /** The HTTP status, if there was a response. 503 also if the service could not read the session. */
  readonly status: number | undefined

  constructor(
    code: AuthClientErrorCode,
    message: string,
    options: ErrorOptions & { readonly status?: number | undefined } = {},
  ) {
    super(message, options)
    this.code = code
    this.status = options.status
  }
}

/** Where the service is and how to send requests to it. */
export interface ServiceOptions {
  /**
   * Where the service is mounted: a path, or a URL with the page's origin. Default: where the integration mounts it, else
   * `/auth`.
   */
  readonly basePath?: string | undefined
  /** The service's origin. Required outside of a page, such as in a script. Default: the page's origin. */
  readonly baseUrl?: string | undefined
  /** Default: the global `fetch` at the time of the request. */
  readonly fetch?: typeof fetch | undefined
  /**
   * Whether forms carry a CSRF token. False saves a request if the framework protects forms itself. Default: true.
   */
  readonly csrf?: boolean | undefined
}

/** The providers by id. */
export type Providers = Readonly<Record<string, PublicProvider>>

interface RequestOptions {
  readonly method?: "POST"
  readonly signal?: AbortSignal
  readonly body?: URLSearchParams | string
  readonly headers?: Readonly<Record<string, string>>
}

/** How long a request may take: the service limits its own, such as sending an email, to less. Browsers wait for minutes. */
const patienceMs = 30_000

/** The first segment of a path below the base path. */
export type ServiceAction = AuthAction | "account" | "password" | "second-factor"

/** The service over HTTP. All requests throw `AuthClientError`. */
export interface Service {
  address(action: ServiceAction, providerId?: string, query?: Query): string
  /** Resolves with a response of any status. */
  request(address: string, options?: RequestOptions): Promise<Response>
  /** `GET /csrf`. Undefined if the CSRF check is off. */
  requestCsrfToken(): Promise<string | undefined>
  /**
   * Posts a form and reads the redirect target.
   * @param findStep what is missing to a sign-in after this target; null leaves it to the service's paths
   */
  submit(address: string, form: URLSearchParams, findStep?: (target: URL) => SignInStep | null): Promise<Completion>
}

export function createService(options: ServiceOptions): Service {
  const { fetch } = options
  // JavaScript apps may set null.
  const [basePath, baseUrl, csrf] = [options.basePath ?? clientBasePath, options.baseUrl ?? "", options.csrf ?? true]
  // Without its slash, a path would be looked for below that of the page.
  const base = trimEnd(baseUrl) + trimEnd(basePath.replace(/^(?!\/|http)/, "/"))
  // By default, browsers send no cookies to another origin.
  const credentials: RequestInit = baseUrl === "" ? {} : { credentials: "include" }
  const address: Service["address"] = (action, providerId, query) => toAddress(base, action, providerId, query)

  async function send(target: string, init: RequestOptions): Promise<Response> {
    const fetchNow = fetch ?? globalThis.fetch
    const headers = { ...jsonHeaders, ...init.headers }
    // Unlike a timer, it does not keep a script from ending. Older browsers lack it.
    const { signal } = followSignals([init.signal, AbortSignal.timeout?.(patienceMs)])
    try {
      return await fetchNow(target, { cache: "no-store", ...credentials, ...init, headers, signal })
    } catch (cause) {
      // Without the query, which may hold an email address.
      throw new AuthClientError("network", `Could not reach the service at ${target.split("?", 1)[0]}`, { cause })
    }
  }

  /** Settles with the response to the last form. */
  let last: Promise<unknown> = Promise.resolve()
  const reading = new Set<AbortController>()

  /**
   * Forms are sent one after another, and the session is requested only between them. Otherwise, a late response about the session
   * could bring back one that was signed out, or end one that has just begun. A form that hangs is aborted before the next one is sent.
   */
  async function request(target: string, init: RequestOptions = {}): Promise<Response> {
    if (init.method !== "POST") return target === address("session") ? readBetween(target, init) : send(target, init)
    for (const controller of reading) controller.abort()
    const response = last.then(() => send(target, init))
    last = response.catch(() => undefined)
    return response
  }

  async function readBetween(target: string, init: RequestOptions): Promise<Response> {
    for (let form: unknown; form !== last; await form) form = last
    const controller = new AbortController()
    reading.add(controller)
    try {
      return await send(target, { ...init, signal: controller.signal })
    } catch (error) {
      if (!controller.signal.aborted) throw error
    } finally {
      reading.delete(controller)
    }
    return readBetween(target, init)
  }

  let requested: Promise<string | undefined> | undefined

  /** Forms that are sent at the same time share a token: in a new browser, each response sets another cookie. */
  function requestCsrfToken(): Promise<string | undefined> {
    requested ??= loadCsrfToken().finally(() => {
      requested = undefined
    })
    return requested
  }

  async function loadCsrfToken(): Promise<string | undefined> {
    if (!csrf) return undefined
    const response = await request(address("csrf"))
    if (response.status === 404) return undefined
    const token = readString(await readJson(response), "csrfToken")
    if (token === undefined) throw unavailable(response)
    return token
  }

  const submit: Service["submit"] = async (target, body, findStep) => {
    const response = await request(target, { method: "POST", body })
    const from = response.url || toAbsoluteUrl(target)
    const find = (next: URL): SignInStep | null =>
      findStep?.(next) ?? (isAt(next, address("second-factor")) ? "second-factor" : null)
    const asked = { callbackUrl: body.get("callbackUrl"), findStep: find }
    const completion = readCompletion(response, await readJson(response), from, asked)
    if (!completion) throw unavailable(response)
    return completion
  }

  return { address, request, requestCsrfToken, submit }
}

/** `GET /session`. Null if no one is signed in; any response that is not a session is an error. */
export async function requestSession(service: Service): Promise<AppSession | null> {
  return readSession(await service.request(service.address("session")))
}

/** `POST /session`: passes data to the host's callbacks. */
export async function postSession(service: Service, data: unknown): Promise<AppSession | null> {
  const csrfToken = await service.requestCsrfToken()
  const body = JSON.stringify({ csrfToken, data })
  const headers = { "content-type": "application/json" }
  const response = await service.request(service.address("session"), { method: "POST", body, headers })
  if (response.status === 400) {
    throw new AuthClientError("refused", "The service rejected the update", { status: 400 })
  }
  return readSession(response)
}

async function readSession(response: Response): Promise<AppSession | null> {
  if (response.headers.get("latchkey-session") === "unknown") {
    throw new AuthClientError("unavailable", "The service could not read the session. Try again later", { status: 503 })
  }
  const content = await readJson(response)
  if (response.status === 200 && (content === null || isSession(content))) return content
  throw unavailable(response)
}

/** The fields are up to the host's callbacks. */
function isSession(content: unknown): content is AppSession {
  return isObject(content) && Object.keys(content).length > 0
}

/** `GET /providers`. */
export async function requestProviders(service: Service): Promise<Providers> {
  const response = await service.request(service.address("providers"))
  const content = await readJson(response)
  if (response.ok && isProviders(content)) return content
  throw unavailable(response)
}

/** The contract guarantees the rest of the shape. */
function isProviders(content: unknown): content is Providers {
  return isObject(content)
}

function isObject(content: unknown): content is object {
  return typeof content === "object" && content !== null && !Array.isArray(content)
}

export function unavailable(response: Response): AuthClientError {
  return new AuthClientError("unavailable", describeUnexpected(response), { status: response.status })
}

/** A controller that also aborts when one of the signals does. Some browsers with passkeys lack `AbortSignal.any`. */
export function followSignals(signals: readonly (AbortSignal | undefined)[]): AbortController {
  const controller = new AbortController()
  for (const signal of signals) {
    if (signal?.aborted) controller.abort(signal.reason)
    signal?.addEventListener("abort", () => controller.abort(signal.reason), { signal: controller.signal })
  }
  return controller
}

/** Resolves an address against the page, if there is one. */
export function toAbsoluteUrl(address: string): string {
  return new URL(address, globalThis.location?.href).href
}
