import type { Accounts, Presented } from "../account/accounts.js"
import type { Proof } from "../account/proof.js"
import type { CallbackUrls } from "../checks/callback-url.js"
import type { Permission } from "../host/callbacks.js"
import type { Events } from "../host/events.js"
import type { AuthRequest } from "../http/request.js"
import { Refusal, type Reply, redirect, withQuery } from "../http/response.js"
import type { Sessions, SignedIn } from "../session/session.js"
import type { SignInParams } from "../types/callbacks.js"
import type { Proven } from "./method.js"

export interface SignInNeeds {
  readonly accounts: Accounts
  readonly permission: Permission
  readonly sessions: Sessions
  readonly events: Events
  readonly callbackUrls: CallbackUrls
  /** The host's page for new users. */
  readonly newUserPage: string | undefined
}

/**
 * The finish of every sign-in: whether the host allows it, who it is, the session, the news, and onwards.
 * @throws Refusal, of AccessDenied when the host refuses
 */
export async function completeSignIn(proven: Proven, request: AuthRequest, needs: SignInNeeds): Promise<Reply> {
  const presented = await needs.accounts.present(proven.proof)
  try {
    return await admit(presented, proven, request, { ...needs, events: needs.events.of(request) })
  } catch (error) {
    throw new Refusal(error, [], findUserId(presented))
  }
}

/** Whoever the store knows already; credentials are the host's word. */
function findUserId({ proof, user, accountOwner }: Presented): string | undefined {
  if (proof.kind === "oauth") return accountOwner?.id
  const isKnown = proof.kind === "email" ? proof.isKnown : proof.kind === "credentials" || proof.made === null
  return isKnown ? user.id : undefined
}

async function admit(presented: Presented, proven: Proven, request: AuthRequest, needs: SignInNeeds): Promise<Reply> {
  const { permission, sessions, events } = needs
  const elsewhere = await permission.ask(toSignInParams(presented))
  if (elsewhere !== null) return redirect(await needs.callbackUrls.check(elsewhere, request.url.origin, request))
  const signedIn = await recognise(presented, request, needs)
  const target = await resolveTarget(proven, request, needs)
  const session = await sessions.start(signedIn, request.cookies)
  const { user, account, profile, isNewUser } = signedIn
  await events.send("signIn", {
    user,
    account,
    ...(profile && { profile }),
    // Credentials never make a user, so that the contract leaves it out there.
    ...(isNewUser !== undefined && account.type !== "credentials" && { isNewUser }),
  })
  return redirect(welcome(target.url, signedIn, needs), { cookies: [...target.cookies, ...session] })
}

async function recognise(
  presented: Presented,
  request: AuthRequest,
  { accounts, sessions, events }: SignInNeeds,
): Promise<SignedIn> {
  const { proof } = presented
  const current = dependsOnSession(proof) ? await sessions.findUser(request.cookies) : null
  const recognised = await accounts.recognise(presented, current, events)
  return {
    ...recognised,
    account: proof.account,
    ...(proof.kind === "oauth" && { profile: proof.profile }),
  }
}

/**
 * Whether it matters who is signed in: where accounts are linked, and where an address is proved for the first time.
 */
function dependsOnSession(proof: Proof): boolean {
  if (proof.kind === "email") return proof.isKnown && !proof.user.emailVerified
  return proof.kind !== "credentials"
}

/** A flow that remembers its own target is not asked again; its target was checked when it began. */
async function resolveTarget(
  { callbackUrl }: Proven,
  request: AuthRequest,
  { callbackUrls }: SignInNeeds,
): ReturnType<CallbackUrls["resolve"]> {
  if (callbackUrl === undefined) return callbackUrls.resolve(request)
  return { url: await callbackUrls.check(callbackUrl, request.url.origin, request), cookies: [] }
}

/** Only a store can tell that a user is new; credentials never make one. */
function welcome(callbackUrl: string, { isNewUser }: SignedIn, { newUserPage }: SignInNeeds): string {
  return isNewUser && newUserPage ? withQuery(newUserPage, { callbackUrl }) : callbackUrl
}

function toSignInParams({ proof, user }: { readonly proof: Proof; readonly user: SignInParams["user"] }): SignInParams {
  const { account } = proof
  switch (proof.kind) {
    case "oauth":
      return { user, account, profile: proof.profile }
    case "email":
    case "webauthn":
      return { user, account }
    case "credentials":
      return { user, account, credentials: { ...proof.credentials } }
  }
}
