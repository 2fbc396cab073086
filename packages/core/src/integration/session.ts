import type { AppSession } from "@latchkey/types"
import { serve, write } from "../auth.js"
import { AuthError } from "../errors/auth-error.js"
import { SessionTokenError } from "../errors/errors.js"
import { type Reply, toAnswer } from "../http/response.js"
import { getService } from "../service.js"
import type { Answer, ResponseCookie } from "../types/http.js"
import { type Caller, findOrigin, type Settings } from "./config.js"

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
export async function readSession(caller: Caller, settings: Settings): Promise<SessionAnswer> {
  const origin = findOrigin(caller, settings)
  const service = getService(settings.config)
  const { trackSessions, bearer } = service.slots
  // A session from before `session.track` gets a record, which shows its device. A native app sends no cookie.
  const headers = trackSessions || bearer ? caller.headers : { cookie: caller.headers.get("cookie") ?? "" }
  const request = new Request(`${origin}${settings.basePath}/session`, { headers })
  const { context } = caller
  const reply = await serve({ request, context }, service, { isRaw: false })
  return toSessionAnswer(write(reply, toWritten, service, { headers: request.headers, context }), settings)
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
  settings: Settings,
): SessionAnswer {
  if (isUnknown) throw new SessionTokenError("The session could not be read: the store failed. The log has the cause")
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
function toSession(body: unknown): AppSession | null {
  if (typeof body !== "object" || body === null || Object.keys(body).length === 0) return null
  return body as AppSession // Returned by the host's `session` callback.
}

/** A cookie that no browser has. Clearing it shows whether a response can set cookies. */
export const unsetCookie: ResponseCookie = { name: "authjs.unset", value: "", options: { path: "/", maxAge: 0 } }
