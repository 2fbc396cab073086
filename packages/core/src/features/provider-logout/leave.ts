import { isEqualInConstantTime } from "../../crypto/hash.js"
import { randomId } from "../../crypto/random.js"
import { createSealer, type SealedClaims } from "../../crypto/seal.js"
import { toError } from "../../errors/auth-error.js"
import { SignOutError } from "../../errors/errors.js"
import { type CookieJar, clearedCookie } from "../../http/cookies.js"
import { cookieBudget } from "../../http/limits.js"
import type { AuthRequest } from "../../http/request.js"
import { type Reply, redirect } from "../../http/response.js"
import { asOAuthProvider } from "../../oauth/client.js"
import { createSignOutRequest, isOpenIdProvider } from "../../oauth/end-session.js"
import { createProviderEndpoints, type ProviderEndpoints } from "../../oauth/endpoints.js"
import { ProviderError, toSafeError } from "../../oauth/errors.js"
import { systemClock, withDeadline } from "../../runtime/promise.js"
import type { SignedIn } from "../../session/session.js"
import type { CookieOption, ResponseCookie } from "../../types/http.js"
import type { ResolvedOAuthProvider } from "../../types/resolved.js"
import type { ActionContext } from "../feature.js"

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
export interface Departure {
  readonly url: string
  readonly cookies: readonly ResponseCookie[]
}

/** Browsers keep no cookie longer, RFC 6265bis section 5.5. A session that is in use can last as long. */
const hintSeconds = 400 * 24 * 60 * 60
/** How long a user may take at the provider. */
const leavingSeconds = 10 * 60
/** The user waits for it. The discovery document is cached as a rule. */
const discoveryMs = 3_000

/** Characters of the session and the hint. The rest of the budget is for sign-ins in progress. */
const maxWithSession = cookieBudget - 4 * 1024

const hintCookie = (context: ActionContext): SealedCookie<Hint> =>
  sealedCookie({ name: "authjs.hint", purpose: "logout:hint", seconds: hintSeconds }, context)

const leavingCookie = (context: ActionContext): SealedCookie<Leaving> =>
  sealedCookie({ name: "authjs.leaving", purpose: "logout:leaving", seconds: leavingSeconds }, context)

/** The cookies that remember how the session of this browser began, or forget how the one before it did. */
export async function rememberSignIn(
  { account, isAccountAdded }: SignedIn,
  started: readonly ResponseCookie[],
  request: Pick<AuthRequest, "cookies">,
  context: ActionContext,
): Promise<readonly ResponseCookie[]> {
  // The session goes on, and so does the one at the provider that it began with.
  if (isAccountAdded) return []
  const cookie = hintCookie(context)
  const provider = findProvider(account.provider, context)
  if (!provider) return cookie.clear(request.cookies)
  const hint: Hint = { provider: provider.id, account: account.providerAccountId }
  // The ID token of a plain OAuth provider is not verified.
  const idToken = isOpenIdProvider(provider) ? account.id_token : undefined
  const whole = idToken === undefined ? null : await cookie.write({ ...hint, idToken })
  const size = [...started, ...(whole ? [whole] : [])].reduce((sum, { value }) => sum + value.length, 0)
  const written = whole && size <= maxWithSession ? whole : await cookie.write(hint)
  return written ? [written] : cookie.clear(request.cookies)
}

/**
 * Where a user who has just been signed out here signs out at the provider. Null `url` if that is impossible: the local
 * session is over all the same.
 */
export async function leaveProvider(
  target: string,
  request: AuthRequest,
  context: ActionContext,
): Promise<Departure | null> {
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
    return { url: page.url, cookies: leaving ? [leaving] : [] }
  } catch (thrown) {
    const sentence = "The user is signed out here, but could not be sent to the provider to sign out there"
    context.log.error(new SignOutError(sentence, { err: toSafeError(toError(thrown)), provider: provider.id }), request)
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

/** A value that one browser keeps for the service, and cannot read or change. */
interface SealedCookie<Value extends SealedClaims> {
  /** Null if the value is too large for a cookie. */
  write(value: Value): Promise<ResponseCookie | null>
  /** All values that the browser has, the newest path first; a neighboring site may have planted some. */
  read(jar: CookieJar): Promise<readonly Partial<Record<keyof Value, unknown>>[]>
  /** The cookies that remove it, if the browser has it. */
  clear(jar: CookieJar): readonly ResponseCookie[]
}

interface SealedCookieOptions {
  /** The name without a prefix, such as `authjs.hint`. */
  readonly name: string
  /** What the value is for, with a colon, as `Sealer` requires. */
  readonly purpose: string
  readonly seconds: number
}

/** Characters of name and value that every browser accepts: RFC 6265bis section 5.6. */
const maxCookieLength = 4096

function sealedCookie<Value extends SealedClaims>(
  { name, purpose, seconds }: SealedCookieOptions,
  { secrets, referenceCookie }: Pick<ActionContext, "secrets" | "referenceCookie">,
): SealedCookie<Value> {
  const isSecure = referenceCookie.options.secure === true
  const sealer = createSealer(secrets, systemClock)
  const cookie: CookieOption = {
    // With this prefix no neighboring site can plant it.
    name: `${isSecure ? "__Host-" : ""}${name}`,
    options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure },
  }
  return {
    async write(sealed) {
      const value = await sealer.seal(purpose, sealed, seconds)
      if (cookie.name.length + value.length > maxCookieLength) return null
      const expires = new Date(systemClock() + seconds * 1000)
      return { ...cookie, value, options: { ...cookie.options, expires } }
    },
    async read(jar) {
      const opened = await Promise.all(jar.values(cookie.name).map((value) => sealer.open(purpose, value)))
      // as: only this service seals values for the purpose.
      return opened.filter((value) => value !== null) as Partial<Record<keyof Value, unknown>>[]
    },
    clear: (jar) => (jar.get(cookie.name) === undefined ? [] : [clearedCookie(cookie)]),
  }
}
