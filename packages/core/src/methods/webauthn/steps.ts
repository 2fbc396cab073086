import type { User } from "@latchkey/types"
import { findAddressOwners } from "../../account/find-by-address.js"
import type { PasskeyProof } from "../../account/proof.js"
import { isAction } from "../../checks/challenge.js"
import { chooseReplayGuard } from "../../checks/replay.js"
import { randomUUID } from "../../crypto/random.js"
import { createSealer } from "../../crypto/seal.js"
import { AuthError } from "../../errors/auth-error.js"
import { AccountNotLinked, MissingAdapter } from "../../errors/errors.js"
import { toNormalAddress } from "../../host/email-address.js"
import type { Events } from "../../host/events.js"
import type { Store } from "../../host/store.js"
import { checkMaxAgeSeconds } from "../../http/own-cookies.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { redirect } from "../../http/response.js"
import { isSameId } from "../../runtime/id.js"
import { systemClock } from "../../runtime/promise.js"
import type { AdapterAuthenticator, AdapterUser } from "../../types/adapter.js"
import type { WebAuthnConfig } from "../../types/providers.js"
import type { MethodDeps } from "../method.js"
import type { Proven, ResolvedUser, SignInSteps } from "../steps.js"
import { proveAuthentication } from "./authenticate.js"
import type { WebAuthnDeps } from "./ceremony.js"
import { loadLibrary } from "./library.js"
import { offerOptions } from "./options.js"
import { proveRegistration } from "./register.js"

/** Passkeys and security keys, WebAuthn level 3. */
export function webauthnSteps(methodDeps: MethodDeps): SignInSteps<WebAuthnConfig, PasskeyProof> {
  const { config, cookies, store, sessions, actionUrl } = methodDeps
  if (!store) throw new MissingAdapter("adapter: a WebAuthn provider needs one")
  const challenges = {
    cookie: cookies.webauthnChallenge,
    sealer: createSealer(config.secrets, systemClock),
    replayGuard: chooseReplayGuard(store),
    clock: systemClock,
    ttlSeconds: checkMaxAgeSeconds,
    maxPending: config.requestLimits.passkeyChallenges,
  }
  const providerIds = config.providers.filter(({ type }) => type === "webauthn").map(({ id }) => id)
  const deps: WebAuthnDeps = { store, sessions, challenges, providerIds, secrets: config.secrets, library: loadLibrary }
  return {
    // The form is on the sign-in page, where a script completes it.
    begin: async (request) => redirect(actionUrl(request, "signin")),
    offerOptions: (request, provider) => offerOptions(request, provider, deps),
    prove: (request, provider) => prove(request, provider, deps),
    resolveUser: (proof, current, events) => resolvePasskeyUser(proof, current, { store, events }),
  }
}

/** @throws AuthError when the form has no valid `action` */
async function prove(
  request: AuthRequest,
  provider: WebAuthnConfig,
  deps: WebAuthnDeps,
): Promise<Proven<PasskeyProof>> {
  const action = findField(request, "action")
  if (!isAction(action)) throw new AuthError("action: must be register or authenticate", { provider: provider.id })
  const returned = { request, provider, deps }
  return action === "register" ? proveRegistration(returned) : proveAuthentication(returned)
}

interface PasskeyDeps {
  readonly store: Store
  readonly events: Events
}

/**
 * A stored passkey signs its owner in. A new one belongs to the signed-in user, or to a new user.
 * @throws AccountNotLinked when it belongs, or would belong, to another user
 */
export async function resolvePasskeyUser(
  proof: PasskeyProof,
  current: AdapterUser | null,
  deps: PasskeyDeps,
): Promise<ResolvedUser> {
  const { user, newCredential, account } = proof
  if (current && !isSameId(current.id, user.id)) {
    throw new AccountNotLinked("Another user is signed in", { provider: account.provider })
  }
  if (!newCredential) return { user, isNewUser: false, isSignedInAlready: current !== null }
  if (!current) {
    const created = await createUser(proof, newCredential, deps)
    return { user: created, isNewUser: true, isSignedInAlready: false }
  }
  await storePasskey(current, { proof, newCredential }, deps)
  return { user: current, isNewUser: false, isSignedInAlready: true, isAccountAdded: true }
}

type NewPasskey = Omit<AdapterAuthenticator, "userId">

async function createUser(proof: PasskeyProof, newCredential: NewPasskey, deps: PasskeyDeps): Promise<AdapterUser> {
  const { store, events } = deps
  await assertAddressIsFree(proof, store)
  const user = await insertUser(proof, store)
  await events.send("createUser", { user })
  try {
    await storePasskey(user, { proof, newCredential }, deps)
  } catch (error) {
    // A user without a passkey would keep the owner of the address from signing up.
    if (store.has("deleteUser")) await store.deleteUser(user.id)
    throw error
  }
  return user
}

async function insertUser(proof: PasskeyProof, store: Store): Promise<AdapterUser> {
  const { id = randomUUID() } = proof.user
  const email = toNormalAddress(proof.user.email ?? "")
  try {
    // Hosts may identify users by something other than an address. The store decides whether it accepts such users.
    return await store.createUser({ ...proof.user, id, email: email as string, emailVerified: null })
  } catch (error) {
    // A concurrent request may have taken the address.
    await assertAddressIsFree(proof, store)
    throw error
  }
}

/** @throws AccountNotLinked */
async function assertAddressIsFree({ user, account }: PasskeyProof, store: Store): Promise<void> {
  if (!user.email || !store.has("getUserByEmail")) return
  const owners = await findAddressOwners([user.email, toNormalAddress(user.email) ?? undefined], store)
  if (owners.length > 0) {
    throw new AccountNotLinked("Another user has the same email address", { provider: account.provider })
  }
}

/**
 * Stores the credential before its account: the store accepts each credential id once, and a credential without an
 * account cannot sign in.
 * @throws AccountNotLinked when a concurrent request stored the credential
 */
async function storePasskey(
  user: User & { readonly id: string },
  { proof, newCredential }: { readonly proof: PasskeyProof; readonly newCredential: NewPasskey },
  { store, events }: PasskeyDeps,
): Promise<void> {
  const { account } = proof
  try {
    await store.createAuthenticator({ ...newCredential, userId: user.id })
  } catch (error) {
    if (!(await store.getAuthenticator(newCredential.credentialID))) throw error
    throw new AccountNotLinked("The credential was just stored by another request", { provider: account.provider })
  }
  try {
    await store.linkAccount({ ...account, userId: user.id })
  } catch (error) {
    if (store.has("deleteAuthenticator")) await store.deleteAuthenticator(newCredential.credentialID)
    throw error
  }
  await events.send("linkAccount", { user, account, profile: proof.user })
}
