import type { Accounts, Presented } from "../account/accounts.js"
import type { Proof } from "../account/proof.js"
import type { CallbackUrls } from "../checks/callback-url.js"
import type { SignInParams } from "../contract/callbacks.js"
import type { Events } from "../host/events.js"
import type { Permission } from "../host/permission.js"
import type { Sessions, SignedIn } from "../session/sessions.js"
import { type Reply, redirect } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import { withQuery } from "../web/with-query.js"
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
 * @throws AccessDenied when the host refuses
 */
export async function completeSignIn(proven: Proven, visit: Visit, needs: SignInNeeds): Promise<Reply> {
  const { accounts, permission, sessions, events } = needs
  const presented = await accounts.present(proven.proof)
  const elsewhere = await permission.ask(toSignInParams(presented))
  if (elsewhere !== null) return redirect(await needs.callbackUrls.check(elsewhere, visit.url.origin))
  const signedIn = await recognise(presented, visit, needs)
  const target = await resolveTarget(proven, visit, needs)
  const session = await sessions.start(signedIn, visit.cookies)
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

async function recognise(presented: Presented, visit: Visit, { accounts, sessions }: SignInNeeds): Promise<SignedIn> {
  const { proof } = presented
  const current = proof.kind === "oauth" ? await sessions.findUser(visit.cookies) : null
  const recognised = await accounts.recognise(presented, current)
  return {
    ...recognised,
    account: proof.account,
    ...(proof.kind === "oauth" && { profile: proof.profile }),
  }
}

/** A flow that remembers its own target is not asked again; its target was checked when it began. */
async function resolveTarget(
  { callbackUrl }: Proven,
  visit: Visit,
  { callbackUrls }: SignInNeeds,
): ReturnType<CallbackUrls["resolve"]> {
  if (callbackUrl === undefined) return callbackUrls.resolve(visit)
  return { url: await callbackUrls.check(callbackUrl, visit.url.origin), cookies: [] }
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
      return { user, account }
    case "credentials":
      return { user, account, credentials: { ...proof.credentials } }
  }
}
