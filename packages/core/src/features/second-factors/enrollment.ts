import { randomId } from "../../crypto/random.js"
import { createSealer } from "../../crypto/seal.js"
import { InvalidConfiguration, InvalidRequest, SecondFactorWrong } from "../../errors/errors.js"
import { isSameId } from "../../runtime/id.js"
import { systemClock } from "../../runtime/promise.js"
import type { AdapterFactor } from "../../types/adapter-features.js"
import { forgetDevices } from "./devices.js"
import { isFactor } from "./factor.js"
import { findRecovery, findTotp, type Tools } from "./tools.js"
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
  /** Recovery codes of a user who had none. They are shown once. Null without `recoveryCodes()`, or if there are some. */
  readonly recoveryCodes: readonly string[] | null
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

/** Creates a secret, or shows that of a ticket again. */
export async function setUpTotp(
  enrollee: Enrollee,
  { settings }: Tools,
  secrets: readonly string[],
  known?: Ticket,
): Promise<TotpSetup> {
  const totp = getTotp(findTotp(settings))
  const secret = known?.secret ?? (await totp.createSecret())
  const { userId, name, issuer } = enrollee
  const ticket =
    known?.text ??
    (await createSealer(secrets, systemClock).seal(purpose, { id: randomId(22), userId, secret }, setupSeconds))
  return { ticket, secret, ...(await totp.describe({ secret, issuer: totp.issuer ?? issuer, label: name })) }
}

/** An opened ticket. */
export interface Ticket {
  readonly text: string
  readonly id: string
  readonly secret: string
}

/** @throws InvalidRequest for the ticket of another user, and for one that is too old */
export async function openTicket(text: string, userId: string, secrets: readonly string[]): Promise<Ticket> {
  const { id, userId: owner, secret } = (await createSealer(secrets, systemClock).open(purpose, text)) ?? {}
  if (isSameId(owner, userId) && typeof id === "string" && typeof secret === "string") return { text, id, secret }
  throw new InvalidRequest("ticket: must be from a setup that this user began in the last ten minutes. Begin again")
}

interface Confirmation {
  readonly userId: string
  readonly ticket: Ticket
  readonly code: string
  readonly label?: string | undefined
}

/**
 * Stores an authenticator app whose first code is right, and recovery codes for a user who has none. The code is spent.
 * @throws SecondFactorWrong for a wrong code
 * @throws InvalidRequest for a setup that was completed before
 */
export async function confirmTotp({ userId, ticket, code, label }: Confirmation, tools: Tools): Promise<Enrolled> {
  const { settings, store, vault, replayGuard } = tools
  const totp = getTotp(findTotp(settings))
  const plain = totp.normalize(code)
  const accepted = plain === null ? null : await totp.accept(plain, { secret: ticket.secret, lastStep: null })
  if (!accepted) throw new SecondFactorWrong("The code is not from the authenticator app that is being set up")
  const rows = (await store.listFactors(userId)).filter(isFactor)
  if (rows.length >= maxFactors) throw new InvalidRequest(`A user can have at most ${maxFactors} second factors`)
  const set = rows.some(({ kind }) => kind === "recovery") ? undefined : await findRecovery(settings)?.createSet()
  if (!(await replayGuard.consume(`setup ${ticket.id}`)))
    throw new InvalidRequest("ticket: was used before. Begin again")
  const owner = { id: randomId(22), userId, kind: "totp" }
  const factor: AdapterFactor = {
    ...newRow(owner, await vault.seal(owner, ticket.secret)),
    label: label?.trim().slice(0, maxLabelLength) || null,
    // Spent: an onlooker must not sign in with it.
    lastStep: accepted.lastStep ?? null,
  }
  if (set) await storeSet(userId, set.secret, tools)
  await store.createFactor(factor)
  await forgetDevices(userId, store)
  return { factor, recoveryCodes: set?.codes ?? null }
}

/** Replaces the recovery codes of a user. The former ones no longer work. */
export async function replaceRecoveryCodes(userId: string, tools: Tools): Promise<readonly string[]> {
  const { settings, store } = tools
  const recovery = findRecovery(settings)
  if (!recovery) throw new InvalidConfiguration("secondFactors.factors: add recoveryCodes() to the list")
  const former = (await store.listFactors(userId)).filter(({ kind }) => kind === "recovery")
  const { codes, secret } = await recovery.createSet()
  await storeSet(userId, secret, tools)
  for (const { id } of former) await store.deleteFactor(id)
  await forgetDevices(userId, store)
  return codes
}

async function storeSet(userId: string, secret: string, { store, vault }: Tools): Promise<void> {
  const owner = { id: randomId(22), userId, kind: "recovery" }
  await store.createFactor(newRow(owner, await vault.seal(owner, secret)))
}

function newRow(owner: Pick<AdapterFactor, "id" | "userId" | "kind">, secret: string): AdapterFactor {
  const now = new Date(systemClock())
  return { ...owner, secret, label: null, lastStep: null, version: 0, createdAt: now, lastUsedAt: null }
}

function getTotp(totp: TotpFactor | undefined): TotpFactor {
  if (totp) return totp
  throw new InvalidConfiguration("secondFactors.factors: add totp() to the list")
}
