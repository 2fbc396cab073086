import { type FormerAddress, undoSeconds } from "../../account/address-change.js"
import { toAsciiLowerCase } from "../../account/email-trust.js"
import { isEqualInConstantTime, macHex } from "../../crypto/hash.js"
import { randomHex } from "../../crypto/random.js"
import { createSealer, type Sealer } from "../../crypto/seal.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import { AccessDenied, AdapterError } from "../../errors/errors.js"
import type { FindCurrent, HostCallbacks } from "../../host/callbacks.js"
import type { Store } from "../../host/store.js"
import { isSameId } from "../../runtime/id.js"
import { toDate } from "../../runtime/merge.js"
import { systemClock } from "../../runtime/promise.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { AdapterAccountChange, AdapterFeatures } from "../../types/adapter-features.js"
import type { SignInParams } from "../../types/callbacks.js"
import type { ResolvedConfig } from "../../types/resolved.js"
import type { Feature } from "../feature.js"

/** The address that a user had before a change, while the change can be undone. */
export interface KeptAddress extends FormerAddress {
  readonly userId: string
  readonly emailVerified: Date | null
  readonly change: AdapterAccountChange
  /** Makes the link of each kept address another one. */
  readonly salt: string
}

/** The former addresses of users. No other user can take one while it can be restored. */
export interface FormerAddresses {
  list(userId: string): Promise<readonly KeptAddress[]>
  /** Finds a former address that can still be restored. Null if there is none. */
  findByAddress(address: string): Promise<KeptAddress | null>
  /** The one that a link of `toToken` is for. */
  findByToken(id: string, token: string): Promise<KeptAddress | null>
  /**
   * Claims an address that a user is about to get: of two users who change to it at once, one goes on. Null if another user has
   * claimed it. Otherwise, the returned function gives it up.
   */
  claim(userId: string, address: string): Promise<(() => Promise<void>) | null>
  /** Keeps the current address of a user. */
  keep(user: Pick<AdapterUser, "id" | "email" | "emailVerified">): Promise<KeptAddress>
  /** Keeps it as long as a new one, with the same link. Null if it was dropped meanwhile. */
  renew(kept: KeptAddress, store: Store): Promise<KeptAddress | null>
  drop(kept: KeptAddress): Promise<void>
  /** Keeps it again if it was dropped meanwhile. */
  putBack(kept: KeptAddress): Promise<void>
  /** What the link that undoes a change has besides the id. It is a secret. */
  toToken(kept: KeptAddress): Promise<string>
}

const kind = "email"
/** For a change that is under way. If its process dies, others can change to the address after this time. */
const claimKind = "email-claim"
const claimSeconds = 2 * 60
/** With a colon, as `Sealer` requires. */
const purpose = "account:former-address"

type ChangeStore = Required<
  Pick<AdapterFeatures, "createAccountChange" | "getAccountChange" | "listAccountChanges" | "deleteAccountChange">
>

interface Changes {
  readonly sealer: Sealer
  /** Null if it no longer counts. */
  open(change: AdapterAccountChange | null): Promise<KeptAddress | null>
  drop(change: AdapterAccountChange): Promise<void>
  /** Whether it was created, also in place of one that no longer counts. */
  create(change: AdapterAccountChange): Promise<boolean>
}

const isCurrent = ({ expires }: AdapterAccountChange): boolean => toDate(expires).valueOf() > systemClock()

/** The rows of kept addresses and of changes that are under way. */
function openChanges(store: ChangeStore, secrets: readonly string[]): Changes {
  const sealer = createSealer(secrets, systemClock)

  async function open(change: AdapterAccountChange | null): Promise<KeptAddress | null> {
    if (change?.kind !== kind || !isCurrent(change)) return null
    const { email, verified, salt } = (await sealer.open(purpose, change.value)) ?? {}
    if (typeof email !== "string" || typeof salt !== "string") return null
    const emailVerified = typeof verified === "number" ? new Date(verified) : null
    return { userId: change.userId, email, emailVerified, until: toDate(change.expires).valueOf(), change, salt }
  }

  async function drop(change: AdapterAccountChange): Promise<void> {
    await store.deleteAccountChange({ id: change.id, value: change.value })
  }

  async function create(change: AdapterAccountChange): Promise<boolean> {
    if (await store.createAccountChange(change)) return true
    const held = await store.getAccountChange(change.id)
    const isLive = held?.kind === kind ? await open(held) : held && isCurrent(held)
    if (!held || isLive) return false
    await drop(held)
    return store.createAccountChange(change)
  }

  return { sealer, open, drop, create }
}

export function formerAddresses(store: ChangeStore, secrets: readonly string[]): FormerAddresses {
  const { sealer, open, drop, create } = openChanges(store, secrets)
  return {
    async list(userId) {
      const changes = await store.listAccountChanges({ userId })
      return (await Promise.all(changes.map(open))).filter((kept) => kept !== null)
    },
    async findByAddress(address) {
      const found: KeptAddress[] = []
      // Tries all secrets even after one fits, so that the number of calls reveals nothing.
      for (const id of await toIds(address, secrets)) {
        const kept = await open(await store.getAccountChange(id))
        if (kept) found.push(kept)
      }
      return found[0] ?? null
    },
    async findByToken(id, token) {
      const kept = await open(await store.getAccountChange(id))
      const tokens = kept ? await toTokens(kept, secrets) : []
      return tokens.filter((own) => isEqualInConstantTime(own, token)).length > 0 ? kept : null
    },
    async claim(userId, address) {
      const [id = ""] = (await toIds(address, secrets)).map((own) => `${claimKind}:${own}`)
      const expires = new Date(systemClock() + claimSeconds * 1000)
      const change = { id, userId, kind: claimKind, value: randomHex(16), expires }
      if (await create(change)) return () => drop(change)
      // Two confirmations of one user end each other.
      return isSameId((await store.getAccountChange(id))?.userId, userId) ? async () => {} : null
    },
    async keep({ id: userId, email, emailVerified }) {
      const [id = ""] = await toIds(email, secrets)
      const change = await toChange({ email, emailVerified, salt: randomHex(16) }, { id, userId }, sealer)
      if (await create(change)) return getOpened(await open(change))
      const kept = await open(await store.getAccountChange(id))
      // That of a change at the same time.
      if (kept && isSameId(kept.userId, userId)) return kept
      throw new AuthError("The former address is kept for another user")
    },
    async renew(kept, own) {
      const change = await toChange(kept, kept.change, sealer)
      return (await replaceChange(kept.change, change, own)) ? open(change) : null
    },
    drop: ({ change }) => drop(change),
    async putBack({ change }) {
      await store.createAccountChange(change)
    },
    toToken: async (kept) => (await toTokens(kept, secrets))[0] ?? "",
  }
}

/** The newest secret first. */
function toTokens({ change, salt }: KeptAddress, secrets: readonly string[]): Promise<readonly string[]> {
  const text = JSON.stringify([change.id, salt])
  return Promise.all(secrets.map((secret) => macHex(secret, "mail token: email undo", text)))
}

async function toChange(
  { email, emailVerified, salt }: Pick<KeptAddress, "email" | "emailVerified" | "salt">,
  { id, userId }: Pick<AdapterAccountChange, "id" | "userId">,
  sealer: Sealer,
): Promise<AdapterAccountChange> {
  const claims = { email, verified: emailVerified && toDate(emailVerified).valueOf(), salt }
  const value = await sealer.seal(purpose, claims, undoSeconds)
  return { id, userId, kind, value, expires: new Date(systemClock() + undoSeconds * 1000) }
}

/** Whether the former change was still there. If the store fails in between, it is put back. */
async function replaceChange(from: AdapterAccountChange, to: AdapterAccountChange, store: Store): Promise<boolean> {
  const replace = async (adapter: Partial<ChangeStore>): Promise<boolean> =>
    (await adapter.deleteAccountChange?.(from)) === true && (await adapter.createAccountChange?.(to)) === true
  if (store.has("transaction")) return store.transaction(replace)
  try {
    return await replace(store)
  } catch (error) {
    await store.createAccountChange(from)
    throw error
  }
}

/** The same for addresses that `isSameAddress`. The newest secret first. */
function toIds(address: string, secrets: readonly string[]): Promise<readonly string[]> {
  const text = toAsciiLowerCase(address)
  return Promise.all(secrets.map(async (secret) => `email:${await macHex(secret, "former address", text)}`))
}

function getOpened(kept: KeptAddress | null): KeptAddress {
  if (kept) return kept
  throw new AuthError("The former address could not be kept")
}

/**
 * Refuses the first sign-in of a new user with an address that another user can have restored: a thief who has changed it
 * could otherwise sign up with it, and the change could not be undone.
 */
export function reserveFormerAddresses(
  callbacks: HostCallbacks,
  config: Pick<ResolvedConfig, "adapter" | "secrets">,
): HostCallbacks {
  if (!config.adapter?.getAccountChange) return callbacks
  return {
    ...callbacks,
    signIn: async (params, findCurrent) =>
      !(await isReserved(params, findCurrent, config)) && callbacks.signIn(params, findCurrent),
  }
}

/** An outage of the store must not look like a refusal. */
async function rethrow(error: unknown, { user, account }: SignInParams): Promise<never> {
  if (error instanceof AuthError) throw error
  const { cleanError } = await import("../../host/redact.js")
  throw new AdapterError("The former addresses could not be read", cleanError(toError(error), [user, account]))
}

async function isReserved(
  params: SignInParams,
  findCurrent: FindCurrent | undefined,
  config: Pick<ResolvedConfig, "adapter" | "secrets">,
): Promise<boolean> {
  return findReservation(params, findCurrent, config).catch((error: unknown) => rethrow(error, params))
}

async function findReservation(
  { user, account, email }: SignInParams,
  findCurrent: FindCurrent | undefined,
  { adapter, secrets }: Pick<ResolvedConfig, "adapter" | "secrets">,
): Promise<boolean> {
  // Anyone may ask for a mail: the answer must not tell who had an address.
  if (!user.email || email?.verificationRequest) return false
  const getAccountChange = async (id: string) => (await adapter?.getAccountChange?.(id)) ?? null
  const kept = await findForOther({ id: user.id, email: user.email }, getAccountChange, secrets)
  if (!kept) return false
  // Its own user links an account that still has it: no one else gets the address.
  if (isSameId(kept.userId, (await findCurrent?.())?.id)) return false
  // A linked account may have the address at its provider. Its owner signs in by the account.
  const owner = account && (await adapter?.getUserByAccount?.(account))
  return !owner
}

/** The kept address, if it is for another user. */
async function findForOther(
  { id, email }: { readonly id: string | undefined; readonly email: string },
  getAccountChange: ChangeStore["getAccountChange"],
  secrets: readonly string[],
): Promise<KeptAddress | null> {
  const methods = { createAccountChange: unused, listAccountChanges: unused, deleteAccountChange: unused }
  const kept = await formerAddresses({ ...methods, getAccountChange }, secrets).findByAddress(email)
  return kept && !isSameId(kept.userId, id) ? kept : null
}

/**
 * Deletes a user who was just created with an address that another user gave up during the sign-in: it was not reserved yet
 * when the sign-in was allowed.
 * @throws AccessDenied after that
 */
export const takeBackReserved: NonNullable<Feature["onUserCreated"]> = async (user, request, context) => {
  const { store, secrets, log, events } = context
  if (!user.email || !store?.has("getAccountChange")) return
  if (!(await findForOther(user, store.getAccountChange, secrets))) return
  if (store.has("deleteUser")) {
    const { id: userId } = user
    await store.deleteUser(userId)
    log.record({ kind: "user-deleted", userId }, request)
    await events.send("userDeleted", { userId }, request)
  }
  throw new AccessDenied("Another user gave up the address during the sign-in, and can have it restored")
}

function unused(): never {
  throw new Error("Former addresses are only read here")
}
