import { serve } from "../auth.js"
import { AuthError } from "../errors/auth-error.js"
import { type Reply, withQuery } from "../http/response.js"
import { getService } from "../service.js"
import type { ResponseCookie } from "../types/http.js"
import { type Caller, copyHeaders, findOrigin } from "./caller.js"
import { type SessionAnswer, toSessionAnswer, toWritten } from "./read-session.js"
import type { Settings } from "./settings.js"

/** Where the visitor goes next, and the cookies that the host's answer must set. */
export interface ActionAnswer {
  /** An absolute URL, or a page path of the host as configured. */
  readonly url: string
  readonly cookies: readonly ResponseCookie[]
}

/** What a visitor wants to sign in with. */
export interface SignInRequest {
  /** Without one, or with one that only a browser can use: the visitor chooses on the sign-in page. */
  readonly providerId?: string | undefined
  /** What the provider is to know: a user name and a password, an email address. Untrusted. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Where the visitor goes afterwards. Default: the page that asked, else the app's root. */
  readonly redirectTo?: string | undefined
  /** Beside those of the provider, for its authorization URL. */
  readonly authorizationParams?: Readonly<Record<string, string>> | undefined
}

/**
 * Begins a sign-in on behalf of a visitor; with credentials, completes it. The caller has to make sure that the
 * visitor's form is one of the app's; a foreign `Origin` is refused here as well.
 * @throws AuthError for everything that refuses the sign-in, such as `CredentialsSignin`
 */
export async function signIn(caller: Caller, settings: Settings, wish: SignInRequest): Promise<ActionAnswer> {
  const { providerId, fields, authorizationParams = {} } = wish
  const origin = findOrigin(caller, settings)
  const callbackUrl = wish.redirectTo ?? findAskingPage(caller, origin)
  const type = providerId && getService(settings.config).surface.providers.get(providerId)?.type
  if (!type || type === "webauthn") return { url: toSignInPage(origin, settings, callbackUrl), cookies: [] }
  const action = type === "credentials" ? "callback" : "signin"
  const path = withQuery(`${action}/${encodeURIComponent(providerId)}`, authorizationParams)
  return toActionAnswer(await act({ ...caller, origin }, settings, path, { ...fields, callbackUrl }))
}

/**
 * Ends a visitor's session.
 * @throws AuthError
 */
export async function signOut(
  caller: Caller,
  settings: Settings,
  { redirectTo }: { readonly redirectTo?: string | undefined } = {},
): Promise<ActionAnswer> {
  const origin = findOrigin(caller, settings)
  const callbackUrl = redirectTo ?? findAskingPage(caller, origin)
  return toActionAnswer(await act({ ...caller, origin }, settings, "signout", { callbackUrl }))
}

/**
 * Hands the app's data to its `jwt` and `session` callbacks, as the session update of a client does.
 * @throws AuthError
 */
export async function updateSession(caller: Caller, settings: Settings, data: unknown): Promise<SessionAnswer> {
  const origin = findOrigin(caller, settings)
  return toSessionAnswer(toWritten(await act({ ...caller, origin }, settings, "session", { data })))
}

/** A caller whose origin was found. */
type Located = Caller & { readonly origin: string }

/** One of the contract's POST actions. Its failures are the caller's. */
function act(caller: Located, settings: Settings, path: string, fields: object): Promise<Reply> {
  const headers = copyHeaders(caller.headers)
  headers.set("content-type", "application/json")
  const url = `${caller.origin}${settings.basePath}/${path}`
  const request = new Request(url, { method: "POST", headers, body: JSON.stringify(fields) })
  const context = { ...caller.context, isVerifiedForm: true }
  return serve({ request, context }, getService(settings.config), { isRaw: true })
}

/** @throws AuthError for an answer that leads nowhere, of which the log says why */
function toActionAnswer({ redirect, status = 200, cookies = [] }: Reply): ActionAnswer {
  if (redirect === undefined) throw new AuthError(`The action failed: the service answered ${status} and logged why`)
  return { url: redirect, cookies }
}

function toSignInPage(origin: string, { config, basePath }: Settings, callbackUrl: string): string {
  return withQuery(config.pages?.signIn ?? `${origin}${basePath}/signin`, { callbackUrl })
}

/** The page whose form it was; those of other sites are nobody's way back. */
function findAskingPage({ headers }: Caller, origin: string): string {
  const page = URL.parse(headers.get("referer") ?? "")
  return page?.origin === origin ? page.href : "/"
}
