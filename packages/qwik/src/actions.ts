import { type SignInForm, toChoice, toErrorAnswer, type UserAuth } from "@latchkey/core/integration"
import { type ConfigQrl, findSettings, type QwikEvent, toCaller } from "./config.js"
import { bindEvent, setCookies } from "./session.js"

/** The input of an action: from `submit`, or from a form, whose field names Qwik City splits at dots. */
type Fields = Readonly<Record<string, unknown>>

/**
 * `useSignIn`: starts a sign-in; with credentials or the code of a mail, completes it. A rejected sign-in redirects to
 * the sign-in page with the query `error`, as at the endpoints.
 * @throws Qwik City's redirect message
 */
export async function signIn(fields: Fields, event: QwikEvent, config: ConfigQrl): Promise<void> {
  const options = toSignInForm(fields)
  await leave({ event, config, redirectTo: options.redirectTo }, (auth) => auth.signIn(options))
}

/**
 * `useSignOut`: ends the current session; with `atProvider`, the one at the provider too.
 * @throws Qwik City's redirect message
 */
export async function signOut(fields: Fields, event: QwikEvent, config: ConfigQrl): Promise<void> {
  const { redirectTo } = toSignInForm(fields)
  const { atProvider }: Fields = { ...fields, ...Object(fields["options"]) }
  await leave({ event, config }, async (auth) => {
    const url = await auth.signOut({ redirectTo, atProvider: toChoice(atProvider) })
    event.sharedMap.set("session", null) // A page may still be rendered.
    return url
  })
}

interface Action {
  readonly event: QwikEvent
  readonly config: ConfigQrl
  /** Passed to the sign-in page when a sign-in is rejected. */
  readonly redirectTo?: string | undefined
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
 * Runs an action, and ends it with a redirect.
 * @throws Qwik City's redirect message. Only for a data request that leads to another origin it returns instead: Qwik's
 *   client would lose such a redirect, and follows the `location` of the data.
 */
async function leave(
  { event, config, redirectTo }: Action,
  run: (auth: UserAuth<never>) => Promise<string>,
): Promise<void> {
  const settings = await findSettings(config, event)
  const url = await run(bindEvent(event, settings)).catch((error) => {
    const failed = toErrorAnswer(error, toCaller(event), settings, redirectTo)
    setCookies(event, failed.cookies)
    return failed.url
  })
  const isDataRequest = new URL(event.request.url).pathname.endsWith("/q-data.json")
  const message = isDataRequest && !url.startsWith("/") ? undefined : event.redirect(303, url)
  event.headers.set("location", url) // Again, since `redirect` collapses double slashes, also in the query.
  if (message !== undefined) throw message
}
