import type { User } from "@latchkey/types"
import type { Events } from "../host/events.js"
import type { Store } from "../host/store.js"
import type { Log } from "../log/log.js"
import { resolveEmailUser } from "../methods/email/steps.js"
import { resolveOAuthUser } from "../methods/oauth/steps.js"
import { resolvePasskeyUser } from "../methods/webauthn/steps.js"
import type { AdapterUser } from "../types/adapter.js"
import type { OfferedWays } from "./email-trust.js"
import type { Proof, SignInResult } from "./proof.js"

/** Finds, links and creates the users whom proofs are about. */
export interface Accounts {
  /** The user whom the host's `signIn` callback is asked about: the stored one, where the account is known. */
  present(proof: Proof): Promise<Presented>
  /**
   * Decides whose account it is and writes what follows from that. Called once the host allowed the sign-in.
   * @param events Those of the request.
   */
  recognise(presented: Presented, signedIn: AdapterUser | null, events: Events): Promise<SignInResult>
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
  ): Promise<SignInResult> {
    if (proof.kind === "credentials") return { user: proof.user, isNewUser: false, isSignedInAlready: false }
    if (!store) return { user: proof.user, isNewUser: undefined, isSignedInAlready: false }
    switch (proof.kind) {
      case "email":
        return resolveEmailUser({ proof, signedIn }, { store, events, ways })
      case "webauthn":
        return resolvePasskeyUser({ proof, signedIn }, { store, events })
      case "oauth":
        return resolveOAuthUser({ proof, accountOwner, signedIn }, { store, events, log, ways })
    }
  }

  return { present, recognise }
}
