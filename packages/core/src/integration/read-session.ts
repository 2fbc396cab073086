import type { Session } from "@latchkey/types"
import { serve, write } from "../auth.js"
import { AuthError } from "../errors/auth-error.js"
import { type Reply, toAnswer } from "../http/response.js"
import { getService } from "../service.js"
import type { Answer, ResponseCookie } from "../types/http.js"

import { type Caller, findOrigin } from "./caller.js"
import type { Settings } from "./settings.js"

/** Whose session it is, and what the visitor's browser must be told. */
export interface SessionAnswer {
  /** Null when nobody is signed in. */
  readonly session: Session | null
  /** A renewed session cookie, or one that is cleared. An answer that cannot set cookies may leave them out. */
  readonly cookies: readonly ResponseCookie[]
}

const nobody: SessionAnswer = { session: null, cookies: [] }

/**
 * The session of a visitor.
 * @throws AuthError when the service cannot say, so that a failure never looks like a session, nor like a visitor. The
 *   log says why
 */
export async function readSession(caller: Caller, settings: Settings): Promise<SessionAnswer> {
  const origin = findOrigin(caller, settings)
  const headers = { cookie: caller.headers.get("cookie") ?? "" }
  const request = new Request(`${origin}${settings.basePath}/session`, { headers })
  const { context } = caller
  const service = getService(settings.config)
  const reply = await serve({ request, context }, service, { isRaw: false })
  return toSessionAnswer(write(reply, toWritten, service, { headers: request.headers, context }))
}

/** As {@link readSession}, for pages that are shown to everybody: nobody is signed in while the service cannot say. */
export async function findSession(caller: Caller, settings: Settings): Promise<SessionAnswer> {
  try {
    return await readSession(caller, settings)
  } catch (error) {
    if (error instanceof AuthError) return nobody
    throw error
  }
}

interface Written {
  readonly answer: Answer
  readonly cookies: readonly ResponseCookie[]
}

/** A reply as text, and its cookies as they are. */
export function toWritten(reply: Reply): Written {
  return { answer: toAnswer(reply), cookies: reply.cookies ?? [] }
}

/**
 * A refusal is JSON as well, and no session.
 * @throws AuthError
 */
export function toSessionAnswer({ answer: { status, body }, cookies }: Written): SessionAnswer {
  if (status !== 200) {
    throw new AuthError(`The session could not be read: the service answered ${status} and logged why`)
  }
  return { session: toSession(JSON.parse(body ?? "null")), cookies }
}

/** As every client gets it: a date is a text here too. */
function toSession(body: unknown): Session | null {
  if (typeof body !== "object" || body === null || Object.keys(body).length === 0) return null
  return body as Session // What the host's session callback returned.
}
