import type { PasskeyProof } from "../../account/proof.js"
import type { RedeemedChallenge } from "../../checks/redeem-challenge.js"
import type { AdapterAuthenticator, AdapterUser } from "../../contract/adapter.js"
import type { User } from "../../contract/user.js"
import { InvalidCheck } from "../../errors/flow.js"
import { AccountNotLinked } from "../../errors/sign-in.js"
import { Refusal } from "../../web/refusal.js"
import type { Proven } from "../method.js"
import { type ReturnedCeremony, resumeCeremony } from "./ceremony.js"
import { isDecoy } from "./decoy-credentials.js"
import { readRegistration } from "./read-response.js"
import { verifyRegistration } from "./verify-registration.js"

/**
 * A device made a passkey. Whose it becomes was decided when it was asked for.
 * @throws InvalidCheck, WebAuthnVerificationError, AccountNotLinked
 */
export async function proveRegistration(returned: ReturnedCeremony): Promise<Proven> {
  const { visit, provider, needs } = returned
  const response = readRegistration(visit)
  const { redeemed, party, assertClient } = await resumeCeremony(returned, { ...response, action: "register" })
  try {
    assertClient()
    const signedIn = await needs.sessions.findUser(visit.cookies)
    const user = findOwner(redeemed, signedIn)
    const made = await verifyRegistration({ response, redeemed, party, provider }, await needs.library())
    if ((await needs.store.getAuthenticator(made.credentialID)) || (await isDecoy(response.id, needs.secrets))) {
      throw new AccountNotLinked("The credential is stored already", { provider: provider.id })
    }
    return { proof: toProof(made, user, provider.id), callbackUrl: undefined, cookies: redeemed.cookies }
  } catch (error) {
    throw new Refusal(error, redeemed.cookies)
  }
}

/** Whoever asked for the passkey gets it, or nobody does. */
function findOwner({ starter, registerData }: RedeemedChallenge, signedIn: AdapterUser | null): User {
  if (typeof registerData?.["id"] !== "string") throw new InvalidCheck("challenge: it says not for whom the passkey is")
  if (starter !== signedIn?.id) {
    throw new AccountNotLinked("The passkey was asked for by somebody else than who is signed in now")
  }
  // Sealed here, of the user that the host or the query named.
  return signedIn ?? (registerData as User)
}

function toProof(made: Omit<AdapterAuthenticator, "userId">, user: User, provider: string): PasskeyProof {
  const { providerAccountId } = made
  return { kind: "webauthn", user, account: { providerAccountId, provider, type: "webauthn" }, made }
}
