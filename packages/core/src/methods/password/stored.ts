import { findAddressOwner } from "../../account/email-trust.js"
import { hasAccountOrPasskey, isUnfinished } from "../../account/unfinished.js"
import { randomHex, randomUUID } from "../../crypto/random.js"
import { CredentialsSignin } from "../../errors/errors.js"
import type { ActionContext } from "../../features/feature.js"
import type { Events } from "../../host/events.js"
import type { Store } from "../../host/store.js"
import { toSetJar } from "../../http/cookies.js"
import type { AuthRequest } from "../../http/request.js"
import type { LogContext } from "../../log/audit-event.js"
import { toIdText } from "../../runtime/id.js"
import { toDate } from "../../runtime/merge.js"
import { systemClock } from "../../runtime/promise.js"
import { ownSessions } from "../../session/own-sessions.js"
import type { SignedIn } from "../../session/session.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { StoredPassword } from "../../types/adapter-features.js"
import type { ResponseCookie } from "../../types/http.js"
import { type PasswordSettings, passwordChangedAt, passwordId } from "./options.js"
import { normalizePassword } from "./text.js"

/** A user and their password. */
export interface Holder {
  readonly user: AdapterUser
  /** Null if the user has none. */
  readonly stored: StoredPassword | null
}

/** The user with an address. */
export async function findHolder(address: string, store: Store): Promise<Holder | null> {
  const user = await findAddressOwner([address], store)
  const stored = await findPassword(user, store)
  return user && { user, stored }
}

/** The password of a user. Without a user, the store is asked as well. */
export async function findPassword(user: AdapterUser | null, store: Store): Promise<StoredPassword | null> {
  return user ? store.getPassword(user.id) : store.lookUpNobody("getPassword")
}

/** A user whom the owner of the mailbox may give a password, or not. */
export interface Owner extends Holder {
  /** Whether the user's sign-up was interrupted. */
  readonly isUnfinished: boolean
}

/** The user with an address, as a mail about the address needs it. The work is the same whether or not there is one. */
export async function findOwner(
  address: string,
  store: Store,
  { accountCredentials }: Pick<ActionContext, "accountCredentials">,
): Promise<Owner | null> {
  const holder = await findHolder(address, store)
  const person = holder?.user ?? { id: randomUUID(), email: address, emailVerified: null }
  const isUnfinishedUser = await isUnfinished(person, { store, accountCredentials }, holder === null)
  return holder && { ...holder, isUnfinished: isUnfinishedUser }
}

/**
 * Verifies the address of an unfinished user, whose new password is stored.
 * @returns null if someone else stored a way to sign in meanwhile; the password is removed then
 */
export async function finishUser(
  { id, ...changes }: Pick<AdapterUser, "id"> & Partial<AdapterUser>,
  { store, events }: { readonly store: Store; readonly events: Events },
): Promise<AdapterUser | null> {
  const user = await store.updateUser({ id, ...changes, emailVerified: new Date() })
  // Without transactions, the sign-up of another person may be about to store their account.
  if (!store.has("transaction") && (await hasAccountOrPasskey(id, { store }))) {
    await store.deletePassword(id)
    await store.updateUser({ id, emailVerified: null })
    return null
  }
  await events.send("updateUser", { user })
  return user
}

/** What a mail about the password is bound to: with another password it is worthless. */
export function toState(stored: StoredPassword | null): string {
  return stored?.hash ?? "none"
}

/** How often a password may be replaced by the same one with another hash meanwhile, by sign-ins. */
const maxUpgrades = 5

/**
 * Replaces a password, unless it was changed meanwhile. A new hash of the same password, as a sign-in stores it, is no
 * change. Null as the former one stores a first password.
 */
export async function replacePassword(
  userId: string,
  former: StoredPassword | null,
  hash: string,
  store: Store,
): Promise<boolean> {
  let from = former
  for (let upgrade = 0; upgrade < maxUpgrades; upgrade++) {
    const password = { userId, hash, changedAt: new Date(systemClock()), from: from?.hash ?? null }
    if (await store.setPassword(password)) return true
    const current = await store.getPassword(userId)
    const isUpgrade = current && from && current.hash !== from.hash && toTime(current) === toTime(from)
    if (!isUpgrade) return false
    from = current
  }
  return false
}

/** When a password was chosen. Another hash of the same password keeps it. */
export const toTime = ({ changedAt }: Pick<StoredPassword, "changedAt">): number => toDate(changedAt).valueOf()

/**
 * Replaces a password that a thief may know or may have set with a random one that is not kept, so that the user has to
 * choose a new password.
 */
export async function voidPassword(
  userId: string,
  { hashing }: Pick<PasswordSettings, "hashing">,
  store: Store,
): Promise<void> {
  const hash = await hashing.hash(normalizePassword(randomHex(32)))
  // The thief may change it meanwhile.
  for (let stored = await store.getPassword(userId); stored; stored = await store.getPassword(userId)) {
    if (await replacePassword(userId, stored, hash, store)) return
  }
}

type ChangeContext = Pick<ActionContext, "sessions" | "store" | "features" | "events" | "log">

/** What happened to a password, for the app. */
type PasswordEvent = "passwordSet" | "passwordChanged" | "passwordReset"

interface ChangeOptions {
  /** Sent when it is done. */
  readonly event: PasswordEvent
  readonly request: LogContext
  /** The id of a session that goes on. */
  readonly except?: string | undefined
}

/**
 * Changes a password and ends the sessions of its user, before and after: if the process dies in between, either nothing has
 * changed or no session of a thief is left.
 * @param change Returns false if nothing was changed.
 */
export async function changeAndSignOut(
  userId: string,
  change: () => Promise<boolean>,
  context: ChangeContext,
  { event, request, except }: ChangeOptions,
): Promise<boolean> {
  const sessions = ownSessions(context)
  await sessions.endAll(userId, except, request)
  if (!(await change())) return false
  await sessions.endAll(userId, except, request)
  context.log.record({ kind: "password-changed", userId }, request)
  await context.events.send(event, { userId }, request)
  return true
}

/** A session that has just started, before its cookies are sent. */
interface StartedSession {
  readonly signedIn: SignedIn
  readonly cookies: readonly ResponseCookie[]
}

/**
 * Refuses a sign-in whose password was changed since it was compared, also while it waited for a second factor. The session
 * exists by now: one that began too late for a change to end it is ended here, so that a thief of the former password has
 * none.
 * @throws CredentialsSignin
 */
export async function assertUnchanged(
  { signedIn, cookies }: StartedSession,
  request: AuthRequest,
  { store, sessions }: Pick<ActionContext, "store" | "sessions">,
): Promise<void> {
  const stored = await store?.getPassword(toIdText(signedIn.user.id))
  if (stored && toTime(stored) === passwordChangedAt.of(signedIn)) return
  await sessions.end({ ...request, cookies: toSetJar(cookies) })
  throw new CredentialsSignin("The password was changed meanwhile", { provider: passwordId })
}
