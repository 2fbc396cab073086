import type { CallbackUrls, ResolvedCallbackUrl } from "../checks/callback-url.js"
import type { Permission } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { AuthRequest } from "../http/request.js"
import { Refusal, type Reply, redirect, withQuery } from "../http/response.js"
import type { Sessions } from "../session/session.js"
import type { Proven, SignInSteps } from "./method.js"

/** The collaborators of `completeSignIn`. */
export interface CompletionDeps {
  readonly permission: Permission
  readonly sessions: Sessions
  readonly events: Events
  readonly callbackUrls: CallbackUrls
  /** The host's page for new users. */
  readonly newUserPage: string | undefined
}

/**
 * Completes every sign-in: asks the host's `signIn` callback, resolves the user, starts the session, sends the events
 * and redirects.
 * @throws Refusal with the id of the refused user, if it is known; its error is AccessDenied if the host refused
 */
export async function completeSignIn(
  proven: Proven,
  steps: Pick<SignInSteps, "resolveUser">,
  request: AuthRequest,
  deps: CompletionDeps,
): Promise<Reply> {
  try {
    return await complete(proven, steps, request, deps)
  } catch (error) {
    throw new Refusal(error, [], proven.proof.knownUserId)
  }
}

async function complete(
  { proof, callbackUrl }: Proven,
  { resolveUser }: Pick<SignInSteps, "resolveUser">,
  request: AuthRequest,
  deps: CompletionDeps,
): Promise<Reply> {
  const { permission, sessions, callbackUrls, newUserPage } = deps
  const events = deps.events.of(request)
  const { candidate, account, profile, credentials } = proof
  const redirectUrl = await permission.ask({
    user: candidate,
    account,
    ...(profile && { profile }),
    ...(credentials && { credentials: { ...credentials } }),
  })
  const redirectTo = async (url: string) => redirect(await callbackUrls.check(url, request.url.origin, request))
  if (redirectUrl !== null) return redirectTo(redirectUrl)

  const current = proof.dependsOnSession ? await sessions.findUser(request.cookies) : null
  const resolved = await resolveUser(proof, current, events)
  if ("redirectUrl" in resolved) return redirectTo(resolved.redirectUrl)
  const target = await resolveTarget(callbackUrl, request, callbackUrls)
  const signedIn = { ...resolved, account, ...(profile && { profile }) }
  const sessionCookies = await sessions.start(signedIn, request.cookies)
  const { user, isNewUser } = resolved
  await events.send("signIn", {
    user,
    account,
    ...(profile && { profile }),
    // The contract omits it for credentials, which never create a user.
    ...(isNewUser !== undefined && !credentials && { isNewUser }),
  })
  const url = isNewUser && newUserPage ? withQuery(newUserPage, { callbackUrl: target.url }) : target.url
  return redirect(url, { cookies: [...target.cookies, ...sessionCookies] })
}

/** Where to redirect. A callback URL that the flow kept is checked again, since the redirect policy may have changed. */
async function resolveTarget(
  callbackUrl: string | undefined,
  request: AuthRequest,
  callbackUrls: CallbackUrls,
): Promise<ResolvedCallbackUrl> {
  if (callbackUrl === undefined) return callbackUrls.resolve(request)
  return { url: await callbackUrls.check(callbackUrl, request.url.origin, request), cookies: [] }
}
