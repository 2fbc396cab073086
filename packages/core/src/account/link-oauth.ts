import { randomUUID } from "../crypto/random.js"
import { OAuthAccountNotLinked } from "../errors/errors.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { Log } from "../log/log.js"
import type { AdapterUser } from "../types/adapter.js"
import type { Account } from "../types/user.js"
import { isAddressUnproven, isEmailDenied, isSameAddress, type OfferedWays, storeVerifiedEmail } from "./email-trust.js"
import type { OAuthProof, SignInResult } from "./proof.js"

interface Needs {
  readonly store: Store
  readonly events: Events
  readonly log: Log
  readonly ways: OfferedWays
}

interface Facts {
  readonly proof: OAuthProof
  readonly accountOwner: AdapterUser | null
  readonly signedIn: AdapterUser | null
}

/**
 * Finds out whose account an identity provider vouches for, and links or creates what is missing.
 * @throws OAuthAccountNotLinked when the account or its email address belongs to somebody else
 */
export async function resolveOAuthUser(facts: Facts, needs: Needs): Promise<SignInResult> {
  const { proof, accountOwner, signedIn } = facts
  const isUnclaimed = accountOwner === null && signedIn === null
  const emailOwner = isUnclaimed ? await findByEmail(proof, needs.store) : null
  const mayLinkByEmail = proof.isEmailTrusted && !isEmailDenied(proof)
  const decision = decideLinking({
    signedIn: signedIn?.id ?? null,
    accountOwner: accountOwner?.id ?? null,
    emailOwner: emailOwner?.id ?? null,
    isEmailTrusted: proof.isEmailTrusted,
    isEmailDenied: isEmailDenied(proof),
    isEmailOwnerUnproven: emailOwner !== null && mayLinkByEmail && (await isAddressUnproven(emailOwner, needs)),
  })
  if (decision.kind === "refuse") throw new OAuthAccountNotLinked(decision.reason, { provider: proof.account.provider })
  if (decision.kind === "create") return createLinked(proof, needs)
  const user = [signedIn, accountOwner, emailOwner].find((candidate) => candidate?.id === decision.userId)
  if (!user) throw new OAuthAccountNotLinked("The account's user is gone", { provider: proof.account.provider })
  const isAdded = decision.kind === "link"
  if (isAdded) await linkKnown(user, proof, needs)
  await storeVerifiedEmail(user, proof, needs.store)
  return {
    user,
    isNewUser: false,
    isSignedInAlready: signedIn !== null,
    ...(isAdded && { isAccountAdded: true }),
  }
}

async function findByEmail({ user }: OAuthProof, store: Store): Promise<AdapterUser | null> {
  if (!user.email) return null
  const found = await store.getUserByEmail(user.email)
  return found && isSameAddress(found.email, user.email) ? found : null
}

/** From here on nobody gets more of the tokens than what is stored. */
async function link(user: AdapterUser, proof: OAuthProof, { store, events }: Needs): Promise<void> {
  const account = toStoredAccount(proof)
  await store.linkAccount({ ...account, userId: user.id })
  await events.send("linkAccount", { user, account, profile: proof.user })
}

function toStoredAccount({ account, selectTokens }: OAuthProof): Account {
  const { provider, providerAccountId, type } = account
  return { ...selectTokens(), provider, providerAccountId, type }
}

/** @throws OAuthAccountNotLinked when another request linked the account to somebody else in the meantime */
async function linkKnown(user: AdapterUser, proof: OAuthProof, needs: Needs): Promise<void> {
  try {
    await link(user, proof, needs)
  } catch (error) {
    const owner = await findOwner(proof, needs)
    if (owner === null) throw error
    if (owner.id === user.id) return
    const { provider } = proof.account
    throw new OAuthAccountNotLinked("The account was linked to another user a moment ago", { provider })
  }
}

async function findOwner({ account }: OAuthProof, { store }: Needs): Promise<AdapterUser | null> {
  const { provider, providerAccountId } = account
  return (await store.getUserByAccount({ provider, providerAccountId })) ?? null
}

async function createLinked(proof: OAuthProof, needs: Needs): Promise<SignInResult> {
  try {
    const user = await createUser(proof, needs)
    await storeVerifiedEmail(user, proof, needs.store)
    return { user, isNewUser: true, isSignedInAlready: false }
  } catch (error) {
    // When another request signed in with the same account in the meantime, that one's user is who this is.
    const owner = await findOwner(proof, needs)
    if (owner === null) throw error
    return { user: owner, isNewUser: false, isSignedInAlready: false }
  }
}

async function createUser(proof: OAuthProof, needs: Needs): Promise<AdapterUser> {
  const { store, events } = needs
  const { id = randomUUID(), email } = proof.user
  // Providers without addresses exist, though the adapter's type wants one; stores decide whether they take such users.
  const user = await store.createUser({ ...proof.user, id, email: email as string, emailVerified: null })
  await events.send("createUser", { user })
  try {
    await link(user, proof, needs)
  } catch (error) {
    // Without an account the user just created would lock the owner of its address out.
    if (store.has("deleteUser")) await store.deleteUser(user.id)
    throw error
  }
  return user
}

/** What is known when somebody proves an account at an identity provider. Users are named by their ids. */
export interface LinkingFacts {
  /** The user of the browser's live session. */
  readonly signedIn: string | null
  /** The user to whom the account is linked. */
  readonly accountOwner: string | null
  /** The user with the same email address. */
  readonly emailOwner: string | null
  /** Nobody has proved that the address is that user's. */
  readonly isEmailOwnerUnproven: boolean
  /** The host decided that this provider's addresses prove whose account it is. */
  readonly isEmailTrusted: boolean
  /** The provider itself says that the address was not verified. */
  readonly isEmailDenied: boolean
}

type LinkingDecision =
  | { readonly kind: "continue"; readonly userId: string }
  | { readonly kind: "link"; readonly userId: string }
  | { readonly kind: "create" }
  | { readonly kind: "refuse"; readonly reason: string }

/** Whose account it becomes. Pure: every row of the contract's table is one line here. */
export function decideLinking(facts: LinkingFacts): LinkingDecision {
  const { signedIn, accountOwner, emailOwner } = facts
  if (signedIn !== null) {
    if (accountOwner === null) return { kind: "link", userId: signedIn }
    if (accountOwner === signedIn) return { kind: "continue", userId: signedIn }
    return { kind: "refuse", reason: "The account is linked to another user than the one who is signed in" }
  }
  if (accountOwner !== null) return { kind: "continue", userId: accountOwner }
  if (emailOwner === null) return { kind: "create" }
  if (!facts.isEmailTrusted) {
    return { kind: "refuse", reason: "Another account has the same email address, and the provider may not link by it" }
  }
  if (facts.isEmailDenied) {
    return { kind: "refuse", reason: "Another account has the same email address, which the provider did not verify" }
  }
  if (facts.isEmailOwnerUnproven) {
    return { kind: "refuse", reason: "Another account has the same email address, which nobody proved to be its own" }
  }
  return { kind: "link", userId: emailOwner }
}
