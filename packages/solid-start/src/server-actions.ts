import {
  type ActionAnswer,
  type Caller,
  errorPageUrl,
  readSignInForm,
  type Settings,
  serializeCookie,
  signIn as signInFor,
  signOut as signOutFor,
} from "@latchkey/core/integration"
import { assertOwnForm } from "./assert-own-form.js"
import { type SolidAuthConfig, toSettings } from "./solid-auth-config.js"
import { type SolidEvent, toCaller } from "./solid-event.js"

/**
 * For a server function: begins a sign-in with what a form says; with credentials, completes it. The form's fields are
 * `providerId`, `redirectTo`, `authorizationParams-*` for the provider's authorization URL, and what the provider asks
 * for. Without a provider the visitor chooses one on the sign-in page.
 *
 * A sign-in that is refused leads to the sign-in page with the query `error`, as at the endpoints: what a server
 * function throws, SolidStart would show to the visitor, with all fields of the form in a cookie.
 * @param event What `getRequestEvent()` gives.
 * @returns A redirect that sets the cookies. Return or throw it.
 * @example
 * const logIn = action(async (form: FormData) => {
 *   "use server"
 *   return await signIn(getRequestEvent(), authConfig, form)
 * })
 */
export function signIn(event: SolidEvent | undefined, config: SolidAuthConfig, form: FormData): Promise<Response> {
  const wish = readSignInForm(form)
  return runAction({ event, config, redirectTo: wish.redirectTo }, (...visit) => signInFor(...visit, wish))
}

/**
 * For a server function: ends the session of whoever sent the form.
 * @param form Its field `redirectTo` says where to go. Default: the page that asked.
 * @returns A redirect that clears the cookies. Return or throw it.
 */
export function signOut(event: SolidEvent | undefined, config: SolidAuthConfig, form?: FormData): Promise<Response> {
  const { redirectTo } = readSignInForm(form)
  return runAction({ event, config }, (...visit) => signOutFor(...visit, { redirectTo }))
}

interface ServerAction {
  readonly event: SolidEvent | undefined
  readonly config: SolidAuthConfig
  readonly redirectTo?: string | undefined
}

async function runAction(
  { event, config, redirectTo }: ServerAction,
  act: (caller: Caller, settings: Settings) => Promise<ActionAnswer>,
): Promise<Response> {
  if (!event) throw new TypeError("There is no request: call this in a server function, with getRequestEvent()")
  const settings = toSettings(config)
  try {
    assertOwnForm(event.request)
    return toRedirect(await act(toCaller(event), settings))
  } catch (error) {
    return toRedirect({ url: errorPageUrl(error, settings, redirectTo), cookies: [] })
  }
}

/** 303: the browser follows with GET, whatever the form's method was. */
function toRedirect({ url, cookies }: ActionAnswer): Response {
  const headers = new Headers({ location: url, "cache-control": "no-store" })
  for (const cookie of cookies) headers.append("set-cookie", serializeCookie(cookie))
  return new Response(null, { status: 303, headers })
}
