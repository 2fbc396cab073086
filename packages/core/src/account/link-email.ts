import { AccountNotLinked } from "../errors/errors.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { AdapterUser } from "../types/adapter.js"
import { isHeldUnproven, isSameAddress, type UnprovenNeeds } from "./email-trust.js"
import type { EmailProof, SignInResult } from "./proof.js"

interface Needs extends UnprovenNeeds {
  readonly store: UnprovenNeeds["store"] & Pick<Store, "createUser" | "getUserByEmail" | "updateUser">
  readonly events: Events
}

interface Facts {
  readonly proof: EmailProof
  /** The user of the browser's live session. */
  readonly signedIn: AdapterUser | null
}

/**
 * The address is the account: it belongs to the user who has it, or to a new one.
 * @throws AccountNotLinked when somebody else may be that user, who never proved the address
 */
export async function resolveEmailUser({ proof, signedIn }: Facts, needs: Needs): Promise<SignInResult> {
  const known = proof.isKnown ? proof.user : null
  if (!known) return createOrFind(proof, needs)
  // Whoever is signed in as that user has the account and the mailbox.
  if (signedIn?.id !== known.id) await assertProven(known, proof, needs)
  return { user: await confirmAddress(known, needs), isNewUser: false, isSignedInAlready: false }
}

async function assertProven(user: AdapterUser, { account }: EmailProof, needs: Needs): Promise<void> {
  if (!(await isHeldUnproven(user, needs))) return
  const advice = "Its owner signs in the other way first, and follows a link in the same browser then"
  const reason = "The address is that of an account whose owner never proved it"
  throw new AccountNotLinked(`${reason}. ${advice}`, { provider: account.provider })
}

/** `emailVerified` keeps the date of the first success; the update tells the store and the host about this one. */
async function confirmAddress(known: AdapterUser, { store, events }: Needs): Promise<AdapterUser> {
  const user = await store.updateUser({ id: known.id, emailVerified: known.emailVerified ?? new Date() })
  await events.send("updateUser", { user })
  return user
}

/** Two links for one new address may be followed at the same moment: the store lets one of them create the user. */
async function createOrFind(proof: EmailProof, needs: Needs): Promise<SignInResult> {
  const { store, events } = needs
  try {
    const user = await store.createUser({ ...proof.user, emailVerified: new Date() })
    await events.send("createUser", { user })
    return { user, isNewUser: true, isSignedInAlready: false }
  } catch (error) {
    const winner = await store.getUserByEmail(proof.user.email)
    if (!winner || !isSameAddress(winner.email, proof.user.email)) throw error
    await assertProven(winner, proof, needs)
    return { user: await confirmAddress(winner, needs), isNewUser: false, isSignedInAlready: false }
  }
}
