import { AuthError } from "../errors/auth-error.js"
import type { AccessToken, AccessTokenOptions, CookieWriter } from "../features/access-tokens/place.js"
import { forbidSharedCaching } from "../http/caching.js"
import type { FreshSession, RequireFreshOptions } from "../require-fresh.js"
import type { SessionView } from "../session/own-sessions.js"
import { readSignInForm, readSignOutForm, type SignInRequest, type SignOutRequest } from "./actions.js"
import { type Caller, findOrigin, type Settings } from "./config.js"
import { decideGuard, refusalText } from "./guard.js"
import { answerRequest, isServicePath } from "./handler.js"
import { createRequestState, type RequestAuth, type RequestState } from "./request-auth.js"
import {
  endOtherSessions,
  endSession,
  getAccessToken,
  listSessions,
  requireFresh,
  type SignOutEverywhereOptions,
  signOutEverywhere,
} from "./session.js"

/** The session and the actions of one request, and the functions for its signed-in user. */
export interface UserAuth extends RequestAuth {
  /** As in `RequestAuth`. A form has the fields `providerId` and `redirectTo`, and those of the provider. */
  signIn(options?: SignInRequest | FormData): Promise<string>
  /** As in `RequestAuth`. A form may have the fields `redirectTo` and `atProvider` (`true` or `false`). */
  signOut(options?: SignOutRequest | FormData): Promise<string>
  /**
   * Answers for code that requires a session: null if there is one. Else a page load gets a redirect to the sign-in page
   * (303), which returns afterwards, and every other request 401. A sign-in page of the app's own (`pages.signIn`) needs
   * no session.
   * @throws AuthError when the session cannot be read
   */
  guard(): Promise<Response | null>
  /**
   * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactors`,
   * whose page `confirm` asks again, or `session.track`.
   * @returns The session; or the response to return: a page is redirected (303) to the page that asks, other clients get
   *   403 with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
   * @throws AuthError when the configuration is invalid or has neither, or the store fails
   */
  requireFresh(options?: RequireFreshOptions): Promise<FreshSession | Response>
  /**
   * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
   * @throws AccessTokenUnavailable with the `reason`
   * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
   */
  getAccessToken(options: AccessTokenOptions): Promise<AccessToken>
  /**
   * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
   * `session.track`.
   * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
   */
  listSessions(): Promise<readonly SessionView[]>
  /**
   * Ends one session of the signed-in user.
   * @param id From `listSessions`.
   * @returns false when signed out, and for an id that is not one of the user's sessions
   * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
   */
  endSession(id: string): Promise<boolean>
  /**
   * Ends all sessions of the signed-in user but the current one.
   * @returns how many it ended; 0 when signed out
   * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
   */
  endOtherSessions(): Promise<number>
  /**
   * Ends all sessions of a user, such as when you disable an account. Asks for no sign-in: call it from code of your own.
   * @returns how many it ended
   */
  signOutEverywhere(userId: string, options?: SignOutEverywhereOptions): Promise<number>
}

/** The authentication of one Web request, for frameworks whose middleware sees the response. */
export interface WebAuth {
  readonly auth: UserAuth
  /** Answers a request to the service. Null for other requests, which belong to the app. */
  answer(): Promise<Response | null>
  /**
   * Adds the cookies of a renewed session and of actions to the app's response, which shared caches may then not store.
   * Leaves out cookies that the response sets itself.
   * @returns another response if the headers of this one are immutable
   */
  complete(response: Response): Response
  /** For frameworks that set headers one by one: see `RequestState`. */
  readonly takeCookies: RequestState["takeCookies"]
}

/** A request, and what its framework knows about it. */
export interface WebVisit {
  readonly request: Request
  /**
   * The page that the framework routes to, if the URL of the request is another: that of the page's data, or one without
   * the dot segments that the router sees.
   */
  readonly page?: Pick<URL, "pathname" | "search">
  /**
   * Whether a router in the browser requested the page. If so, `guard` and `requireFresh` redirect regardless of `Accept`.
   * Default: false.
   */
  readonly isNavigation?: boolean
  /** Sets cookies that have nothing to do with the session. Default: `complete` adds them. */
  readonly writer?: CookieWriter
}

type FindCaller = () => Promise<{ readonly caller: Caller; readonly settings: Settings }>

/**
 * Creates the authentication of a request.
 * @param findCaller Called by each read and action.
 */
export function createWebAuth(
  { request, page, isNavigation = false, writer: ownWriter }: WebVisit,
  findCaller: FindCaller,
): WebAuth {
  const state = createRequestState(findCaller)
  const { auth } = state
  const writer = ownWriter ?? state.writer

  function readTarget(): string {
    const { pathname, search } = page ?? new URL(request.url)
    return `${pathname}${search}`
  }

  async function guard(): Promise<Response | null> {
    const session = await auth.getSession()
    if (session?.user) return null
    const { caller, settings } = await findCaller()
    const accept = isNavigation ? "text/html" : request.headers.get("accept")
    const origin = () => findOrigin(caller, settings)
    const authorization = request.headers.get("authorization")
    const guarded = { method: request.method, accept, authorization, target: readTarget(), findOrigin: origin }
    const answer = decideGuard(guarded, settings)
    if (answer.kind === "pass") return null
    if (answer.kind === "refuse") {
      return Response.json({ message: refusalText }, { status: 401, headers: answer.headers })
    }
    return new Response(null, { status: 303, headers: { ...answer.headers, location: answer.url } })
  }

  async function findFresh(options: RequireFreshOptions = {}): Promise<FreshSession | Response> {
    const { caller, settings } = await findCaller()
    const headers = new Headers(caller.headers)
    if (isNavigation) headers.set("accept", "text/html")
    const { method } = request
    return requireFresh({ ...caller, headers, method }, settings, { ...options, target: readTarget() })
  }

  return {
    auth: createUserAuth(auth, { guard, requireFresh: findFresh }, findCaller, writer),
    async answer() {
      const { caller, settings } = await findCaller()
      if (!isServicePath(new URL(request.url).pathname, settings.basePath, settings.config)) return null
      return await answerRequest(request, caller, settings)
    },
    complete(response) {
      const lines = state.takeCookies(response.headers.getSetCookie())
      if (lines.length === 0 || response.status === 101) return response // An upgrade cannot be changed.
      // A copy: the headers of some responses, such as `Response.redirect`, are immutable.
      const changed = new Response(response.body, response)
      for (const line of lines) changed.headers.append("set-cookie", line)
      forbidSharedCaching(changed.headers)
      return changed
    },
    takeCookies: state.takeCookies,
  }
}

/** Adds the functions for the signed-in user, and forms as the options of actions. */
function createUserAuth(
  auth: RequestAuth,
  requirements: Pick<UserAuth, "guard" | "requireFresh">,
  findCaller: FindCaller,
  writer: CookieWriter,
): UserAuth {
  return {
    get session() {
      return auth.session
    },
    getSession: auth.getSession,
    updateSession: auth.updateSession,
    signIn: (options) => auth.signIn(isForm(options) ? readSignInForm(options) : options),
    signOut: (options) => auth.signOut(isForm(options) ? readSignOutForm(options) : options),
    ...requirements,
    async getAccessToken(options) {
      const { caller, settings } = await findCaller()
      return getAccessToken(caller, settings, options, writer)
    },
    async listSessions() {
      const { caller, settings } = await findCaller()
      return listSessions(caller, settings)
    },
    async endSession(id) {
      const { caller, settings } = await findCaller()
      return endSession(caller, settings, id)
    },
    async endOtherSessions() {
      const { caller, settings } = await findCaller()
      return endOtherSessions(caller, settings)
    },
    async signOutEverywhere(userId, options) {
      const { settings } = await findCaller()
      return signOutEverywhere(settings, userId, options)
    },
  }
}

/**
 * The `auth` of a page that is the same for all visitors: the session is null, and everything else throws.
 * @param reason What the page is, and what to change.
 */
export function createPublicAuth(reason: string): UserAuth {
  const refuse = async (): Promise<never> => {
    throw new AuthError(reason)
  }
  return {
    session: null,
    getSession: async () => null,
    ...{ signIn: refuse, signOut: refuse, updateSession: refuse, guard: refuse, getAccessToken: refuse },
    ...{ listSessions: refuse, endSession: refuse, endOtherSessions: refuse, signOutEverywhere: refuse },
    requireFresh: refuse,
  }
}

/** By its shape: some servers replace the global class. */
function isForm(options: object | undefined): options is FormData {
  return typeof options === "object" && "getAll" in options
}

/** The address of the client, where a framework throws if its server does not know it. */
export function findContextAddress(read: () => string | undefined): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
