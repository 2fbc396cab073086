import type { Session } from "@latchkey/core"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/access-tokens"
import {
  type Caller,
  createRequestState,
  forbidSharedCaching,
  getAccessToken as getTokenOf,
  type RequestState,
  requireFresh as requireFreshOf,
  type Settings,
  settingsOf,
} from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import type { Context, Env } from "hono"
import {
  findEnvironment,
  type HonoAuthConfig,
  type HonoAuthOptions,
  type HonoConfigSource,
  toCaller,
} from "./config.js"

/** The signed-in user. */
export interface AuthUser {
  readonly session: Session
  /** The user of the session. */
  readonly user: NonNullable<Session["user"]>
}

declare module "hono" {
  interface ContextVariableMap {
    /** Set by `verifyAuth`. */
    authUser: AuthUser
  }
}

/**
 * Returns the signed-in user with the current session, or null when signed out. Reads the session once for each request,
 * and renews its cookie.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export async function getAuthUser(c: Context): Promise<AuthUser | null> {
  const session = await getRequestState(c).auth.getSession()
  return session?.user ? { session, user: session.user } : null
}

/** Shared by the middlewares of one request. */
interface AuthState {
  readonly findConfig: () => Promise<HonoAuthConfig>
  readonly options: HonoAuthOptions
  /** Created when the host first reads the session or calls an action. */
  request: RequestState | undefined
}

const states = new WeakMap<Context, AuthState>()

/** Sets the configuration of a request. A function is called when the configuration is first needed. */
export function initState<E extends Env>(
  c: Context<E>,
  source: HonoConfigSource<E>,
  options: HonoAuthOptions = {},
): void {
  let config: Promise<HonoAuthConfig> | undefined
  const resolve = async () => (typeof source === "function" ? await source(c) : source)
  const findConfig = () => {
    config ??= resolve()
    return config
  }
  states.set(c, { findConfig, options, request: undefined })
}

/** @throws Error if no middleware has set the configuration of the request */
function getState(c: Context): AuthState {
  const state = states.get(c)
  if (state) return state
  throw new Error(
    "The request has no authentication configuration. Mount initAuthConfig(config), or HonoAuth(config), for all paths and before the code that uses it",
  )
}

/** The session and the actions of a request. */
export function getRequestState(c: Context): RequestState {
  const state = getState(c)
  state.request ??= createRequestState(async () => ({ caller: getCaller(c), settings: await findSettings(c) }))
  return state.request
}

/** @param mountPath Without a trailing slash. Empty: only the configuration and the environment set the base path. */
export async function findSettings(c: Context, mountPath = ""): Promise<Settings> {
  const config = await getState(c).findConfig()
  return settingsOf(config, { env: findEnvironment(c.env, config), mountPath })
}

/** The caller of a request, by the options of the app. */
export function getCaller(c: Context): Caller {
  return toCaller(c, getState(c).options)
}

/** Adds the pending cookies after the handler has run, because its own `Response` drops headers that were set before. */
export function sendCookies(c: Context): void {
  const { request } = getState(c)
  const lines = request?.takeCookies(c.res.headers.getSetCookie()) ?? []
  if (c.res.status === 101) return // The response to an upgrade cannot be changed.
  for (const line of lines) c.header("set-cookie", line, { append: true })
  if (lines.length > 0) forbidSharedCaching(c.res.headers)
}

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactors`,
 * whose page `confirm` asks again, or `session.track`.
 * @returns The session; or the response to return: a page is redirected (303) to the page that asks, other clients get 403
 *   with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
 * @throws AuthError when the configuration is invalid or has neither, or the store fails
 * @example
 * const session = await requireFresh(c, { maxAgeSeconds: 600, factors: 2 })
 * if (session instanceof Response) return session
 */
export async function requireFresh(c: Context, options: RequireFreshOptions = {}): Promise<FreshSession | Response> {
  const { pathname, search } = new URL(c.req.url)
  const target = `${pathname}${search}`
  return requireFreshOf({ ...getCaller(c), method: c.req.method }, await findSettings(c), { ...options, target })
}

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
 */
export async function getAccessToken(c: Context, options: AccessTokenOptions): Promise<AccessToken> {
  return getTokenOf(getCaller(c), await findSettings(c), options, getRequestState(c).writer)
}
