import { randomId } from "../../crypto/random.js"
import { createSealer } from "../../crypto/seal.js"
import { InvalidConfiguration, InvalidRequest, SecondFactorWrong, TooManyRequests } from "../../errors/errors.js"
import { isSameId } from "../../runtime/id.js"
import { systemClock } from "../../runtime/promise.js"
import type { AdapterFactor } from "../../types/adapter-features.js"
import { forgetDevices } from "./devices.js"
import { byAge, isImported, toFactors, toImportedId } from "./factor.js"
import type { SetupKey, ShownCodes } from "./shown-again.js"
import { findRecovery, findTotp, hasPasskey, type Tools } from "./tools.js"
import type { TotpFactor } from "./totp.js"

/** An authenticator app that is being set up. Nothing is stored yet. */
export interface TotpSetup {
  /** Send it back with the first code. It holds the secret, sealed, for this user and for ten minutes. */
  readonly ticket: string
  /** The secret in base32, for people who cannot scan. */
  readonly secret: string
  /** The same as a key URI: `otpauth://totp/…`. */
  readonly uri: string
  /** The URI as a QR code, an SVG image. Null without the package `uqr`. */
  readonly qr: string | null
}

/** What was set up. */
export interface Enrolled {
  readonly factor: AdapterFactor
  /** Recovery codes of a user who had none. Null without `recoveryCodes()`, or if there are some. */
  readonly created: ShownCodes | null
}

/** The user who sets up a factor, and the names that the authenticator app shows. */
export interface Enrollee {
  readonly userId: string
  /** The name of the account in the authenticator app. */
  readonly name: string
  /** The name of the app, unless `totp()` has one. */
  readonly issuer: string
}

/** With a colon, as `Sealer` requires. */
const purpose = "factor:setup"
const setupSeconds = 10 * 60

/** More would only make each sign-in slower. */
const maxFactors = 10
const maxLabelLength = 64

export async function createKey({ settings }: Pick<Tools, "settings">): Promise<SetupKey> {
  return { id: randomId(22), secret: await getTotp(findTotp(settings)).createSecret() }
}

/** What a user needs to set up a key. */
export async function setUpTotp(
  enrollee: Enrollee,
  { id, secret }: SetupKey,
  { settings }: Pick<Tools, "settings">,
  secrets: readonly string[],
): Promise<TotpSetup> {
  const totp = getTotp(findTotp(settings))
  const { userId, name, issuer } = enrollee
  // One key has a ticket for each time that its page was shown.
  const claims = { id: randomId(22), key: id, userId, secret }
  const ticket = await createSealer(secrets, systemClock).seal(purpose, claims, setupSeconds)
  return { ticket, secret, ...(await totp.describe({ secret, issuer: totp.issuer ?? issuer, label: name })) }
}

/** A setup that cannot be completed. It begins again, unless it was completed before. */
export class StaleSetup extends InvalidRequest {}

/** An opened ticket. */
export interface Ticket extends SetupKey {
  readonly ticketId: string
}

/** @throws StaleSetup for the ticket of another user, and for one that is too old */
export async function openTicket(text: string, userId: string, secrets: readonly string[]): Promise<Ticket> {
  const {
    id: ticketId,
    key: id,
    userId: owner,
    secret,
  } = (await createSealer(secrets, systemClock).open(purpose, text)) ?? {}
  if (isSameId(owner, userId) && isText(ticketId) && isText(id) && isText(secret)) return { ticketId, id, secret }
  throw new StaleSetup("ticket: must be from a setup that this user began in the last ten minutes. Begin again")
}

const isText = (value: unknown): value is string => typeof value === "string"

interface Confirmation {
  readonly userId: string
  readonly ticket: Ticket
  readonly code: string
  readonly label?: string | undefined
}

/** The label as one line. Some stores refuse NUL and lone surrogates, and bidirectional controls reorder text on pages. */
function toLabel(label: string | null = null): string | null {
  const line = label?.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\s]+/gu, " ").trim() ?? ""
  return Array.from(line).slice(0, maxLabelLength).join("").trim() || null
}

/**
 * Stores an authenticator app whose first code is right, and recovery codes for a user who has none. The code is spent.
 * @throws SecondFactorWrong for a wrong code
 * @throws StaleSetup for a setup that was completed before
 */
export async function confirmTotp({ userId, ticket, code, label }: Confirmation, tools: Tools): Promise<Enrolled> {
  const { store, vault, replayGuard } = tools
  const totp = getTotp(findTotp(tools.settings))
  const plain = totp.normalize(code)
  const accepted = plain === null ? null : await totp.accept(plain, { secret: ticket.secret, lastStep: null })
  if (!accepted) throw new SecondFactorWrong("The code is not from the authenticator app that is being set up")
  const rows = await store.listFactors(userId)
  if (toFactors(rows).length >= maxFactors)
    throw new InvalidRequest(`A user can have at most ${maxFactors} second factors`)
  const isNew = !rows.some(({ id }) => id === ticket.id) && (await replayGuard.consume(`setup ${ticket.ticketId}`))
  if (!isNew) throw new StaleSetup("ticket: was used before. Begin again")
  const owner = { id: ticket.id, userId, kind: "totp" }
  const factor: AdapterFactor = {
    ...newRow(owner, await vault.seal(owner, ticket.secret)),
    label: toLabel(label),
    // Spent: an onlooker must not sign in with it.
    lastStep: accepted.lastStep ?? null,
  }
  const created = toFactors(rows).some(isRecovery) ? null : await createCodes({ userId, rows, label: owner.id }, tools)
  const storeFactor = async () => {
    await store.createFactor(factor)
    await forgetDevices(userId, store)
  }
  try {
    if (!created) await storeFactor()
    const isKept = created !== null && (await keepOne(created, tools, storeFactor))
    return { factor, created: isKept ? { codes: created.codes, id: created.row.id } : null }
  } catch (error) {
    // Its user sees the error, and has neither the app nor codes. It says more than one of a store that fails again.
    await takeBack(factor, tools).catch(() => {})
    throw error
  }
}

/**
 * Removes an authenticator app whose setup failed, and the recovery codes that were created with it, which the user never
 * saw. The app comes first, because recovery codes without their app do not count.
 */
export async function takeBack(
  { id, userId }: Pick<AdapterFactor, "id" | "userId">,
  { store }: Pick<Tools, "store">,
): Promise<void> {
  await store.deleteFactor(id)
  const unseen = (await store.listFactors(userId)).filter((row) => isRecovery(row) && row.label === id)
  for (const row of unseen) await store.deleteFactor(row.id)
}

/**
 * Replaces the recovery codes of a user. The former ones no longer work.
 * @param isLive Whether the session goes on that asks for it. If not, nothing changes, and null is returned.
 * @throws TooManyRequests for the second time within a minute
 */
export async function replaceRecoveryCodes(
  userId: string,
  tools: Tools,
  isLive: () => Promise<boolean>,
): Promise<ShownCodes | null> {
  await countCreation(userId, tools)
  const created = await createCodes({ userId, rows: await tools.store.listFactors(userId), label: null }, tools)
  if (!created) throw new InvalidConfiguration("secondFactors.factors: add recoveryCodes() to the list")
  const prepare = async () => {
    if (!(await isLive())) throw new SessionOver()
    await forgetDevices(userId, tools.store)
  }
  try {
    if (!(await keepOne(created, tools, prepare))) throw tooManySets(minuteSeconds)
  } catch (error) {
    if (error instanceof SessionOver) return null
    throw error
  }
  return { codes: created.codes, id: created.row.id }
}

/** A factor of another system. */
export interface ImportedFactor {
  readonly userId: string
  readonly kind: "totp" | "recovery"
  readonly secret: string
  readonly label: string | null
}

/**
 * Stores a factor of another system for a user who has none but imported ones of other kinds.
 * @returns false, having changed nothing, for a user who has set up a factor here, or has an imported one of this kind
 * @throws InvalidRequest for an unknown user, and for recovery codes that have nothing to replace
 */
export async function storeImported({ secret, label, ...given }: ImportedFactor, tools: Tools): Promise<boolean> {
  const { store, vault } = tools
  const { userId, kind } = given
  if (!(await store.getUser(userId))) throw new InvalidRequest("userId: there is no user with this id")
  const owner = { ...given, id: await toImportedId(given) }
  const isTaken = (row: AdapterFactor) => !isImported(row) || row.kind === kind
  const rows = await store.listFactors(userId)
  const factors = toFactors(rows)
  if (factors.some(isTaken)) return false
  if (kind === "recovery" && factors.length === 0 && !(await hasPasskey(userId, tools)))
    throw new InvalidRequest("codes: the user has no other second factor. Import that first")
  const row = {
    ...newRow(owner, await vault.seal(owner, secret)),
    label: toLabel(label),
  }
  const findOthers = async () => toFactors(await store.listFactors(userId)).filter(isTaken)
  try {
    await store.createFactor(row)
  } catch (error) {
    // Another import of this factor came first.
    if ((await findOthers()).length > 0) return false
    throw error
  }
  // What the user has set up meanwhile counts more.
  if ((await findOthers()).some(({ id }) => id !== row.id)) {
    await store.deleteFactor(row.id)
    return false
  }
  if (rows.length > factors.length) await forgetDevices(userId, store)
  return true
}

/** The session has ended that asked for new recovery codes. */
class SessionOver extends Error {}

interface NewCodes {
  readonly userId: string
  /** All rows of the user. */
  readonly rows: readonly AdapterFactor[]
  /** The factor that has to be stored before the codes count. */
  readonly label: string | null
}

interface CreatedCodes {
  readonly codes: readonly string[]
  readonly row: AdapterFactor
  /** The sets that were there before. */
  readonly former: readonly AdapterFactor[]
}

/** Stores a new set beside the former ones. Null without `recoveryCodes()`. */
async function createCodes(
  { userId, rows, label }: NewCodes,
  { settings, store, vault }: Tools,
): Promise<CreatedCodes | null> {
  const set = await findRecovery(settings)?.createSet()
  if (!set) return null
  const owner = { id: randomId(22), userId, kind: "recovery" }
  const row = { ...newRow(owner, await vault.seal(owner, set.secret)), label }
  await store.createFactor(row)
  return { codes: set.codes, row, former: rows.filter(isRecovery) }
}

/**
 * Makes a new set the only one. Of several that are created at once the latest is kept, in all processes.
 * @param prepare What has to succeed first. If anything fails, the new set is deleted, because its codes will never be shown.
 * @returns whether the new one is kept
 */
async function keepOne(
  { row, former }: CreatedCodes,
  { store }: Pick<Tools, "store">,
  prepare: () => Promise<void>,
): Promise<boolean> {
  try {
    await prepare()
    const sets = (await store.listFactors(row.userId)).filter(isRecovery)
    const rivals = sets.filter(({ id }) => !former.some((each) => each.id === id)).sort(byTurn)
    const kept = rivals.at(-1)
    // Another request has replaced it already.
    if (!kept || !rivals.some(({ id }) => id === row.id)) return false
    for (const { id } of sets) if (id !== kept.id) await store.deleteFactor(id)
    return kept.id === row.id
  } catch (error) {
    // The error says more than one of a store that fails again. Without its factor, the set does not count either.
    await Promise.resolve(store.deleteFactor(row.id)).catch(() => undefined)
    throw error
  }
}

const isRecovery = ({ kind }: AdapterFactor): boolean => kind === "recovery"

/**
 * Ids tell rows of the same instant apart, in the same way in each process. Imported codes come first: those that a user
 * creates at the same time replace them.
 */
function byTurn(one: AdapterFactor, other: AdapterFactor): number {
  if (isImported(one) !== isImported(other)) return isImported(one) ? -1 : 1
  return byAge(one, other) || (one.id < other.id ? -1 : 1)
}

const minuteSeconds = 60

/** Applies even when rate limits are off: a stolen session must not be able to keep replacing the codes of its user. */
async function countCreation(userId: string, { replayGuard }: Tools): Promise<void> {
  const now = Math.floor(systemClock() / 1000)
  const minute = Math.floor(now / minuteSeconds)
  if (await replayGuard.consume(`recovery codes ${userId} ${minute}`)) return
  throw tooManySets((minute + 1) * minuteSeconds - now)
}

function tooManySets(retryAfterSeconds: number): TooManyRequests {
  return new TooManyRequests("Recovery codes were created within the last minute", { retryAfterSeconds })
}

function newRow(owner: Pick<AdapterFactor, "id" | "userId" | "kind">, secret: string): AdapterFactor {
  const now = new Date(systemClock())
  return { ...owner, secret, label: null, lastStep: null, version: 0, createdAt: now, lastUsedAt: null }
}

function getTotp(totp: TotpFactor | undefined): TotpFactor {
  if (totp) return totp
  throw new InvalidConfiguration("secondFactors.factors: add totp() to the list")
}
