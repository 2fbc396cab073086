import { isPage } from "../http/accept.js"
import type { AuthRequest } from "../http/request.js"
import { type Reply, redirect, withQuery } from "../http/response.js"
import { toIdText } from "../runtime/id.js"
import { ownSessions, type SessionView } from "../session/own-sessions.js"
import type { SessionRequest } from "../session/session.js"
import type { AdapterUser } from "../types/adapter.js"
import type { ActionContext } from "./feature.js"
import { signedOut } from "./route.js"

/** A request by a user who is signed in. */
export interface SignedInVisit<Request extends SessionRequest = AuthRequest> {
  readonly request: Request
  readonly context: ActionContext
  /** As stored. */
  readonly user: AdapterUser
  readonly userId: string
  /** The user's live sessions, the current one first. Null without `session.track`. */
  readonly sessions: readonly SessionView[] | null
}

/** Null for a visitor without a session. Also null if the session has ended, even within `checkEvery`. */
export async function openVisit<Request extends SessionRequest>(
  request: Request,
  context: ActionContext,
): Promise<SignedInVisit<Request> | null> {
  const user = await context.sessions.findUser(request.cookies)
  const userId = toIdText(user?.id)
  if (!user || userId === "") return null
  if (!context.sessions.identify) return { request, context, user, userId, sessions: null }
  const sessions = await ownSessions(context).list(request)
  return sessions && { request, context, user, userId, sessions }
}

/**
 * Answers a visitor who is signed out: with the sign-in page, or with 401.
 * @param callbackUrl Where the sign-in returns to. Undefined: where its page does by default.
 */
export function askToSignIn(
  request: AuthRequest,
  { pages, actionUrl }: Pick<ActionContext, "pages" | "actionUrl">,
  callbackUrl: string | undefined,
): Reply {
  if (!isPage(request)) return signedOut
  const page = pages.signIn ?? actionUrl(request, "signin")
  return redirect(withQuery(page, { callbackUrl, error: "SessionRequired" }))
}
