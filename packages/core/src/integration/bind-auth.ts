import type { AppSession } from "@latchkey/types"
import { AuthError } from "../errors/auth-error.js"
import { SessionTokenError } from "../errors/errors.js"
import { getFunction } from "../open-service.js"
import type { Awaitable } from "../types/basics.js"
import { type Caller, findOrigin, type Settings } from "./config.js"
import { decideGuard, refusalText } from "./guard.js"
import { type CookieOptions, createRequestState, type FindCaller, type RequestState } from "./request-auth.js"
import type { UserAuth, UserSession } from "./user-auth.js"

/** A request, and how its framework answers. */
export interface AuthBinding<Refused> extends CookieOptions {
  readonly findCaller: FindCaller
  /** Returns path and query as the browser sent them. */
  readonly readTarget: () => string
  /**
   * Whether a router in the browser requested the page. If so, `requireAuth` and `requireFresh` redirect regardless of
   * `Accept`. Default: false.
   */
  readonly isNavigation?: boolean | undefined
  /** Reads the session, for frameworks that keep it themselves. Default: once for each binding. */
  readonly getSession?: (() => Promise<AppSession | null>) | undefined
  /**
   * Whether `requireAuth` and `requireFresh` throw SessionTokenError while the store fails, for frameworks that cannot send a
   * status. Default: false, they answer 503 by `refuse`.
   */
  readonly throwsFailures?: boolean | undefined
  /** Answers a request that was refused in the way of the framework: returns the response, sends it, or throws. */
  refuse(response: Response): Awaitable<Refused>
}

/** The `auth` of a request, and a guard for middleware. */
export interface GuardedAuth<Refused = Response> {
  readonly auth: UserAuth<Refused>
  /**
   * The response to a request without a session, or with one that cannot be read because the store fails (503). Null if the
   * request may pass, which includes one for the app's own sign-in page.
   * @throws AuthError when the configuration is invalid
   */
  guard(): Promise<Response | null>
  /** Whether the request was refused, by the guard or by `auth`. Shared caches may not store the answer to it. */
  hasRefused(): boolean
}

/** What a package needs besides, for the response. */
export interface BoundAuth<Refused>
  extends GuardedAuth<Refused>,
    Pick<RequestState, "takeCookies" | "takeResponseCookies" | "takeHeaders"> {}

/** Binds `auth` to a request. */
export function bindAuth<Refused>(binding: AuthBinding<Refused>): BoundAuth<Refused> {
  const { findCaller } = binding
  const { auth, writer, takeCookies, takeResponseCookies, takeHeaders } = createRequestState(findCaller, binding)
  const { getSession = auth.getSession } = binding
  const { guard, hasRefused, ...requirements } = bindGuards(binding, getSession)

  return {
    takeCookies,
    takeResponseCookies,
    takeHeaders,
    guard,
    hasRefused,
    auth: {
      get session() {
        return auth.session
      },
      getSession,
      signIn: auth.signIn,
      signOut: auth.signOut,
      updateSession: auth.updateSession,
      ...requirements,
      async getAccessToken(options) {
        const { caller, settings } = await findCaller()
        const findAccessToken = getFunction(settings.config, "findAccessToken")
        const request = { url: `${findOrigin(caller, settings)}/`, headers: caller.headers }
        return findAccessToken(request, settings.config, options, writer)
      },
      ...bindSessions(findCaller),
    },
  }
}

type Guards<Refused> = Pick<BoundAuth<Refused>, "guard" | "hasRefused"> &
  Pick<UserAuth<Refused>, "requireAuth" | "requireFresh">

function bindGuards<Refused>(
  binding: AuthBinding<Refused>,
  getSession: () => Promise<AppSession | null>,
): Guards<Refused> {
  const { readTarget } = binding
  let isRefused = false

  function refused<Answer extends Response | null>(answer: Answer): Answer {
    isRefused ||= answer !== null
    return answer
  }

  const refuse = (response: Response) => binding.refuse(refused(response))

  async function guard(): Promise<Response | null> {
    try {
      const session = await getSession()
      return session?.user ? null : refused(refuseGuarded(await findGuarded(binding), readTarget()))
    } catch (error) {
      if (error instanceof SessionTokenError) return refused(error.getResponse())
      throw error
    }
  }

  /** Answers 503 while the store fails, since an app that does not catch an error in a handler may end its process. */
  async function orUnavailable<Answer>(answer: () => Promise<Answer>): Promise<Answer | Refused> {
    try {
      return await answer()
    } catch (error) {
      if (binding.throwsFailures || !(error instanceof SessionTokenError)) throw error
      return refuse(error.getResponse())
    }
  }

  return {
    guard,
    hasRefused: () => isRefused,
    requireAuth: ({ callbackUrl } = {}) =>
      orUnavailable(async () => {
        const session = await getSession()
        if (hasUser(session)) return session
        const refusal = refuseGuarded(await findGuarded(binding), readTarget(), callbackUrl)
        if (refusal) return refuse(refusal)
        throw new AuthError("requireAuth was called for pages.signIn itself. Call it for other pages only")
      }),
    requireFresh: (options = {}) =>
      orUnavailable(async () => {
        const { caller, settings } = await findGuarded(binding)
        const requireFresh = getFunction(settings.config, "requireFresh")
        const request = toRequest(caller, settings, readTarget())
        const fresh = await requireFresh(request, settings.config, options)
        return fresh instanceof Response ? refuse(fresh) : fresh
      }),
  }
}

/** Whoever navigates gets redirects, although the framework asks for data. */
async function findGuarded({
  findCaller,
  isNavigation,
}: Pick<AuthBinding<unknown>, "findCaller" | "isNavigation">): Promise<{ caller: Caller; settings: Settings }> {
  const { caller, settings } = await findCaller()
  if (!isNavigation) return { caller, settings }
  const headers = new Headers(caller.headers)
  headers.set("accept", "text/html")
  return { caller: { ...caller, headers }, settings }
}

/** The functions come with `session.track`, so that apps without it do not bundle them. */
function bindSessions(
  findCaller: FindCaller,
): Pick<UserAuth, "listSessions" | "endSession" | "endOtherSessions" | "signOutEverywhere"> {
  async function open() {
    const { caller, settings } = await findCaller()
    const { config, basePath } = settings
    return { config, toOwnRequest: () => toRequest(caller, settings, `${basePath}/session`) }
  }
  return {
    async listSessions() {
      const { config, toOwnRequest } = await open()
      return getFunction(config, "listSessions")(toOwnRequest(), config)
    },
    async endSession(id) {
      const { config, toOwnRequest } = await open()
      return getFunction(config, "endSession")(toOwnRequest(), config, id)
    },
    async endOtherSessions() {
      const { config, toOwnRequest } = await open()
      return getFunction(config, "endOtherSessions")(toOwnRequest(), config)
    },
    async signOutEverywhere(userId, options) {
      const { config } = await open()
      return getFunction(config, "signOutEverywhere")(config, userId, options)
    },
  }
}

/** Whether someone is signed in. */
export function hasUser(session: AppSession | null): session is UserSession {
  return Boolean(session?.user)
}

/** The request at the app's public origin, which decides about the name of the session cookie. */
function toRequest(caller: Caller, settings: Settings, target: string): Request {
  const { headers, method = "GET" } = caller
  return new Request(`${findOrigin(caller, settings)}${target}`, { headers, method })
}

/** Null for a request to the app's own sign-in page. */
function refuseGuarded(
  { caller, settings }: { readonly caller: Caller; readonly settings: Settings },
  target: string,
  callbackUrl?: string,
): Response | null {
  const { headers, method = "GET" } = caller
  const sent = { accept: headers.get("accept"), authorization: headers.get("authorization") }
  const answer = decideGuard(
    { ...sent, method, target, callbackUrl, findOrigin: () => findOrigin(caller, settings) },
    settings,
  )
  if (answer.kind === "pass") return null
  if (answer.kind === "refuse") return Response.json({ message: refusalText }, { status: 401, headers: answer.headers })
  return new Response(null, { status: 303, headers: { ...answer.headers, location: answer.url } })
}

/**
 * Binds `auth` to a page that is the same for all visitors: the session is null, and everything else throws.
 * @param reason What the page is, and what to change.
 */
export function bindPublicAuth(reason: string): GuardedAuth<never> {
  const refuse = async (): Promise<never> => {
    throw new AuthError(reason)
  }
  const actions = { signIn: refuse, signOut: refuse, updateSession: refuse }
  const sessions = { listSessions: refuse, endSession: refuse, endOtherSessions: refuse, signOutEverywhere: refuse }
  const own = { requireAuth: refuse, requireFresh: refuse, getAccessToken: refuse }
  return {
    auth: { session: null, getSession: async () => null, ...actions, ...own, ...sessions },
    guard: refuse,
    hasRefused: () => false,
  }
}
