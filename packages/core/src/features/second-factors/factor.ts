import type { AuthMethod } from "../../account/proof.js"
import { sha256Hex } from "../../crypto/hash.js"
import { createSealer } from "../../crypto/seal.js"
import { InvalidConfiguration } from "../../errors/errors.js"
import type { Store } from "../../host/store.js"
import { toIdText } from "../../runtime/id.js"
import { toDate } from "../../runtime/merge.js"
import { systemClock } from "../../runtime/promise.js"
import type { AdapterFactor, FactorChange } from "../../types/adapter-features.js"

/** A kind of second factor whose proof is a typed code. `totp()` and `recoveryCodes()` create them. */
export interface CodeFactor {
  readonly kind: "totp" | "recovery"
  /** The value of the claim `amr` that it adds. */
  readonly method: AuthMethod
  /** The code as it is compared. Null for text that cannot be a code, so that a typing mistake does not count as a guess. */
  normalize(typed: string): string | null
  /** The same for one stored secret whose codes have another form, because another system created them. */
  readonly normalizeFor?: ((typed: string, secret: string) => string | null) | undefined
  /** What to store when the code is right and was not accepted before; null otherwise. */
  accept(code: string, stored: StoredSecret): Promise<AcceptedCode | null>
}

/** What is stored about a factor, with its secret opened. */
export interface StoredSecret extends Pick<AdapterFactor, "lastStep"> {
  readonly secret: string
}

/** What keeps a code from being accepted again. */
export interface AcceptedCode {
  readonly secret: string
  readonly lastStep?: number | undefined
}

/** Kinds of rows that are kept beside the factors. */
export const deviceKind = "device"
export const endingKind = "ending"
const recoveryKind = "recovery"

export const isFactor = ({ kind }: Pick<AdapterFactor, "kind">): boolean => kind !== deviceKind && kind !== endingKind

/**
 * The factors among the rows of a user. Recovery codes are stored before the factor that they are set up with, and do not
 * count until it is: the user has not seen them.
 */
export function toFactors<Row extends AdapterFactor>(rows: readonly Row[]): readonly Row[] {
  const isShown = ({ kind, label }: Row) =>
    kind !== recoveryKind || label === null || rows.some(({ id }) => id === label)
  return rows.filter((row) => isFactor(row) && isShown(row))
}

/** Oldest first. */
export const byAge = (one: AdapterFactor, other: AdapterFactor): number =>
  toDate(one.createdAt).valueOf() - toDate(other.createdAt).valueOf()

type Owner = Pick<AdapterFactor, "id" | "userId" | "kind">

const importedPrefix = "imported-"

/** A user has one imported factor of each kind: the store refuses the second one of two imports at once. */
export async function toImportedId({ userId, kind }: Omit<Owner, "id">): Promise<string> {
  return importedPrefix + (await sha256Hex(`${kind} ${userId}`)).slice(0, 32)
}

export const isImported = ({ id }: Pick<AdapterFactor, "id">): boolean => id.startsWith(importedPrefix)

/** Seals the secrets of factors. Each is bound to its user and its factor: the secret of another row does not open. */
export interface Vault {
  seal(owner: Owner, secret: string): Promise<string>
  /** @throws InvalidConfiguration if no secret of the service opens it */
  open(row: AdapterFactor): Promise<string>
}

/** With a colon, as `Sealer` requires. */
const purpose = "factor:secret"

/** Seconds in 100 years: a factor has no expiry, a sealed value needs one. */
const forever = 100 * 366 * 24 * 60 * 60

export function createVault(secrets: readonly string[]): Vault {
  const sealer = createSealer(secrets, systemClock)
  return {
    seal: async ({ id, userId, kind }, secret) =>
      sealer.seal(purpose, { id, userId: toIdText(userId), kind, secret }, forever),
    async open({ id, userId, kind, secret }) {
      const claims = await sealer.open(purpose, secret)
      const isOwn = claims?.["id"] === id && claims["userId"] === toIdText(userId) && claims["kind"] === kind
      if (isOwn && typeof claims["secret"] === "string") return claims["secret"]
      throw new InvalidConfiguration(
        "secret: a second factor cannot be opened. Keep the former secrets in the list while users have factors from that time",
      )
    },
  }
}

/**
 * A typed code as it is compared. Null for text that cannot be a code of the user, so that a typing mistake does not count as
 * a guess.
 */
export async function readCode(
  typed: string,
  { factor, userId }: Omit<CodeAttempt, "code">,
  { store, vault }: Pick<SpendDeps, "store" | "vault">,
): Promise<string | null> {
  const code = factor.normalize(typed)
  if (code !== null || !factor.normalizeFor) return code
  for (const row of await store.listFactors(userId)) {
    const own = row.kind === factor.kind ? factor.normalizeFor(typed, await vault.open(row)) : null
    if (own !== null) return own
  }
  return null
}

interface CodeAttempt {
  readonly factor: CodeFactor
  readonly userId: string
  /** Normalized. */
  readonly code: string
}

/** Each lost race means that another request of this user was accepted, so that a few attempts are enough. */
const maxRaces = 5

/**
 * Spends a code of one of the user's factors. The code is marked as used before this returns, by compare and set, so that
 * only one of several requests with it succeeds.
 * @returns what was stored; null for a code that is wrong or was used before
 */
export async function spendCode(attempt: CodeAttempt, { store, vault }: SpendDeps): Promise<AcceptedCode | null> {
  const { factor, userId, code } = attempt
  for (let race = 0; race < maxRaces; race++) {
    const rows = (await store.listFactors(userId)).filter(({ kind }) => kind === factor.kind)
    let isLost = false
    for (const row of rows) {
      const accepted = await factor.accept(code, { secret: await vault.open(row), lastStep: row.lastStep })
      if (!accepted) continue
      const { secret, lastStep } = accepted
      const change: FactorChange = {
        id: row.id,
        from: row.version,
        // Sealed again with the newest secret of the service, so that former ones can be dropped some day.
        secret: await vault.seal(row, secret),
        lastUsedAt: new Date(systemClock()),
        ...(lastStep !== undefined && { lastStep }),
      }
      // Only `true` counts: an adapter that returns anything else did not confirm the write.
      if ((await store.changeFactor(change)) === true) return accepted
      isLost = true
    }
    if (!isLost) return null
  }
  return null
}

interface SpendDeps {
  readonly store: Pick<Store, "listFactors" | "changeFactor">
  readonly vault: Vault
}
