import type { User } from "@latchkey/types"
import { isSameAddress } from "../../account/email-trust.js"
import type { PasskeyProof, SignInResult } from "../../account/proof.js"
import { isAction } from "../../checks/challenge.js"
import { randomUUID } from "../../crypto/random.js"
import { AuthError } from "../../errors/auth-error.js"
import { AccountNotLinked } from "../../errors/errors.js"
import type { Events } from "../../host/events.js"
import type { Store } from "../../host/store.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { redirect } from "../../http/response.js"
import type { AdapterAuthenticator, AdapterUser } from "../../types/adapter.js"
import type { WebAuthnConfig } from "../../types/providers.js"
import type { Proven, SignInMethod } from "../method.js"
import { proveAuthentication } from "./authenticate.js"
import type { WebAuthnNeeds } from "./ceremony.js"
import { offerOptions } from "./options.js"
import { proveRegistration } from "./register.js"

/** Signs people in with a passkey or security key, WebAuthn level 3. */
export function webauthnMethod(needs: WebAuthnNeeds): SignInMethod<WebAuthnConfig> {
  return {
    callbackMethod: () => "POST",
    isCallbackOurForm: true,
    /** The form stands on the sign-in page, where a script completes it; there is nothing else to begin. */
    begin: async (request) => redirect(needs.signInPage(request)),
    offerOptions: (request, provider) => offerOptions(request, provider, needs),
    prove: (request, provider) => prove(request, provider, needs),
  }
}

/** @throws AuthError when the form does not say whether a passkey was made or used */
async function prove(request: AuthRequest, provider: WebAuthnConfig, needs: WebAuthnNeeds): Promise<Proven> {
  const action = findField(request, "action")
  if (!isAction(action)) throw new AuthError("action: must be register or authenticate", { provider: provider.id })
  const returned = { request, provider, needs }
  return action === "register" ? proveRegistration(returned) : proveAuthentication(returned)
}

interface PasskeyDeps {
  readonly store: Store
  readonly events: Events
}

interface PasskeyFacts {
  readonly proof: PasskeyProof
  readonly signedIn: AdapterUser | null
}

/**
 * A passkey signs its owner in. A new one goes to whoever is signed in, or makes a new user: nobody else gets one,
 * whatever address they name.
 * @throws AccountNotLinked when it belongs, or would belong, to somebody else
 */
export async function resolvePasskeyUser({ proof, signedIn }: PasskeyFacts, needs: PasskeyDeps): Promise<SignInResult> {
  const { user, made, account } = proof
  if (signedIn && signedIn.id !== user.id) {
    throw new AccountNotLinked("Another user is signed in", { provider: account.provider })
  }
  if (!made) return { user, isNewUser: false, isSignedInAlready: signedIn !== null }
  if (!signedIn) return { user: await createUser(proof, made, needs), isNewUser: true, isSignedInAlready: false }
  await storePasskey(signedIn, { proof, made }, needs)
  return { user: signedIn, isNewUser: false, isSignedInAlready: true, isAccountAdded: true }
}

type NewPasskey = Omit<AdapterAuthenticator, "userId">

async function createUser(proof: PasskeyProof, made: NewPasskey, needs: PasskeyDeps): Promise<AdapterUser> {
  const { store, events } = needs
  await assertAddressIsFree(proof, store)
  const user = await insertUser(proof, store)
  await events.send("createUser", { user })
  try {
    await storePasskey(user, { proof, made }, needs)
  } catch (error) {
    // Without a passkey the user just created would lock the owner of its address out.
    if (store.has("deleteUser")) await store.deleteUser(user.id)
    throw error
  }
  return user
}

async function insertUser(proof: PasskeyProof, store: Store): Promise<AdapterUser> {
  const { id = randomUUID(), email } = proof.user
  try {
    // Hosts may know people by something else than an address; their stores decide whether they take such users.
    return await store.createUser({ ...proof.user, id, email: email as string, emailVerified: null })
  } catch (error) {
    // Another request may have taken the address in the meantime.
    await assertAddressIsFree(proof, store)
    throw error
  }
}

/** @throws AccountNotLinked */
async function assertAddressIsFree({ user, account }: PasskeyProof, store: Store): Promise<void> {
  if (!user.email || !store.has("getUserByEmail")) return
  const owner = await store.getUserByEmail(user.email)
  if (owner && isSameAddress(owner.email, user.email)) {
    throw new AccountNotLinked("Another user has the same email address", { provider: account.provider })
  }
}

/**
 * The credential first: the store lets one caller alone have its id, and without its account it signs nobody in.
 * @throws AccountNotLinked when another request stored the credential in the meantime
 */
async function storePasskey(
  user: User & { readonly id: string },
  { proof, made }: { readonly proof: PasskeyProof; readonly made: NewPasskey },
  { store, events }: PasskeyDeps,
): Promise<void> {
  const { account } = proof
  try {
    await store.createAuthenticator({ ...made, userId: user.id })
  } catch (error) {
    if (!(await store.getAuthenticator(made.credentialID))) throw error
    throw new AccountNotLinked("The credential was stored a moment ago", { provider: account.provider })
  }
  try {
    await store.linkAccount({ ...account, userId: user.id })
  } catch (error) {
    if (store.has("deleteAuthenticator")) await store.deleteAuthenticator(made.credentialID)
    throw error
  }
  await events.send("linkAccount", { user, account, profile: proof.user })
}
