import {
  type ActionAnswer,
  type SignInRequest,
  signIn as signInVisitor,
  signOut as signOutVisitor,
  updateSession as updateSessionOf,
} from "@latchkey/core/integration"
import type { Session } from "@latchkey/core/types"
import { readAppPath, toPublicPage } from "./app-paths.js"
import { toCaller } from "./caller.js"
import { type NextConfigSource, resolveConfig } from "./config.js"
import type { CurrentSession } from "./current-session.js"
import { settingsFor } from "./settings.js"
import { readVisitor, setCookies } from "./visitor.js"

/** Where the visitor goes afterwards, and who sends them there. */
export interface RedirectOptions<Redirect extends boolean = boolean> {
  /** A path of the app, or an address that `callbacks.redirect` lets through. Default: the page that asked. */
  readonly redirectTo?: string
  /** False: the address is returned, and nobody is sent. Default: true. */
  readonly redirect?: Redirect
}

/** What the provider is to know: a user name and a password, an email address. */
export interface SignInOptions<Redirect extends boolean = boolean> extends RedirectOptions<Redirect> {
  readonly [field: string]: unknown
}

/** The address, where nobody is sent there. */
export type Redirected<Redirect extends boolean> = Redirect extends false ? string : never

/** What query parameters may be written as. */
export type AuthorizationParams = string | [string, string][] | Record<string, string> | URLSearchParams

/** For server actions and route handlers; they set cookies, so that server components cannot call them. */
export interface Actions {
  /**
   * Signs the visitor in by a provider, or sends them to the sign-in page when none is given. A form may say
   * `redirectTo` or `callbackUrl` itself.
   * @throws AuthError for what refuses the sign-in, such as `CredentialsSignin`; Next's redirect otherwise
   */
  signIn<Redirect extends boolean = true>(
    provider?: string,
    options?: FormData | SignInOptions<Redirect>,
    authorizationParams?: AuthorizationParams,
  ): Promise<Redirected<Redirect>>
  /**
   * Ends the visitor's session.
   * @throws AuthError; Next's redirect otherwise
   */
  signOut<Redirect extends boolean = true>(options?: RedirectOptions<Redirect>): Promise<Redirected<Redirect>>
  /**
   * Hands data to the `jwt` and `session` callbacks, with `trigger: "update"`.
   * @throws AuthError
   */
  updateSession(data: unknown): Promise<Session | null>
}

/** The actions of a visitor, in process and without a request of their own. */
export function createActions(source: NextConfigSource, current: CurrentSession): Actions {
  const open = async () => {
    const visitor = await readVisitor()
    const { settings } = settingsFor(await resolveConfig(source))
    return { settings, caller: toCaller(visitor.headers, settings.config), request: visitor.request }
  }

  async function finish({ url, cookies }: ActionAnswer, request: object, isSent: boolean): Promise<string> {
    await setCookies(cookies)
    current.forget(request)
    return isSent ? await sendTo(toRedirectTarget(url)) : url
  }

  return {
    async signIn(provider, options = {}, authorizationParams = {}) {
      const { settings, caller, request } = await open()
      const authorization = Object.fromEntries(new URLSearchParams(authorizationParams))
      const providerId = isPrefetch(caller.headers) ? undefined : provider
      const wish = { ...readWish(options), providerId, authorizationParams: authorization }
      const isSent = options instanceof FormData || options.redirect !== false
      const url = await finish(await signInVisitor(caller, settings, wish), request, isSent)
      return url as never // The address where `redirect` is false; `finish` returns nowhere else.
    },
    async signOut({ redirectTo, redirect: isSent = true } = {}) {
      const { settings, caller, request } = await open()
      const answer = await signOutVisitor(caller, settings, { redirectTo: toTarget(redirectTo) })
      const url = await finish(answer, request, isSent)
      return url as never // As above.
    },
    async updateSession(data) {
      const { settings, caller, request } = await open()
      const { session, cookies } = await updateSessionOf(caller, settings, data)
      await setCookies(cookies)
      current.forget(request)
      return session
    },
  }
}

/**
 * Loaded here, and by the name without an extension: Next's bundlers put another module in its place for route
 * handlers, and Node, which loads this package for the pages router, would not find it under that name.
 */
async function sendTo(url: string): Promise<never> {
  const { redirect } = await import("next/navigation")
  return redirect(url)
}

/** A route that begins a sign-in may be asked for before anybody wants it: no flow is begun by that. */
function isPrefetch(headers: Headers): boolean {
  return ["sec-purpose", "purpose"].some((name) => headers.get(name)?.includes("prefetch"))
}

/** Next's own fields of a form are not the provider's, and neither is what says where the visitor goes. */
function readWish(options: FormData | SignInOptions): Pick<SignInRequest, "fields" | "redirectTo"> {
  const given: Readonly<Record<string, unknown>> = options instanceof FormData ? readForm(options) : options
  const { redirectTo, redirect: _, callbackUrl, ...fields } = given
  return { fields, redirectTo: toTarget(redirectTo ?? callbackUrl) }
}

function readForm(form: FormData): Record<string, unknown> {
  return Object.fromEntries(
    [...form].filter(([name, value]) => typeof value === "string" && !name.startsWith("$ACTION")),
  )
}

function toTarget(redirectTo: unknown): string | undefined {
  return typeof redirectTo === "string" && redirectTo !== "" ? toPublicPage(redirectTo, readAppPath()) : undefined
}

/** Next puts its `basePath` before paths; those of the service have it already. */
function toRedirectTarget(url: string): string {
  const appPath = readAppPath()
  const isOwn = appPath !== "" && (url === appPath || url.startsWith(`${appPath}/`) || url.startsWith(`${appPath}?`))
  return isOwn ? url.slice(appPath.length).replace(/^(?!\/)/, "/") : url
}
