import type { Session } from "@latchkey/types"
import { serve, write } from "../auth.js"
import { AuthError } from "../errors/auth-error.js"
import type { TokenKeeper } from "../features/access-tokens/keep-tokens.js"
import type { AccessToken, AccessTokenOptions, CookieWriter } from "../features/access-tokens/place.js"
import type { SessionFunctions } from "../features/tracked-sessions/manage.js"
import { type Reply, toAnswer } from "../http/response.js"
import { getProofReader, getTokenKeeper, getTracking } from "../open-service.js"
import type { FreshnessFeature, FreshSession, RequireFreshOptions } from "../require-fresh.js"
import { getService } from "../service.js"
import type { SessionView } from "../session/own-sessions.js"
import type { Answer, ResponseCookie } from "../types/http.js"
import { type Caller, findOrigin, type Settings } from "./config.js"

/** The current session, and the cookies that the host's response has to set. */
export interface SessionAnswer {
  /** Null when signed out. */
  readonly session: Session | null
  /** A renewed session cookie, or one that clears an invalid session. Optional for responses that cannot set cookies. */
  readonly cookies: readonly ResponseCookie[]
}

const signedOut: SessionAnswer = { session: null, cookies: [] }

/**
 * Reads the current session.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out; the log has the
 *   cause
 */
export async function readSession(caller: Caller, settings: Settings): Promise<SessionAnswer> {
  const origin = findOrigin(caller, settings)
  const { session, nativeApps } = settings.config
  // A session from before `session.track` gets a record, which shows its device. A native app sends no cookie.
  const headers = session?.track || nativeApps ? caller.headers : { cookie: caller.headers.get("cookie") ?? "" }
  const request = new Request(`${origin}${settings.basePath}/session`, { headers })
  const { context } = caller
  const service = getService(settings.config)
  const reply = await serve({ request, context }, service, { isRaw: false })
  return toSessionAnswer(write(reply, toWritten, service, { headers: request.headers, context }), settings)
}

/** Like {@link readSession}, for public pages: signed out if the session cannot be read. */
export async function findSession(caller: Caller, settings: Settings): Promise<SessionAnswer> {
  try {
    return await readSession(caller, settings)
  } catch (error) {
    if (error instanceof AuthError) return signedOut
    throw error
  }
}

interface WrittenReply {
  readonly answer: Answer
  readonly cookies: readonly ResponseCookie[]
}

/** A reply with its body as text, and its cookies before serialization. */
export function toWritten(reply: Reply): WrittenReply {
  return { answer: toAnswer(reply), cookies: reply.cookies ?? [] }
}

/**
 * Parses the reply of the session endpoint.
 * @throws AuthError for a refusal, which is JSON as well
 */
export function toSessionAnswer(
  { answer: { status, body }, cookies }: WrittenReply,
  settings: Settings,
): SessionAnswer {
  if (status !== 200) throw toRefusal("The session could not be read", status, settings)
  return { session: toSession(JSON.parse(body ?? "null")), cookies }
}

/**
 * The error for a request that the service refused in process. During development it names an invalid configuration, for
 * the error pages of frameworks; in production some of these pages are public.
 */
export function toRefusal(failure: string, status: number, { config }: Settings): AuthError {
  const { mistake, isProduction } = getService(config)
  if (mistake && !isProduction) return new AuthError(`${failure}: ${mistake.message}`, mistake)
  return new AuthError(`${failure}: the service answered ${status}. The log has the cause`)
}

/** The session as browser clients receive it: dates are strings. */
function toSession(body: unknown): Session | null {
  if (typeof body !== "object" || body === null || Object.keys(body).length === 0) return null
  return body as Session // Returned by the host's `session` callback.
}

/**
 * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 */
export async function listSessions(caller: Caller, settings: Settings): Promise<readonly SessionView[]> {
  return getTracking<SessionFunctions>(settings.config).listSessions(toRequest(caller, settings), settings.config)
}

/**
 * Ends one session of the signed-in user, by its id in the list.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
 */
export async function endSession(caller: Caller, settings: Settings, id: string): Promise<boolean> {
  return getTracking<SessionFunctions>(settings.config).endSession(toRequest(caller, settings), settings.config, id)
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
 */
export async function endOtherSessions(caller: Caller, settings: Settings): Promise<number> {
  return getTracking<SessionFunctions>(settings.config).endOtherSessions(toRequest(caller, settings), settings.config)
}

/** Which session of a user goes on. */
export interface SignOutEverywhereOptions {
  /** The id of a session, as in the list. Default: none goes on. */
  readonly except?: string
}

/**
 * Ends all sessions of a user, such as when you disable an account.
 * @returns how many it ended
 */
export async function signOutEverywhere(
  settings: Settings,
  userId: string,
  options?: SignOutEverywhereOptions,
): Promise<number> {
  return getTracking<SessionFunctions>(settings.config).signOutEverywhere(settings.config, userId, options)
}

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
 * @param writer Sets cookies on the response to the caller, for tokens that are kept in cookies. Default: it cannot.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
 */
export async function getAccessToken(
  caller: Caller,
  settings: Settings,
  options: AccessTokenOptions,
  writer?: CookieWriter,
): Promise<AccessToken> {
  const keeper = getTokenKeeper<TokenKeeper>(settings.config)
  const request = { url: `${findOrigin(caller, settings)}/`, headers: caller.headers }
  return keeper.findAccessToken(request, settings.config, options, writer)
}

/** What `requireFresh` of an integration gets from the app. */
export interface FreshnessTarget {
  /** Path and query of the request, as the browser sent them. Default: unknown. */
  readonly target?: string | undefined
}

/**
 * Requires that the signed-in user proved a short time ago who they are.
 * @returns the session, or the response for the client; see `requireFresh` of `@latchkey/core/sessions`
 * @throws AuthError when the configuration is invalid or without `secondFactors` and `session.track`, or the store fails
 */
export async function requireFresh(
  caller: Caller,
  settings: Settings,
  { target = "/", ...options }: RequireFreshOptions & FreshnessTarget,
): Promise<FreshSession | Response> {
  const { config } = settings
  const feature = getProofReader<FreshnessFeature>(config)
  const { headers, method = "GET" } = caller
  const request = new Request(`${findOrigin(caller, settings)}${target}`, { headers, method })
  return feature.requireFresh(request, config, options)
}

/** A cookie that no browser has. Clearing it shows whether a response can set cookies. */
export const unsetCookie: ResponseCookie = { name: "authjs.unset", value: "", options: { path: "/", maxAge: 0 } }

/** The request at the app's public origin, which decides about the name of the session cookie. */
function toRequest(caller: Caller, settings: Settings): Request {
  return new Request(`${findOrigin(caller, settings)}${settings.basePath}/session`, { headers: caller.headers })
}
