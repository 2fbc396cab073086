import type { AppSession } from "@latchkey/types"
import { AuthError } from "../../errors/auth-error.js"
import { SessionTokenError, UnknownAction } from "../../errors/errors.js"
import { explainMistake, refuseRequest } from "../../features/failure.js"
import { parseAuthPath } from "../../http/request.js"
import { json, noStore, type Reply, toAnswer } from "../../http/response.js"
import type { Limits } from "../../rate-limit/limiter.js"
import { serve, write } from "../../serve.js"
import { createServices, type Parts, type Service } from "../../service.js"
import { showSession } from "../../session/session.js"
import type { AuthConfig } from "../../types/config.js"
import type { Answer, ResponseCookie } from "../../types/http.js"
import { type Caller, findOrigin, isBelow, type Settings } from "../config.js"

/** The current session, and the cookies that the host's response has to set. */
export interface SessionAnswer {
  /** Null when signed out. */
  readonly session: AppSession | null
  /** A renewed session cookie, or one that clears an invalid session. Optional for responses that cannot set cookies. */
  readonly cookies: readonly ResponseCookie[]
}

/**
 * Reads the current session.
 * @throws SessionTokenError when the store fails, and AuthError when the configuration is invalid or the host is not trusted,
 *   so that a failure never looks like being signed out; the log has the cause
 */
export async function readSessionOf(service: Service, caller: Caller, settings: Settings): Promise<SessionAnswer> {
  const origin = findOrigin(caller, settings)
  const { trackSessions, bearer } = service.slots
  // A session from before `session.track` gets a record, which shows its device. A native app sends no cookie.
  const headers = trackSessions || bearer ? caller.headers : { cookie: caller.headers.get("cookie") ?? "" }
  const request = new Request(`${origin}${settings.basePath}/session`, { headers })
  const { context } = caller
  const reply = await serve({ request, context }, service, { isRaw: false })
  return toSessionAnswer(write(reply, toWritten, service, { headers: request.headers, context }), service)
}

interface WrittenReply {
  readonly answer: Answer
  /** Whether the store failed, so that nobody knows whether there is a session. */
  readonly isUnknown: boolean
  readonly cookies: readonly ResponseCookie[]
}

/** A reply with its body as text, and its cookies before serialization. */
export function toWritten(reply: Reply): WrittenReply {
  const isUnknown = reply.headers?.["latchkey-session"] !== undefined
  return { answer: toAnswer(reply), cookies: reply.cookies ?? [], isUnknown }
}

/**
 * Parses the reply of the session endpoint.
 * @throws SessionTokenError if the store failed
 * @throws AuthError for a refusal, which is JSON as well
 */
export function toSessionAnswer(
  { answer: { status, body }, cookies, isUnknown }: WrittenReply,
  service: Pick<Service, "mistake" | "isProduction">,
): SessionAnswer {
  if (isUnknown) throw new SessionTokenError("The session could not be read: the store failed. The log has the cause")
  if (status !== 200) throw toRefusal("The session could not be read", status, service)
  return { session: toSession(JSON.parse(body ?? "null")), cookies }
}

/**
 * The error for a request that the service refused in process. During development it names an invalid configuration, for
 * the error pages of frameworks; in production some of these pages are public.
 */
export function toRefusal(
  failure: string,
  status: number,
  { mistake, isProduction }: Pick<Service, "mistake" | "isProduction">,
): AuthError {
  if (mistake && !isProduction) return new AuthError(`${failure}: ${mistake.message}`, mistake)
  return new AuthError(`${failure}: the service answered ${status}. The log has the cause`)
}

/** The session as browser clients receive it: dates are strings. */
function toSession(body: unknown): AppSession | null {
  if (typeof body !== "object" || body === null || Object.keys(body).length === 0) return null
  return body as AppSession // Returned by the host's `session` callback.
}

/** A cookie that no browser has. Clearing it shows whether a response can set cookies. */
export const unsetCookie: ResponseCookie = { name: "authjs.unset", value: "", options: { path: "/", maxAge: 0 } }

/**
 * Whether the service answers a path. Other paths below its base path belong to the host.
 * @param findService Finds the service with the features whose paths it answers too. Undefined: no features.
 */
export function isPathOf(path: string, basePath: string, findService: () => Service | undefined): boolean {
  if (!isBelow(path, basePath)) return false
  try {
    parseAuthPath(path, { basePath, featureRoutes: findService()?.featureRoutes })
    return true
  } catch {
    return false // Thrown for an unknown action.
  }
}

const failed: Reply = json(null, { status: 500, headers: noStore })

/** Refusals without a page: the caller reads the status, and the log has the cause. */
const refusals: Awaited<ReturnType<Parts["loadRefusals"]>> = {
  refuseAction: async () => failed,
  tooManyRequests: async () => failed,
  async refuseConfiguration(mistake, request, { log }) {
    log.error(explainMistake(mistake, request), request)
    return failed
  },
  async refuseUnread(error, { request: { headers }, context }, { log }) {
    log.error(error, { headers, context })
    return refuseRequest(error)
  },
}

async function refusePart(): Promise<never> {
  throw new TypeError("Only sessions are read here. Import from the package itself what signs users in")
}

/** A guard asks for sessions of other libraries alone, and does not know who sent the request: it counts nothing. */
const limits: Limits = {
  consume: refusePart,
  tryMove: async () => ({ succeed: async () => {} }),
  tryPassword: refusePart,
  tryToken: refusePart,
  tryUser: refusePart,
  allowMail: refusePart,
  allowNotice: refusePart,
}

/** Reads sessions, and imports nothing that answers other requests or shows a page. */
const parts: Parts = {
  getRoute({ route, method }) {
    if (route === "session" && method === "GET") return showSession
    throw new UnknownAction("Only sessions are read here")
  },
  createChecks: () => ({
    permission: { ask: refusePart },
    callbackUrls: { resolve: refusePart, check: refusePart },
    csrf: { issue: refusePart, clearLeftover: refusePart, assertVerified: refusePart },
  }),
  loadBodyReader: refusePart,
  loadHead: refusePart,
  loadRefusals: async () => refusals,
  // A browser with too many cookies keeps the session that it has, until the service itself can make room for another.
  loadFitReply: async () => ({
    fitReply: async (reply) => ({ ...reply, cookies: reply.cookies?.filter(({ value }) => value === "") ?? [] }),
  }),
  // Only a sign-in can be completed.
  loadCompleted: async () => ({ orCompleted: async (failure) => ({ failure }) }),
  loadPage: refusePart,
  loadStoredSessions: () => import("../../session/database.js"),
  loadLimits: async () => limits,
  loadSteps: refusePart,
}

const getReadingService = createServices(parts)

/** Like the `readSession` of all other packages, without the code of anything else. */
export function readSession(caller: Caller, settings: Settings): Promise<SessionAnswer> {
  return readSessionOf(getReadingService(settings.config), caller, settings)
}

/** Whether the service answers a path. Other paths below its base path belong to the host. */
export function isServicePath(path: string, basePath: string, config: AuthConfig): boolean {
  return isPathOf(path, basePath, () => getReadingService(config))
}
