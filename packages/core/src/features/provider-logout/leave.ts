import { type SealedCookie, type SealedCookieDeps, sealedCookie } from "../../checks/sealed-cookie.js"
import { isEqualInConstantTime } from "../../crypto/hash.js"
import { randomId } from "../../crypto/random.js"
import { toError } from "../../errors/auth-error.js"
import { SignOutError } from "../../errors/errors.js"
import { isSendable, ownCookies } from "../../http/own-cookies.js"
import type { AuthRequest } from "../../http/request.js"
import { type Reply, redirect } from "../../http/response.js"
import { findProviderReason } from "../../oauth/advice.js"
import { asOAuthProvider } from "../../oauth/client.js"
import { createSignOutRequest, isOpenIdProvider } from "../../oauth/end-session.js"
import { createProviderEndpoints, type ProviderEndpoints } from "../../oauth/endpoints.js"
import { ProviderError, toSafeError } from "../../oauth/errors.js"
import { systemClock, withDeadline } from "../../runtime/promise.js"
import type { SignedIn } from "../../session/session.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ResolvedOAuthProvider } from "../../types/resolved.js"
import type { ActionContext } from "../feature.js"
import { type CookieWithSpare, warnOfLeftOut } from "../fit-reply.js"

/** What this browser's session began with. */
type Hint = {
  readonly provider: string
  readonly account: string
  /** Left out if it is too large for a cookie, or for the cookies that a browser can send beside the session. */
  readonly idToken?: string
}

/** A user who is at the provider's sign-out page. */
type Leaving = {
  /** Null if the provider does not return one. */
  readonly state: string | null
  /** Where the user goes afterwards; checked. */
  readonly target: string
}

/** Where a sign-out goes on, and the cookies for it. */
export interface ProviderRedirect {
  readonly url: string
  readonly cookies: readonly ResponseCookie[]
}

/** The user waits for it. The discovery document is cached as a rule. */
const discoveryMs = 3_000

const hintCookie = (context: ActionContext): SealedCookie<Hint> => sealedCookie(ownCookies.hint, toDeps(context))

const leavingCookie = (context: ActionContext): SealedCookie<Leaving> =>
  sealedCookie(ownCookies.leaving, toDeps(context))

const toDeps = ({ secrets, cookieRules }: ActionContext): SealedCookieDeps => ({ ...cookieRules, secrets })

/** The cookies that remember how the session of this browser began, or forget how the one before it did. */
export async function rememberSignIn(
  { account, isAccountAdded }: SignedIn,
  request: Pick<AuthRequest, "cookies">,
  context: ActionContext,
): Promise<readonly (ResponseCookie | CookieWithSpare)[]> {
  // The session goes on, and so does the one at the provider that it began with.
  if (isAccountAdded) return []
  const cookie = hintCookie(context)
  const provider = findProvider(account.provider, context)
  if (!provider) return cookie.clear(request.cookies)
  const hint: Hint = { provider: provider.id, account: account.providerAccountId }
  // The ID token of a plain OAuth provider is not verified.
  const idToken = isOpenIdProvider(provider) ? account.id_token : undefined
  const spare = await cookie.write(hint)
  if (!isSendable(spare)) return cookie.clear(request.cookies)
  if (idToken === undefined) return [spare]
  const whole = await cookie.write({ ...hint, idToken })
  if (isSendable(whole)) return [{ ...whole, kind: "hint", spare }]
  warnOfLeftOut("hint", context.log)
  return [spare]
}

/**
 * Where a user who has just been signed out here signs out at the provider. Null `url` if that is impossible: the local
 * session is over all the same.
 */
export async function leaveProvider(
  target: string,
  request: AuthRequest,
  context: ActionContext,
): Promise<ProviderRedirect | null> {
  const hint = await findHint(request, context)
  if (!hint) return null
  const { provider, accountId, idToken } = hint
  const state = randomId(22)
  // A redirect proxy forwards sign-ins alone, and the provider does not know the URL of an instance behind it.
  const returnUrl = provider.redirectProxyUrl ? undefined : context.actionUrl(request, "signed-out")
  try {
    const asked = createSignOutRequest({ idToken, accountId, returnUrl, state }, provider, endpoints)
    const late = () =>
      new ProviderError("The provider's discovery document did not arrive in time", { code: "timed-out" })
    const page = await withDeadline(asked, discoveryMs, late)
    if (!page) return null
    const leaving = await leavingCookie(context).write({ state: page.isStateSent ? state : null, target })
    return { url: page.url, cookies: isSendable(leaving) ? [leaving] : [] }
  } catch (thrown) {
    const sentence = "The user is signed out here, but could not be sent to the provider to sign out there"
    const err = toSafeError(toError(thrown))
    const about = { err, provider: provider.id, ...findProviderReason(err) }
    context.log.error(new SignOutError(sentence, about), request)
    return null
  }
}

/** The cookies that forget how the session of this browser began. */
export function forgetSignIn(request: AuthRequest, context: ActionContext): readonly ResponseCookie[] {
  return hintCookie(context).clear(request.cookies)
}

/** `GET signed-out`: the provider sends the user back. The target was checked, and is checked again. */
export async function returnFromProvider(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const cookie = leavingCookie(context)
  const returned = request.url.searchParams.get("state") ?? ""
  const found = (await cookie.read(request.cookies)).find(
    ({ state }) => state === null || isEqualInConstantTime(String(state), returned),
  )
  const { origin } = request.url
  // Any site can send a visitor here.
  if (!found) return redirect(origin)
  const url = await context.callbackUrls.check(String(found.target), origin, request)
  return redirect(url, { cookies: cookie.clear(request.cookies) })
}

interface FoundHint {
  readonly provider: ResolvedOAuthProvider
  readonly accountId: string
  readonly idToken: string | undefined
}

async function findHint(request: AuthRequest, context: ActionContext): Promise<FoundHint | null> {
  for (const { provider: id, account, idToken } of await hintCookie(context).read(request.cookies)) {
    const provider = findProvider(String(id), context)
    if (!provider) continue
    return { provider, accountId: String(account), idToken: typeof idToken === "string" ? idToken : undefined }
  }
  return null
}

/** A provider at which users may sign out: one with discovery, or with the facts for it. */
function findProvider(id: string, { providers }: ActionContext): ResolvedOAuthProvider | undefined {
  const provider = asOAuthProvider(providers.get(id))
  return provider && (isOpenIdProvider(provider) || provider.logout !== undefined) ? provider : undefined
}

const endpoints: ProviderEndpoints = createProviderEndpoints({ clock: systemClock })
