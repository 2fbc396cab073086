import type { AdapterUser } from "../contract/adapter.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { EmailProof } from "./proof.js"
import type { Recognised } from "./recognised.js"
import { isSameAddress } from "./same-address.js"

interface Needs {
  readonly store: Pick<Store, "createUser" | "getUserByEmail" | "updateUser">
  readonly events: Events
}

/** The address is the account: it belongs to the user who has it, or to a new one. */
export async function recogniseByEmail(proof: EmailProof, needs: Needs): Promise<Recognised> {
  const known = proof.isKnown ? proof.user : null
  if (known) return { user: await confirmAddress(known, needs), isNewUser: false, isSignedInAlready: false }
  return createOrFind(proof, needs)
}

/** `emailVerified` keeps the date of the first success; the update tells the store and the host about this one. */
async function confirmAddress(known: AdapterUser, { store, events }: Needs): Promise<AdapterUser> {
  const user = await store.updateUser({ id: known.id, emailVerified: known.emailVerified ?? new Date() })
  await events.send("updateUser", { user })
  return user
}

/** Two links for one new address may be followed at the same moment: the store lets one of them create the user. */
async function createOrFind(proof: EmailProof, needs: Needs): Promise<Recognised> {
  const { store, events } = needs
  try {
    const user = await store.createUser({ ...proof.user, emailVerified: new Date() })
    await events.send("createUser", { user })
    return { user, isNewUser: true, isSignedInAlready: false }
  } catch (error) {
    const winner = await store.getUserByEmail(proof.user.email)
    if (!winner || !isSameAddress(winner.email, proof.user.email)) throw error
    return { user: await confirmAddress(winner, needs), isNewUser: false, isSignedInAlready: false }
  }
}
