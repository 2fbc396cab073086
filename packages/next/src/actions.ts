import { AuthError, type AuthErrorType } from "@latchkey/core/errors"
import {
  type ActionAnswer,
  type Caller,
  updateSession as changeSession,
  signOut as endSession,
  readFormFields,
  type Settings,
  type SignInRequest,
  signIn as startSignIn,
  toErrorAnswer,
} from "@latchkey/core/integration"
import type { AppSession } from "@latchkey/core/types"
import { findSettings, type NextConfigSource, readAppPath, toCaller, toPublicPage } from "./config.js"
import { type CurrentSession, readCurrentRequest, setCookies } from "./session.js"

/** Where to go after an action, and whether to redirect there. */
export interface RedirectOptions<Redirect extends boolean = boolean> {
  /** A path of the app, or a URL that `callbacks.redirect` allows. Default: the page that called the action. */
  readonly redirectTo?: string | undefined
  /** `false` returns the URL instead of redirecting. Default: `true`. */
  readonly redirect?: Redirect | undefined
}

/** Options of `signIn`: besides those of the redirect, the fields for the provider, such as a password or an email. */
export interface SignInOptions<Redirect extends boolean = boolean> extends RedirectOptions<Redirect> {
  readonly [field: string]: unknown
}

/** Options of `signOut`. */
export interface SignOutOptions<Redirect extends boolean = boolean> extends RedirectOptions<Redirect> {
  /** Whether to sign out at the provider too. Default: as the option `providerLogout` says. */
  readonly atProvider?: boolean | undefined
}

/** The URL with `redirect: false`; otherwise the redirect is thrown and nothing is returned. */
export type Redirected<Redirect extends boolean> = Redirect extends false ? string : never

/** Query parameters in any form that `URLSearchParams` accepts. */
export type AuthorizationParams = string | [string, string][] | Record<string, string> | URLSearchParams

/**
 * For server actions and route handlers. Server components cannot call them, since they set cookies.
 *
 * A request that any link can cause (`GET`) starts and ends nothing: it is redirected to the page with the form.
 */
export interface Actions {
  /**
   * Starts a sign-in; with credentials or the code of a mail, completes it. Without a provider it redirects to the
   * sign-in page. A form may contain `redirectTo` or `callbackUrl`. A failure of the app or of a provider is logged and
   * redirects to the error page.
   * @throws AuthError when the sign-in is rejected, such as `CredentialsSignin`; otherwise Next's redirect
   */
  signIn<Redirect extends boolean = true>(
    provider?: string,
    options?: FormData | SignInOptions<Redirect>,
    authorizationParams?: AuthorizationParams,
  ): Promise<Redirected<Redirect>>
  /**
   * Ends the current session.
   * @throws AuthError when the request is rejected; otherwise Next's redirect
   */
  signOut<Redirect extends boolean = true>(options?: SignOutOptions<Redirect>): Promise<Redirected<Redirect>>
  /**
   * Passes data to the `jwt` and `session` callbacks, with `trigger: "update"`.
   * @returns The changed session, or null when signed out.
   * @throws AuthError when the update is rejected
   */
  updateSession(data: unknown): Promise<AppSession | null>
}

/** Creates the actions. They call the service in this process, without an HTTP request. */
export function createActions(source: NextConfigSource, current: CurrentSession): Actions {
  const open = async () => {
    const { request, headers } = await readCurrentRequest()
    const { settings } = await findSettings(source)
    return { settings, caller: toCaller(headers, settings.config), request }
  }

  async function finish({ url, cookies }: ActionAnswer, request: object, isRedirecting: boolean): Promise<string> {
    await setCookies(cookies)
    current.forget(request)
    return isRedirecting ? await redirectTo(toRedirectTarget(url)) : url
  }

  return {
    async signIn(provider, options = {}, authorizationParams = {}) {
      const { settings, caller, request } = await open()
      const authorization = Object.fromEntries(new URLSearchParams(authorizationParams))
      const providerId = isStarting(caller.headers) ? provider : undefined
      const signInRequest = { ...readOptions(options), providerId, authorizationParams: authorization }
      const isRedirecting = options instanceof FormData || options.redirect !== false
      const answer = await startSignIn(caller, settings, signInRequest).catch((error: unknown) =>
        toFailedAnswer(error, caller, settings),
      )
      const url = await finish(answer, request, isRedirecting)
      return url as never // A string only with `redirect: false`; otherwise `finish` throws.
    },
    async signOut({ redirectTo: target, redirect: isRedirecting = true, atProvider } = {}) {
      const { settings, caller, request } = await open()
      const answer = isRead(caller.headers)
        ? toSignOutPage(settings, toTarget(target))
        : await endSession(caller, settings, { redirectTo: toTarget(target), atProvider }).catch((error: unknown) =>
            toFailedAnswer(error, caller, settings),
          )
      const url = await finish(answer, request, isRedirecting)
      return url as never // As above.
    },
    async updateSession(data) {
      const { settings, caller, request } = await open()
      const { session, cookies } = await changeSession(caller, settings, data)
      await setCookies(cookies)
      current.forget(request)
      return session
    },
  }
}

/**
 * Imported here, and without an extension: Next's bundlers replace `next/navigation` for route handlers, and Node, which
 * loads this package for the pages router, cannot resolve that name.
 */
export async function redirectTo(url: string): Promise<never> {
  const { redirect } = await import("next/navigation")
  return redirect(url)
}

/**
 * Whether a request is a GET, which Next does not tell: it has no body, and browsers send `Origin` with every other
 * method. A `Content-Type` proves nothing, because a script of another site may choose it for a GET.
 */
export function isRead(headers: Headers): boolean {
  return !["origin", "content-length", "transfer-encoding"].some((name) => headers.has(name))
}

/** Whether a request may start a sign-in: a form, or a link of the app itself that is followed rather than prefetched. */
function isStarting(headers: Headers): boolean {
  if (["sec-purpose", "purpose"].some((name) => headers.get(name)?.includes("prefetch"))) return false
  if (!isRead(headers)) return true
  return headers.get("sec-fetch-site") === "same-origin" && headers.get("sec-fetch-mode") === "navigate"
}

/** The page with the sign-out form. */
function toSignOutPage({ config, basePath }: Settings, callbackUrl: string | undefined): ActionAnswer {
  const page = config.pages?.signOut ?? `${basePath}/signout`
  if (callbackUrl === undefined) return { url: page, cookies: [] }
  const query = new URLSearchParams({ callbackUrl })
  return { url: `${page}${page.includes("?") ? "&" : "?"}${query}`, cookies: [] }
}

/** Failures of the app, of a provider or of a mail service, which `next-auth` does not throw, either. */
const redirecting: ReadonlySet<AuthErrorType> = new Set<AuthErrorType>([
  "AuthError",
  "EmailSignInError",
  "InvalidConfiguration",
  "InvalidEndpoints",
  "MissingAuthorize",
  "OAuthSignInError",
  "UntrustedHost",
])

/** @throws AuthError that the visitor or the calling code can do something about; every other error */
function toFailedAnswer(error: unknown, caller: Caller, settings: Settings): ActionAnswer {
  if (!(error instanceof AuthError) || !redirecting.has(error.type)) throw error
  return toErrorAnswer(error, caller, settings)
}

/** Keeps Next's own form fields and the redirect options from the provider. */
function readOptions(options: FormData | SignInOptions): Pick<SignInRequest, "fields" | "redirectTo"> {
  const given: Readonly<Record<string, unknown>> = options instanceof FormData ? readForm(options) : options
  const { redirectTo, redirect: _, callbackUrl, ...fields } = given
  return { fields, redirectTo: toTarget(redirectTo ?? callbackUrl) }
}

function readForm(form: FormData): Record<string, unknown> {
  return Object.fromEntries(Object.entries(readFormFields(form)).filter(([name]) => !name.startsWith("$ACTION")))
}

function toTarget(redirectTo: unknown): string | undefined {
  return typeof redirectTo === "string" && redirectTo !== "" ? toPublicPage(redirectTo, readAppPath()) : undefined
}

/** Removes Next's `basePath`, which the service's URLs include and Next's `redirect` adds again. */
function toRedirectTarget(url: string): string {
  const appPath = readAppPath()
  const isOwn = appPath !== "" && (url === appPath || url.startsWith(`${appPath}/`) || url.startsWith(`${appPath}?`))
  return isOwn ? url.slice(appPath.length).replace(/^(?!\/)/, "/") : url
}
