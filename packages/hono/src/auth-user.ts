import type { Session } from "@latchkey/core"
import { readSession } from "@latchkey/core/integration"
import type { Context } from "hono"
import { findCaller } from "./caller.js"
import { getState, keepRenewed } from "./request-state.js"

/** Who is signed in. */
export interface AuthUser {
  readonly session: Session
  /** Of the session. */
  readonly user: NonNullable<Session["user"]>
}

declare module "hono" {
  interface ContextVariableMap {
    /** Whom `verifyAuth` let through. */
    authUser: AuthUser
  }
}

/**
 * Who sent the request; null when nobody is signed in. The session is read once for a request, and its renewed cookie
 * goes out with the answer.
 * @throws AuthError when the service cannot say, so that a failure never looks like a session, nor like a visitor
 */
export async function getAuthUser(c: Context): Promise<AuthUser | null> {
  const state = getState(c)
  state.session ??= readVisitor(c)
  const { session } = await state.session
  return session?.user ? { session, user: session.user } : null
}

async function readVisitor(c: Context): ReturnType<typeof readSession> {
  const { caller, settings } = await findCaller(c)
  const answer = await readSession(caller, settings)
  keepRenewed(c, answer.cookies)
  return answer
}
