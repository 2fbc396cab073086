import type { Account } from "../contract/account.js"
import type { AdapterUser } from "../contract/adapter.js"
import { randomUUID } from "../crypto/random.js"
import { OAuthAccountNotLinked } from "../errors/sign-in.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { Log } from "../log/log.js"
import { decideLinking } from "./linking.js"
import type { OAuthProof } from "./proof.js"
import type { Recognised } from "./recognised.js"
import { isSameAddress } from "./same-address.js"
import { isAddressUnproven, type OfferedWays } from "./unproven-address.js"
import { isEmailDenied, keepVerifiedEmail } from "./vouched-email.js"

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
export async function recogniseByAccount(facts: Facts, needs: Needs): Promise<Recognised> {
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
  await keepVerifiedEmail(user, proof, needs.store)
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

async function createLinked(proof: OAuthProof, needs: Needs): Promise<Recognised> {
  try {
    const user = await createUser(proof, needs)
    await keepVerifiedEmail(user, proof, needs.store)
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
