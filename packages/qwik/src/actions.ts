import {
  type ActionAnswer,
  signOut as endSession,
  type SignInForm,
  signIn as startSignIn,
  toChoice,
  toErrorAnswer,
} from "@latchkey/core/integration"
import { type ConfigQrl, findSettings, type QwikEvent, toCaller } from "./config.js"
import { setCookies } from "./session.js"

/** The input of an action: from `submit`, or from a form, whose field names Qwik City splits at dots. */
type Fields = Readonly<Record<string, unknown>>

/**
 * `useSignIn`: starts a sign-in; with credentials or the code of a mail, completes it. A rejected sign-in redirects to
 * the sign-in page with the query `error`, as at the endpoints.
 * @throws Qwik City's redirect message
 */
export async function signIn(fields: Fields, event: QwikEvent, config: ConfigQrl): Promise<void> {
  const settings = await findSettings(config, event)
  const options = toSignInForm(fields)
  const caller = toCaller(event)
  const answer = startSignIn(caller, settings, options)
  leave(event, await answer.catch((error) => toErrorAnswer(error, caller, settings, options.redirectTo)))
}

/**
 * `useSignOut`: ends the current session; with `atProvider`, the one at the provider too.
 * @throws Qwik City's redirect message
 */
export async function signOut(fields: Fields, event: QwikEvent, config: ConfigQrl): Promise<void> {
  const settings = await findSettings(config, event)
  const { redirectTo } = toSignInForm(fields)
  const { atProvider }: Fields = { ...fields, ...Object(fields["options"]) }
  const caller = toCaller(event)
  const ended = endSession(caller, settings, { redirectTo, atProvider: toChoice(atProvider) }).then((answer) => {
    event.sharedMap.set("session", null) // A page may still be rendered.
    return answer
  })
  leave(event, await ended.catch((error) => toErrorAnswer(error, caller, settings)))
}

/** Options and fields for the provider may be nested in `options` or not; only strings count. */
function toSignInForm(given: Fields): SignInForm {
  const { options, authorizationParams, ...rest } = given
  const { providerId, redirectTo, callbackUrl, ...fields } = { ...toStrings(rest), ...toStrings(options) }
  return {
    providerId: providerId || undefined,
    redirectTo: redirectTo || callbackUrl || undefined,
    fields,
    authorizationParams: toStrings(authorizationParams),
  }
}

function toStrings(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {}
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  )
}

/**
 * Ends an action with a redirect.
 * @throws Qwik City's redirect message. Only for a data request that leads to another origin it returns instead: Qwik's
 *   client would lose such a redirect, and follows the `location` of the data.
 */
function leave(event: QwikEvent, { url, cookies }: ActionAnswer): void {
  setCookies(event, cookies)
  const isDataRequest = new URL(event.request.url).pathname.endsWith("/q-data.json")
  const message = isDataRequest && !url.startsWith("/") ? undefined : event.redirect(303, url)
  event.headers.set("location", url) // Again, since `redirect` collapses double slashes, also in the query.
  if (message !== undefined) throw message
}
