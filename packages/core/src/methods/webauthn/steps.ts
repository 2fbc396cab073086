import type { User } from "@latchkey/types"
import { findAddressOwners } from "../../account/email-trust.js"
import { type NewUserStore, storeNewUser } from "../../account/new-user.js"
import type { PasskeyProof } from "../../account/proof.js"
import { isAction } from "../../checks/challenge.js"
import { chooseReplayGuard } from "../../checks/replay.js"
import { randomUUID } from "../../crypto/random.js"
import { createSealer } from "../../crypto/seal.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import { AccountNotLinked, MissingAdapter } from "../../errors/errors.js"
import { toNormalAddress } from "../../host/email-address.js"
import type { Events } from "../../host/events.js"
import type { Store } from "../../host/store.js"
import { checkMaxAgeSeconds } from "../../http/own-cookies.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { redirect } from "../../http/response.js"
import type { Log } from "../../log/log.js"
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
  const { config, cookies, store, sessions, actionUrl, findLocale, log } = methodDeps
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
  const { secrets } = config
  const deps: WebAuthnDeps = { store, sessions, challenges, providerIds, secrets, findLocale, library: loadLibrary }
  return {
    // The form is on the sign-in page, where a script completes it.
    begin: async (request) => redirect(actionUrl(request, "signin")),
    offerOptions: (request, provider) => offerOptions(request, provider, deps),
    prove: (request, provider) => prove(request, provider, deps),
    resolveUser: (proof, current, events) => resolvePasskeyUser(proof, current, { store, events, log }),
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
  readonly log: Pick<Log, "error">
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
  const { name, ...stored } = newCredential
  if (!current) {
    const created = await createUser(proof, stored, deps)
    await keepName(stored.credentialID, name, deps)
    return { user: created, isNewUser: true, isSignedInAlready: false }
  }
  await storePasskey(current, { proof, newCredential: stored }, deps)
  await keepName(stored.credentialID, name, deps)
  return { user: current, isNewUser: false, isSignedInAlready: true, isAccountAdded: true }
}

/** A passkey works without a name, and its owner can set one, so that a failure does not end the sign-in. */
async function keepName(
  credentialID: string,
  name: string | null | undefined,
  { store, log }: PasskeyDeps,
): Promise<void> {
  if (!name || !store.has("updateAuthenticator")) return
  try {
    await store.updateAuthenticator({ credentialID, name })
  } catch (error) {
    log.error(new AuthError("The name of a new passkey could not be stored", toError(error)))
  }
}

type NewPasskey = Omit<AdapterAuthenticator, "userId">

async function createUser(proof: PasskeyProof, newCredential: NewPasskey, deps: PasskeyDeps): Promise<AdapterUser> {
  const { store, events } = deps
  const { id = randomUUID() } = proof.user
  const email = toNormalAddress(proof.user.email ?? "")
  const { account } = proof
  const { provider } = account
  const passkey = { proof, newCredential }
  await assertAddressIsFree(proof, store)
  try {
    const user = await storeNewUser(
      // Hosts may identify users by something other than an address. The store decides whether it accepts such users.
      { ...proof.user, id, email: email as string, emailVerified: null },
      {
        async add(user, within) {
          await within.createAuthenticator({ ...newCredential, userId: user.id })
          // A transaction undoes the first write itself.
          await linkPasskey(user, passkey, within, store.has("transaction") ? null : store)
        },
        isAdded: async (user) => isSameId(await findOwnerId(passkey, store), user.id),
        async takeBack() {
          await removePasskey(passkey, store)
          throw new AccountNotLinked("The owner of the address signed up during the sign-in", { provider })
        },
      },
      deps,
    )
    await events.send("linkAccount", { user, account, profile: proof.user })
    return user
  } catch (error) {
    if (error instanceof AccountNotLinked) throw error
    // A concurrent request may have taken the address, or stored the passkey.
    await assertAddressIsFree(proof, store, id)
    await assertPasskeyIsNew(passkey, store)
    throw error
  }
}

/**
 * @param ownId The id of a user whom this sign-in has stored, and could not remove.
 * @throws AccountNotLinked
 */
async function assertAddressIsFree({ user, account }: PasskeyProof, store: Store, ownId?: string): Promise<void> {
  if (!user.email || !store.has("getUserByEmail")) return
  const owners = await findAddressOwners([user.email, toNormalAddress(user.email) ?? undefined], store)
  if (owners.some((owner) => !isSameId(owner.id, ownId))) {
    throw new AccountNotLinked("Another user has the same email address", { provider: account.provider })
  }
}

interface Passkey {
  readonly proof: PasskeyProof
  readonly newCredential: NewPasskey
}

/** The id of the user of a stored passkey with its account. */
async function findOwnerId({ proof: { account }, newCredential }: Passkey, store: Store): Promise<string | undefined> {
  if (!(await store.getAuthenticator(newCredential.credentialID))) return undefined
  return (await store.getAccount(account.providerAccountId, account.provider))?.userId
}

/** @throws AccountNotLinked when a concurrent request stored the credential */
async function assertPasskeyIsNew({ proof, newCredential }: Passkey, store: Store): Promise<void> {
  if (!(await store.getAuthenticator(newCredential.credentialID))) return
  const { provider } = proof.account
  throw new AccountNotLinked("The credential was just stored by another request", { provider })
}

async function removePasskey({ proof: { account }, newCredential }: Passkey, store: Store): Promise<void> {
  const { provider, providerAccountId } = account
  if (store.has("deleteAuthenticator")) await store.deleteAuthenticator(newCredential.credentialID)
  if (store.has("unlinkAccount")) await store.unlinkAccount({ provider, providerAccountId })
}

/**
 * Stores the credential before its account: the store accepts each credential id once, and a credential without an
 * account cannot sign in.
 * @throws AccountNotLinked when a concurrent request stored the credential
 */
async function storePasskey(
  user: User & { readonly id: string },
  passkey: Passkey,
  { store, events }: PasskeyDeps,
): Promise<void> {
  const { proof, newCredential } = passkey
  try {
    await store.createAuthenticator({ ...newCredential, userId: user.id })
  } catch (error) {
    await assertPasskeyIsNew(passkey, store)
    throw error
  }
  await linkPasskey(user, passkey, store, store)
  await events.send("linkAccount", { user, account: proof.account, profile: proof.user })
}

/** @param cleaner Removes the passkey if its account cannot be stored. */
async function linkPasskey(
  { id: userId }: { readonly id: string },
  { proof, newCredential }: Passkey,
  store: Pick<NewUserStore, "linkAccount">,
  cleaner: Store | null,
): Promise<void> {
  try {
    await store.linkAccount({ ...proof.account, userId })
  } catch (error) {
    if (cleaner?.has("deleteAuthenticator")) await cleaner.deleteAuthenticator(newCredential.credentialID)
    throw error
  }
}
