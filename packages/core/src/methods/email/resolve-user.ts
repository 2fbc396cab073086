import { type EmailTrustDeps, isHeldWithoutVerification, isSameAddress } from "../../account/email-trust.js"
import type { EmailProof, SignInRedirect } from "../../account/proof.js"
import { randomUUID } from "../../crypto/random.js"
import { AccountNotLinked } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import type { Permission } from "../../host/callbacks.js"
import type { Events } from "../../host/events.js"
import type { Store } from "../../host/store.js"
import type { AuthRequest } from "../../http/request.js"
import type { MailPurpose, MailTools, MailVisit } from "../../mail/mailed-secret.js"
import { hashToken } from "../../mail/secret.js"
import { isSameId } from "../../runtime/id.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { EmailConfig } from "../../types/providers.js"
import type { MethodDeps } from "../method.js"
import type { ResolvedUser } from "../steps.js"

/** The collaborators of the email steps. */
export interface EmailDeps extends MethodDeps {
  readonly store: Store
  readonly mail: MailTools
}

/** Sign-in by an email of a provider. Its tokens are those of the contract. */
export function toPurpose(provider: EmailConfig, { config }: EmailDeps): MailPurpose {
  const hash: MailPurpose["hash"] = ({ token }) => hashToken(token, provider, config)
  return { owner: provider, key: "sign-in", flows: provider.id, hash }
}

export function toMailVisit(request: AuthRequest, deps: EmailDeps): MailVisit {
  const { cookies, limits, mail, config } = deps
  return { request, context: { cookies, limits, secrets: config.secrets }, tools: mail }
}

/** The stored user with the address, or a new user who is stored when the link is followed. */
export async function findAddressOwner(identifier: string, provider: EmailConfig, store: Store): Promise<EmailProof> {
  const found = await store.getUserByEmail(identifier)
  const known = found && isSameAddress(found.email, identifier) ? found : null
  const user: AdapterUser = known ?? { id: randomUUID(), email: identifier, emailVerified: null }
  const account = { providerAccountId: identifier, userId: user.id, type: "email", provider: provider.id } as const
  return {
    candidate: user,
    user,
    account,
    achieved: ["email"],
    isKnown: known !== null,
    knownUserId: known?.id,
    // The first link that a known user follows verifies the address, which matters if someone else is signed in.
    dependsOnSession: known !== null && !known.emailVerified,
  }
}

interface EmailUserDeps extends EmailTrustDeps {
  readonly store: EmailTrustDeps["store"] & Pick<Store, "createUser" | "getUserByEmail" | "updateUser">
  readonly events: Events
  readonly permission: Permission
}

/**
 * Resolves the user with the address, or creates one.
 * @throws AccountNotLinked when someone who never verified the address may hold the user's account
 * @throws AccessDenied when the `signIn` callback refuses a user who was stored since it was asked
 */
export async function resolveEmailUser(
  proof: EmailProof,
  current: AdapterUser | null,
  deps: EmailUserDeps,
): Promise<ResolvedUser | SignInRedirect> {
  if (!proof.isKnown) return createOrFindUser(proof, deps)
  // The current user has both the account and the mailbox.
  const isOwn = isSameId(current?.id, proof.user.id)
  const user = isOwn ? await markVerified(proof.user, deps) : await shareVerified(proof.user, proof, deps)
  return { user, isNewUser: false, isSignedInAlready: false }
}

/** Of two concurrent links for a new address, the store lets one create the user. */
async function createOrFindUser(proof: EmailProof, deps: EmailUserDeps): Promise<ResolvedUser | SignInRedirect> {
  const { store, events, permission } = deps
  try {
    const user = await store.createUser({ ...proof.user, emailVerified: new Date() })
    await events.send("createUser", { user })
    return { user, isNewUser: true, isSignedInAlready: false }
  } catch (error) {
    const winner = await store.getUserByEmail(proof.user.email)
    if (!winner || !isSameAddress(winner.email, proof.user.email)) throw error
    // The `signIn` callback was asked about a new user: it may refuse this one, such as one that an admin stored as banned.
    const redirectUrl = await permission.ask({ user: winner, account: proof.account })
    if (redirectUrl !== null) return { redirectUrl }
    return { user: await shareVerified(winner, proof, deps), isNewUser: false, isSignedInAlready: false }
  }
}

/** Gives a stored user to the owner of the mailbox. */
async function shareVerified(user: AdapterUser, proof: EmailProof, deps: EmailUserDeps): Promise<AdapterUser> {
  const { store } = deps
  await assertSafeToShare(user, proof, deps)
  // Without transactions, the sign-up of another person may have stored this user, and be about to store their account.
  if (user.emailVerified || store.has("transaction")) return markVerified(user, deps)
  return markVerified(user, deps, async () => {
    try {
      await assertSafeToShare(user, proof, deps)
    } catch (error) {
      await store.updateUser({ id: user.id, emailVerified: null })
      throw error
    }
  })
}

/** Prevents pre-hijacking: an attacker who created the account with another person's address would keep access to it. */
async function assertSafeToShare(user: AdapterUser, { account }: EmailProof, deps: EmailUserDeps): Promise<void> {
  if (!(await isHeldWithoutVerification(user, deps))) return
  const reason = "The account with this address was created without verifying it"
  const advice = "Its owner has to sign in the other way first, and then follow a link in the same browser"
  const about = { provider: account.provider, ...because("address-unverified") }
  throw new AccountNotLinked(`${reason}. ${advice}`, about)
}

/**
 * Keeps the date of the first verification. The update tells the store and the host about this one.
 * @param vet Throws to refuse it after all.
 */
async function markVerified(
  known: AdapterUser,
  { store, events }: EmailUserDeps,
  vet?: () => Promise<void>,
): Promise<AdapterUser> {
  const user = await store.updateUser({ id: known.id, emailVerified: known.emailVerified ?? new Date() })
  await vet?.()
  await events.send("updateUser", { user })
  return user
}
