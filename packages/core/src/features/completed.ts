import { sealedCookie } from "../checks/sealed-cookie.js"
import { sha256Hex } from "../crypto/hash.js"
import type { AuthError, AuthErrorType } from "../errors/auth-error.js"
import { InvalidCheck } from "../errors/errors.js"
import { because } from "../errors/failure-reason.js"
import { isPage } from "../http/accept.js"
import { ownCookies } from "../http/own-cookies.js"
import { type AuthRequest, readQuery } from "../http/request.js"
import { type Reply, redirect } from "../http/response.js"
import { toIdText } from "../runtime/id.js"
import { andThen } from "../runtime/promise.js"
import type { AdapterUser } from "../types/adapter.js"
import type { Awaitable } from "../types/basics.js"
import type { ResponseCookie } from "../types/http.js"
import { type Failure, toFailure } from "./failure.js"
import type { ActionContext, ProvenSignIn } from "./feature.js"

// What a browser remembers about the sign-in that it completed last: Back, a reload and a second click send the request
// again. It then leads where the sign-in led, but only for the user of the session: another person may have planted it.

type Mark = { readonly keys: readonly string[]; readonly user: string; readonly url: string }

/** Longer URLs are left out: the callback-url cookie has where the browser goes. */
const maxUrlLength = 440

/** An app's ids may be longer. Then its browsers remember nothing. */
const maxIdLength = 256

/** The page that asks for a second factor, and its key: Back and a reload open it again after the sign-in. */
export const stepPage = "second-factor"

/**
 * Identifies the request that completes a flow. Empty for one that chooses a password: sent again, it may have another one,
 * which was not stored.
 * @param token Of the mailed link that it stands for. Default: the one in its query, if there is one.
 */
export function toCompletionKey(request: AuthRequest, token: string | null = null): Awaitable<string> {
  const { url, body = {}, route, method } = request
  // Its URL names no flow, and its query only says what the page shows.
  if (method === "GET" && route === stepPage && isPage(request)) return stepPage
  if ("password" in body) return ""
  const { pathname, search } = url
  const link = token ?? readQuery(url, "token")
  if (link !== null) return sha256Hex(JSON.stringify([pathname, link]))
  // Each page has another token against forgery.
  const { csrfToken: _, ...fields } = body
  return sha256Hex(JSON.stringify([pathname, search, Object.entries(fields)]))
}

const openMark = ({ cookieRules, secrets }: Pick<ActionContext, "cookieRules" | "secrets">) =>
  sealedCookie<Mark>(ownCookies.completed, { ...cookieRules, secrets })

/** The cookie of a sign-in whose session starts. None for a user without an id. */
export function markCompleted(
  { signedIn, completes, url }: ProvenSignIn,
  context: Pick<ActionContext, "cookieRules" | "secrets">,
): Awaitable<readonly ResponseCookie[]> {
  const userId = toIdText(signedIn.user.id)
  if (userId === "" || userId.length > maxIdLength || !completes) return []
  const { keys, url: target = url } = completes
  const mark = { keys, user: userId, url: target.length > maxUrlLength ? "" : target }
  return andThen(openMark(context).write(mark), (cookie) => [cookie])
}

/** The failures of a request that was sent again. */
const repeated: ReadonlySet<AuthErrorType> = new Set(["CodeSpent", "HeldExpired", "InvalidCheck", "Verification"])

/**
 * The redirect in place of a refusal, if this browser completed the very flow as the user who is signed in now. Nothing
 * is exchanged or consumed. Otherwise the failure, which says so if the browser completed the flow as another user.
 */
export async function orCompleted(
  failure: Failure,
  request: AuthRequest,
  context: ActionContext,
): Promise<{ readonly reply: Reply } | { readonly failure: Failure }> {
  const { error } = failure
  // A browser that sends the cookies of a completed flow has a copy of them.
  if (!repeated.has(error.type) || error.cause?.["isCopied"] === true) return { failure }
  try {
    return await compare(failure, request, context)
  } catch (thrown) {
    // The store failed, so we cannot tell who is signed in.
    return { failure: { ...failure, error: toFailure(thrown).error } }
  }
}

async function compare(failure: Failure, request: AuthRequest, context: ActionContext): ReturnType<typeof orCompleted> {
  const { error, cookies } = failure
  const key = await toCompletionKey(request)
  if (key === "") return { failure }
  const marks = await openMark(context).read(request.cookies)
  const mark = marks.find(({ keys }) => Array.isArray(keys) && keys.includes(key))
  if (!mark) return { failure }
  const user = await findUserId(request, context)
  if (user === null || user === "" || mark.user !== user) return { failure: { ...failure, error: explain(error) } }
  const { url, cookies: visited } = await context.callbackUrls.resolve(request)
  const target =
    typeof mark.url === "string" && mark.url !== ""
      ? await context.callbackUrls.check(mark.url, request.url.origin, request)
      : url
  return { reply: redirect(target, { cookies: [...cookies, ...(target === url ? visited : [])] }) }
}

/** Checks name what is wrong in the log. Other errors have a class of their own for it. */
function explain(error: AuthError): AuthError {
  if (!(error instanceof InvalidCheck)) return error
  return new InvalidCheck("The browser completed the flow before, as a user who is not signed in now", {
    ...error.cause,
    ...because("flow-completed"),
  })
}

/** The id of the user of the session. Without a store, the session names it. */
async function findUserId({ cookies }: AuthRequest, { store, sessions }: ActionContext): Promise<string | null> {
  // as: only its id is read.
  const user = await sessions.findUser(cookies, store ? undefined : async (id) => ({ id }) as AdapterUser)
  return user && toIdText(user.id)
}
