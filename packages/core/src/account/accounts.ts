import type { AdapterUser } from "../contract/adapter.js"
import type { User } from "../contract/user.js"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { Log } from "../log/log.js"
import type { Proof } from "./proof.js"
import { recogniseByAccount } from "./recognise-by-account.js"
import { recogniseByEmail } from "./recognise-by-email.js"
import { recogniseByPasskey } from "./recognise-by-passkey.js"
import type { Recognised } from "./recognised.js"
import type { OfferedWays } from "./unproven-address.js"

/** Finds, links and creates the users whom proofs are about. */
export interface Accounts {
  /** The user whom the host's `signIn` callback is asked about: the stored one, where the account is known. */
  present(proof: Proof): Promise<Presented>
  /**
   * Decides whose account it is and writes what follows from that. Called once the host allowed the sign-in.
   * @param events Those of the request.
   */
  recognise(presented: Presented, signedIn: AdapterUser | null, events: Events): Promise<Recognised>
}

/** A proof, and whom it is about as far as the store knows. */
export interface Presented {
  readonly proof: Proof
  readonly user: User | AdapterUser
  /** The user to whom the account is linked; null when it is linked to nobody. */
  readonly accountOwner: AdapterUser | null
}

export interface AccountNeeds extends Partial<OfferedWays> {
  /** Null without an adapter: then nobody is remembered. */
  readonly store: Store | null
  readonly log: Log
}

export function createAccounts({ store, log, ...offered }: AccountNeeds): Accounts {
  const ways = { isPasskeyOffered: false, isPasswordOffered: false, ...offered }

  async function present(proof: Proof): Promise<Presented> {
    if (proof.kind !== "oauth" || !store?.has("getUserByAccount"))
      return { proof, user: proof.user, accountOwner: null }
    const { provider, providerAccountId } = proof.account
    // Some adapters answer undefined for nobody.
    const accountOwner = (await store.getUserByAccount({ provider, providerAccountId })) ?? null
    return { proof, user: accountOwner ?? proof.user, accountOwner }
  }

  async function recognise(
    { proof, accountOwner }: Presented,
    signedIn: AdapterUser | null,
    events: Events,
  ): Promise<Recognised> {
    if (proof.kind === "credentials") return { user: proof.user, isNewUser: false, isSignedInAlready: false }
    if (!store) return { user: proof.user, isNewUser: undefined, isSignedInAlready: false }
    switch (proof.kind) {
      case "email":
        return recogniseByEmail({ proof, signedIn }, { store, events, ways })
      case "webauthn":
        return recogniseByPasskey({ proof, signedIn }, { store, events })
      case "oauth":
        return recogniseByAccount({ proof, accountOwner, signedIn }, { store, events, log, ways })
    }
  }

  return { present, recognise }
}
