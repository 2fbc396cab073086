import type { AdapterUser } from "../contract/adapter.js"
import type { User } from "../contract/user.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { Log } from "../log/log.js"
import type { Proof } from "./proof.js"
import { recogniseByAccount } from "./recognise-by-account.js"
import { recogniseByEmail } from "./recognise-by-email.js"
import type { Recognised } from "./recognised.js"

/** Finds, links and creates the users whom proofs are about. */
export interface Accounts {
  /** The user whom the host's `signIn` callback is asked about: the stored one, where the account is known. */
  present(proof: Proof): Promise<Presented>
  /** Decides whose account it is and writes what follows from that. Called once the host allowed the sign-in. */
  recognise(presented: Presented, signedIn: AdapterUser | null): Promise<Recognised>
}

/** A proof, and whom it is about as far as the store knows. */
export interface Presented {
  readonly proof: Proof
  readonly user: User | AdapterUser
  /** The user to whom the account is linked; null when it is linked to nobody. */
  readonly accountOwner: AdapterUser | null
}

export interface AccountNeeds {
  /** Null without an adapter: then nobody is remembered. */
  readonly store: Store | null
  readonly events: Events
  readonly log: Log
}

export function createAccounts({ store, events, log }: AccountNeeds): Accounts {
  async function present(proof: Proof): Promise<Presented> {
    if (proof.kind !== "oauth" || !store?.has("getUserByAccount"))
      return { proof, user: proof.user, accountOwner: null }
    const { provider, providerAccountId } = proof.account
    // Some adapters answer undefined for nobody.
    const accountOwner = (await store.getUserByAccount({ provider, providerAccountId })) ?? null
    return { proof, user: accountOwner ?? proof.user, accountOwner }
  }

  async function recognise({ proof, accountOwner }: Presented, signedIn: AdapterUser | null): Promise<Recognised> {
    if (proof.kind === "credentials") return { user: proof.user, isNewUser: false, isSignedInAlready: false }
    if (!store) return { user: proof.user, isNewUser: undefined, isSignedInAlready: false }
    return proof.kind === "email"
      ? recogniseByEmail(proof, { store, events })
      : recogniseByAccount({ proof, accountOwner, signedIn }, { store, events, log })
  }

  return { present, recognise }
}
