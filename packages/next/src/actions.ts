import {
  type ActionAnswer,
  updateSession as changeSession,
  signOut as endSession,
  readFormFields,
  type SignInRequest,
  signIn as startSignIn,
} from "@latchkey/core/integration"
import type { Session } from "@latchkey/core/types"
import { findSettings, type NextConfigSource, readAppPath, toCaller, toPublicPage } from "./config.js"
import { type CurrentSession, readCurrentRequest, setCookies } from "./session.js"

/** Where to go after an action, and whether to redirect there. */
export interface RedirectOptions<Redirect extends boolean = boolean> {
  /** A path of the app, or a URL that `callbacks.redirect` allows. Default: the page that called the action. */
  readonly redirectTo?: string
  /** `false` returns the URL instead of redirecting. Default: `true`. */
  readonly redirect?: Redirect
}

/** Options of `signIn`: besides those of the redirect, the fields for the provider, such as a password or an email. */
export interface SignInOptions<Redirect extends boolean = boolean> extends RedirectOptions<Redirect> {
  readonly [field: string]: unknown
}

/** The URL with `redirect: false`; otherwise the redirect is thrown and nothing is returned. */
export type Redirected<Redirect extends boolean> = Redirect extends false ? string : never

/** Query parameters in any form that `URLSearchParams` accepts. */
export type AuthorizationParams = string | [string, string][] | Record<string, string> | URLSearchParams

/** For server actions and route handlers. Server components cannot call them, since they set cookies. */
export interface Actions {
  /**
   * Starts a sign-in; with credentials, completes it. Without a provider it redirects to the sign-in page. A form may
   * contain `redirectTo` or `callbackUrl`.
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
  signOut<Redirect extends boolean = true>(options?: RedirectOptions<Redirect>): Promise<Redirected<Redirect>>
  /**
   * Passes data to the `jwt` and `session` callbacks, with `trigger: "update"`.
   * @returns The changed session, or null when signed out.
   * @throws AuthError when the update is rejected
   */
  updateSession(data: unknown): Promise<Session | null>
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
      const providerId = isPrefetch(caller.headers) ? undefined : provider
      const signInRequest = { ...readOptions(options), providerId, authorizationParams: authorization }
      const isRedirecting = options instanceof FormData || options.redirect !== false
      const url = await finish(await startSignIn(caller, settings, signInRequest), request, isRedirecting)
      return url as never // A string only with `redirect: false`; otherwise `finish` throws.
    },
    async signOut({ redirectTo: target, redirect: isRedirecting = true } = {}) {
      const { settings, caller, request } = await open()
      const answer = await endSession(caller, settings, { redirectTo: toTarget(target) })
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
async function redirectTo(url: string): Promise<never> {
  const { redirect } = await import("next/navigation")
  return redirect(url)
}

/** A prefetched route that calls `signIn` must not begin a flow. */
function isPrefetch(headers: Headers): boolean {
  return ["sec-purpose", "purpose"].some((name) => headers.get(name)?.includes("prefetch"))
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
