import { toPagePath, toReferenceCookie } from "../actions/reference.js"
import { getService } from "../auth.js"
import { AuthError, getErrorPage } from "../errors/auth-error.js"
import { CodeWrong, CredentialsSignin, MissingCSRF, UntrustedHost } from "../errors/errors.js"
import { because } from "../errors/failure-reason.js"
import { serializeCookie } from "../http/cookies.js"
import { findFormPage } from "../http/form-page.js"
import { type Reply, withQuery } from "../http/response.js"
import { createLog } from "../log/log.js"
import { findMethod } from "../methods/find-method.js"
import type { SignInMethod } from "../methods/method.js"
import { serve } from "../serve.js"
import type { ResponseCookie } from "../types/http.js"
import type { ResolvedProvider } from "../types/resolved.js"
import { type Caller, findOrigin, type Settings } from "./config.js"
import { type SessionAnswer, toRefusal, toSessionAnswer, toWritten } from "./reader/reader.js"

/** Where to redirect after an action, and the cookies that the host's response has to set. */
export interface ActionAnswer {
  /** An absolute URL, or a configured page path of the host. */
  readonly url: string
  readonly cookies: readonly ResponseCookie[]
  /** Headers of the host's response besides. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The provider to sign in with, and its input. */
export interface SignInRequest {
  /** Default: redirects to the sign-in page. So does a provider that needs the browser, such as passkeys. */
  readonly providerId?: string | undefined
  /** Input for the provider: a user name and a password, an email address, the `code` of a mail. Untrusted. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined
  /**
   * Where to redirect after the sign-in. Default: the page that sent the form or, if that is `pages.signIn`, its
   * `callbackUrl`; else the app's root.
   */
  readonly redirectTo?: string | undefined
  /** Extra query parameters for the provider's authorization URL. */
  readonly authorizationParams?: Readonly<Record<string, string>> | undefined
}

/**
 * Starts a sign-in for host code; with credentials or the code of a mail, completes it. Does not check a CSRF token, so
 * the caller has to make sure that the form belongs to the app. A foreign `Origin` is rejected.
 * @throws AuthError when the sign-in is refused, such as `CredentialsSignin`; MissingCSRF for a GET request
 */
export async function signIn(caller: Caller, settings: Settings, options: SignInRequest): Promise<ActionAnswer> {
  const { providerId, fields, authorizationParams = {} } = options
  const origin = findOrigin(caller, settings)
  const callbackUrl = options.redirectTo ?? findReturn(caller, settings, origin)
  const provider = providerId ? getService(settings.config).pageContext.providers.get(providerId) : undefined
  const start = provider ? findStart(provider, fields) : "page"
  if (!provider || start === "page") return { url: toSignInPage(origin, settings, callbackUrl), cookies: [] }
  assertOwnForm("signIn", caller)
  const path = withQuery(`${start}/${encodeURIComponent(provider.id)}`, authorizationParams)
  const reply = await act({ ...caller, origin }, settings, path, { ...fields, callbackUrl })
  const { url, cookies } = toActionAnswer(reply, settings)
  return { url: toOwnPage(url, origin, settings), cookies }
}

/** The page that sent the form. For the app's own sign-in page, the page that the visitor came to it from. */
function findReturn({ headers }: Caller, { config }: Settings, origin: string): string {
  const page = findFormPage(headers, origin)
  if (page === null) return "/"
  const { pathname, searchParams } = new URL(page)
  const signInPage = config.pages?.signIn ? URL.parse(config.pages.signIn, origin) : null
  if (signInPage?.origin !== origin || signInPage.pathname !== pathname) return page
  return searchParams.get("callbackUrl") ?? "/"
}

/**
 * The app's own page after the request of a mail, in place of the endpoint that redirects there: a router that follows the
 * redirect without loading the page anew would keep the address of the endpoint.
 */
function toOwnPage(url: string, origin: string, { config, basePath }: Settings): string {
  const page = config.pages?.verifyRequest
  if (!page || !url.startsWith(`${origin}${basePath}/verify-request?`)) return url
  return withQuery(page, Object.fromEntries(new URL(url).searchParams))
}

function findStart(provider: ResolvedProvider, fields: SignInRequest["fields"] = {}): SignInMethod["serverStart"] {
  const { serverStart = "page", completingField } = findMethod(provider) ?? {}
  // A form that begins the sign-in may have a field of the same name, such as the code of an invitation.
  const isCompleting = completingField !== undefined && completingField in fields && !("email" in fields)
  return isCompleting ? "callback" : serverStart
}

/** Where a sign-out leads, and how far it goes. */
export interface SignOutRequest extends Pick<SignInRequest, "redirectTo"> {
  /**
   * Whether to sign out at the provider too: then the URL is that of the provider, which sends the user back. Default: as
   * the option `providerLogout` says.
   */
  readonly atProvider?: boolean | undefined
}

/**
 * Ends the current session.
 * @throws AuthError; MissingCSRF for a GET request
 */
export async function signOut(
  caller: Caller,
  settings: Settings,
  { redirectTo, atProvider }: SignOutRequest = {},
): Promise<ActionAnswer> {
  assertOwnForm("signOut", caller)
  const origin = findOrigin(caller, settings)
  const callbackUrl = redirectTo ?? findFormPage(caller.headers, origin) ?? "/"
  return toActionAnswer(await act({ ...caller, origin }, settings, "signout", { callbackUrl, atProvider }), settings)
}

/**
 * Passes data to the `jwt` and `session` callbacks, with `trigger: "update"`.
 * @throws AuthError
 */
export async function updateSession(caller: Caller, settings: Settings, data: unknown): Promise<SessionAnswer> {
  const origin = findOrigin(caller, settings)
  return toSessionAnswer(
    toWritten(await act({ ...caller, origin }, settings, "session", { data })),
    getService(settings.config),
  )
}

/**
 * A link or an image of another site must not sign a visitor in or out: browsers send no `Origin` with GET. They send it
 * with every form, and no page can suppress it; the service refuses a foreign one.
 */
function assertOwnForm(action: "signIn" | "signOut", { method, headers, needsFormOrigin = false }: Caller): void {
  if (method === "GET" || method === "HEAD") {
    const page = action.toLowerCase()
    throw new MissingCSRF(
      `${action} was called for a ${method} request, which any link can cause. Call it for a form with method="post", or redirect to <basePath>/${page}`,
      because("form-token-missing", { method }),
    )
  }
  if (!needsFormOrigin || headers.has("origin") || headers.get("sec-fetch-site") === "same-origin") return
  const message = "The form has no known origin: it needs an Origin header or Sec-Fetch-Site: same-origin"
  throw new MissingCSRF(message, because("form-other-origin"))
}

/** The page of a sign-in form, and where to go after it. */
function toSignInPage(origin: string, { config, basePath }: Settings, callbackUrl: string): string {
  return withQuery(config.pages?.signIn ?? `${origin}${basePath}/signin`, { callbackUrl })
}

/** Sends one of the POST actions through the service in process. Failures are thrown. */
async function act(
  caller: Caller & { readonly origin: string },
  settings: Settings,
  path: string,
  fields: object,
): Promise<Reply> {
  const headers = copyHeaders(caller.headers)
  headers.set("content-type", "application/json")
  const url = `${caller.origin}${settings.basePath}/${path}`
  const request = new Request(url, { method: "POST", headers, body: JSON.stringify(fields) })
  const context = { ...caller.context, isVerifiedForm: true }
  return await serve({ request, context }, getService(settings.config), { isRaw: true })
}

/** Headers that describe the original body or connection. */
const transferHeaders = [
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "transfer-encoding",
  "x-auth-return-redirect",
] as const

/** The headers of the request, for one with another body. */
function copyHeaders(headers: Headers): Headers {
  const copy = new Headers(headers)
  for (const name of transferHeaders) copy.delete(name)
  return copy
}

/** @throws AuthError for a reply without a redirect */
function toActionAnswer({ redirect, status = 200, cookies = [], headers }: Reply, settings: Settings): ActionAnswer {
  if (redirect === undefined) throw toRefusal("The action failed", status, getService(settings.config))
  return { url: redirect, cookies, headers }
}

/** Errors that the service has logged before it throws them. */
const loggedTypes: ReadonlySet<string> = new Set(["AuthError", "UntrustedHost"])

/**
 * Returns the page for a failed action, the same as at the endpoints, and logs the failure. For frameworks that would
 * show a thrown error to the user.
 * @param redirectTo Where the sign-in was to redirect; passed to the sign-in page.
 * @throws every error that is not an AuthError, unchanged
 */
export function toErrorAnswer(error: unknown, caller: Caller, settings: Settings, redirectTo?: string): ActionAnswer {
  if (!(error instanceof AuthError)) throw error
  const { config, basePath } = settings
  if (!loggedTypes.has(error.type)) createLog(config.logger).error(error)
  if (error.type === "FreshnessRequired" && config.secondFactors) {
    return { url: withQuery(`${basePath}/confirm`, { callbackUrl: redirectTo }), cookies: [] }
  }
  const { page, error: shown } = getErrorPage(error)
  const url = withQuery(config.pages?.[page] ?? `${basePath}/${toPagePath(page)}`, {
    ...(page === "verifyRequest" && { provider: textOf(error.cause?.["provider"]), type: "email" }),
    error: shown,
    code: error instanceof CredentialsSignin ? error.code : undefined,
    callbackUrl: page === "signIn" ? redirectTo : undefined,
  })
  // A wrong password or code has no log entry to refer to, and the cookie's name depends on the host.
  if (error instanceof CredentialsSignin || error instanceof CodeWrong || error instanceof UntrustedHost)
    return { url, cookies: [] }
  const service = getService(config)
  service.pageContext.recentFailures?.set(error.reference, error)
  const { referenceCookie } = service.contextFor(new URL(findOrigin(caller, settings)))
  return { url, cookies: [toReferenceCookie(referenceCookie, error, shown)] }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

const paramPrefix = "authorizationParams-"

/** A sign-in request read from a form. Empty fields are undefined. */
export type SignInForm = SignInRequest & { readonly redirectTo: string | undefined }

/** Reads `providerId`, `redirectTo`, `authorizationParams-<name>` and the provider's own fields from a form. */
export function readSignInForm(form: FormData | undefined): SignInForm {
  const { providerId, redirectTo, ...rest } = readFormFields(form)
  const fields = Object.entries(rest)
  const params = fields.filter(([name]) => name.startsWith(paramPrefix))
  return {
    providerId: providerId || undefined,
    redirectTo: redirectTo || undefined,
    fields: Object.fromEntries(fields.filter(([name]) => !name.startsWith(paramPrefix))),
    authorizationParams: Object.fromEntries(params.map(([name, value]) => [name.slice(paramPrefix.length), value])),
  }
}

/** Reads `redirectTo` and `atProvider` (`true` or `false`) from a form. */
export function readSignOutForm(form: FormData | undefined): SignOutRequest {
  const { redirectTo, atProvider } = readFormFields(form)
  return { redirectTo: redirectTo || undefined, atProvider: toChoice(atProvider) }
}

/** True or false, or the text of either in the field of a form. Undefined for anything else. */
export function toChoice(value: unknown): boolean | undefined {
  const text = String(value)
  return text === "true" || text === "false" ? text === "true" : undefined
}

/** The text fields of a form by name. Files are dropped; the last of several values wins. */
export function readFormFields(form: FormData | undefined): Record<string, string> {
  const texts = [...(form ?? [])].filter((entry): entry is [string, string] => typeof entry[1] === "string")
  return Object.fromEntries(texts)
}

const changes = new WeakMap<object, ReadonlyMap<string, ResponseCookie>>()

/** Remembers the cookies of an action until the request ends, for frameworks whose functions get nothing but the request. */
export function rememberCookies(request: object, cookies: readonly ResponseCookie[]): void {
  const added = cookies.map((cookie) => [cookie.name, cookie] as const)
  changes.set(request, new Map([...(changes.get(request) ?? []), ...added]))
}

/** The headers of a request with the cookies as its actions have changed them. */
export function withRememberedCookies(request: object, headers: Headers): Headers {
  const changed = changes.get(request)
  if (!changed) return headers
  const sent = (headers.get("cookie") ?? "").split(/; */)
  const kept = sent.filter((pair) => !changed.has(pair.split("=", 1)[0] ?? ""))
  const live = [...changed.values()].filter(({ options }) => options.maxAge !== 0)
  const pairs = live.map(({ name, value }) => serializeCookie({ name, value, options: {} }))
  const copy = new Headers(headers)
  copy.set("cookie", [...kept, ...pairs].join("; "))
  return copy
}
