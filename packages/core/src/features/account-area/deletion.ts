import { createSealer } from "../../crypto/seal.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import { runApp } from "../../host/redact.js"
import type { Store } from "../../host/store.js"
import type { AuthRequest } from "../../http/request.js"
import { isSameId } from "../../runtime/id.js"
import { systemClock } from "../../runtime/promise.js"
import { ownSessions } from "../../session/own-sessions.js"
import type { Adapter, AdapterUser } from "../../types/adapter.js"
import type { AdapterAccountChange } from "../../types/adapter-features.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext } from "../feature.js"
import { formerAddresses } from "./former-addresses.js"
import { notify } from "./mails.js"
import type { AccountSettings } from "./names.js"

const kind = "deletion"
/** With a colon, as `Sealer` requires. */
const purpose = "account:deletion"

const daySeconds = 24 * 60 * 60
/** How long a planned deletion is remembered after it is due, in case the host's job does not run. */
const rememberedSeconds = 10 * 365 * daySeconds

/** A request of a user, or of the host's job. */
export interface Deleting {
  readonly request: AuthRequest
  readonly context: ActionContext
  readonly store: Store
}

/** The function of the app that may keep an account. */
export type DeletionSettings = Pick<AccountSettings, "beforeDelete">

/**
 * Why the app keeps an account. Null if it does not.
 * @throws CallbackRouteError if its function fails or returns something else, since a deletion cannot be undone
 */
export async function findVeto(user: AdapterUser, { beforeDelete }: DeletionSettings): Promise<string | null> {
  const ask = async (): Promise<string | null> => {
    const reason: unknown = await beforeDelete?.(user)
    // `isOwner && "You are the last owner."` is false for others.
    if (!reason) return null
    if (typeof reason === "string") return reason
    throw new TypeError("Return a sentence for the user, or null to allow the deletion")
  }
  return runApp("accountArea.beforeDelete", ask, [user])
}

const toId = (userId: string): string => `${kind}:${userId}`

/**
 * Deletes a user with everything that belongs to them. Tokens of providers are revoked, where they are kept.
 * @param claim Done first, in the same transaction where the store has them. False: nothing is deleted.
 * @returns the cookies to set; null if nothing was deleted
 */
export async function deleteNow(
  user: AdapterUser,
  deleting: Deleting,
  claim: (adapter: Adapter) => Promise<boolean> = async () => true,
): Promise<readonly ResponseCookie[] | null> {
  const { request, context, store } = deleting
  const { id: userId } = user
  const finish = await prepareFeatures(userId, deleting)
  const addresses = await listAddresses(user, deleting)
  // Its sessions and everything else of the user go with the row, by the promise of `deleteUser`.
  const work = async (adapter: Adapter): Promise<boolean> => {
    if (!(await claim(adapter))) return false
    await adapter.deleteUser?.(userId)
    return true
  }
  // The next user may get the id.
  for (const feature of context.features) await feature.onEndAll?.(userId, store)
  await context.sessions.endFormer?.(async () => userId)
  const isDeleted = store.has("transaction") ? await store.transaction(work) : await work(store)
  if (!isDeleted) return null
  const cookies: ResponseCookie[] = []
  for (const each of finish) cookies.push(...(await forget(each, deleting)))
  context.log.record({ kind: "user-deleted", userId }, request)
  await context.events.send("userDeleted", { userId }, request)
  for (const to of addresses) await notify({ kind: "deleted", to, url: `${request.url.origin}/` }, deleting)
  return cookies
}

/** With the former ones that can be restored: a thief who changed the address could otherwise delete the account unseen. */
async function listAddresses({ id, email }: AdapterUser, { context, store }: Deleting): Promise<ReadonlySet<string>> {
  const former = store.has("listAccountChanges") ? await formerAddresses(store, context.secrets).list(id) : []
  return new Set([email, ...former.map((kept) => kept.email)].filter(Boolean))
}

type Finish = () => Promise<readonly ResponseCookie[]>

/** What is kept of the accounts of a user is read before they are deleted. */
async function prepareFeatures(userId: string, { request, context, store }: Deleting): Promise<readonly Finish[]> {
  const accounts = store.has("listAccountsByUserId") ? await store.listAccountsByUserId(userId) : []
  return Promise.all(
    accounts.flatMap(({ provider, providerAccountId }) =>
      context.features.flatMap(
        (feature) => feature.onUnlink?.({ provider, providerAccountId, userId }, request, context) ?? [],
      ),
    ),
  )
}

/** The user is deleted by now: what a provider does not revoke is logged. */
async function forget(finish: Finish, { request, context }: Deleting): Promise<readonly ResponseCookie[]> {
  try {
    return await finish()
  } catch (error) {
    context.log.errorOnce(toError(error), request)
    return []
  }
}

/** Plans a deletion, and ends all sessions. A second request changes nothing of the first. */
export async function planDeletion(
  user: AdapterUser,
  days: number,
  deleting: Deleting,
): Promise<readonly ResponseCookie[]> {
  const { request, context, store } = deleting
  const { id: userId } = user
  const due = systemClock() + days * daySeconds * 1000
  const seconds = days * daySeconds + rememberedSeconds
  const value = await createSealer(context.secrets, systemClock).seal(purpose, { due }, seconds)
  const expires = new Date(systemClock() + seconds * 1000)
  const isPlanned = await store.createAccountChange({ id: toId(userId), userId, kind, value, expires })
  try {
    await ownSessions(context).endAll(userId, undefined, request)
  } catch (error) {
    // Who goes on without signing in again would not cancel it.
    if (isPlanned) await store.deleteAccountChange({ id: toId(userId), value })
    throw error
  }
  context.log.record({ kind: "deletion-planned", userId }, request)
  const url = context.actionUrl(request, "signin")
  for (const to of await listAddresses(user, deleting)) {
    await notify({ kind: "planned", to, url, seconds: days * daySeconds }, deleting)
  }
  return []
}

/** Keeps the account of a user who has just signed in, or has undone a change of the address. */
export async function cancelDeletion(userId: string, request: AuthRequest, context: ActionContext): Promise<void> {
  const { store } = context
  if (!store?.has("getAccountChange") || userId === "") return
  const planned = await store.getAccountChange(toId(userId))
  if (!planned || !isSameId(planned.userId, userId) || !(await store.deleteAccountChange(planned))) return
  context.log.record({ kind: "deletion-canceled", userId }, request)
  const email = (await store.getUser(userId))?.email
  const url = context.actionUrl(request, "account")
  if (email) await notify({ kind: "kept", to: email, url }, { request, context })
}

/**
 * Deletes the users whose time has come, and returns how many. Of several jobs at once, one deletes each user. For a user
 * whom the app keeps, the next job asks it again.
 */
export async function deleteDue(deleting: Deleting, settings: DeletionSettings): Promise<number> {
  const { context, store } = deleting
  const sealer = createSealer(context.secrets, systemClock)
  let count = 0
  const errors: unknown[] = []
  for (const planned of await store.listAccountChanges({ kind })) {
    const { due } = (await sealer.open(purpose, planned.value)) ?? {}
    if (typeof due !== "number")
      errors.push(new AuthError("A planned deletion cannot be read. Was its secret removed?"))
    if (typeof due !== "number" || due > systemClock()) continue
    try {
      if (await deletePlanned(planned, deleting, settings)) count++
    } catch (error) {
      // The others must not wait for a user who cannot be deleted.
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return count
}

/** A sign-in that cancels the deletion takes the plan away: one of the two gets it. */
async function deletePlanned(
  planned: AdapterAccountChange,
  deleting: Deleting,
  settings: DeletionSettings,
): Promise<boolean> {
  const { request, context, store } = deleting
  const { userId } = planned
  const user = await store.getUser(userId)
  if (!user) return false
  // The app may have a reason by now that it did not have when the user asked.
  if ((await findVeto(user, settings)) !== null) {
    context.log.record({ kind: "deletion-postponed", userId }, request)
    return false
  }
  let isTaken = false
  const claim = async (adapter: Adapter) => (isTaken = (await adapter.deleteAccountChange?.(planned)) === true)
  try {
    return (await deleteNow(user, deleting, claim)) !== null
  } catch (error) {
    // A transaction has put it back itself.
    if (isTaken && !store.has("transaction")) await store.createAccountChange(planned)
    throw error
  }
}
