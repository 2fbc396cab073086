import { randomUUID } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type { Adapter, AdapterUser, ImportedUser } from "@latchkey/core/adapters"
import { UsageError } from "../config.js"
import { type Journal, JournalTaken, type Progress } from "./journal.js"
import type { Report, ReportLine } from "./report.js"

/** A row of the source, and what becomes of it. */
export interface Row {
  readonly cursor: string
  readonly line: number | undefined
  readonly id: string | undefined
  /** Sentences about what cannot come along. */
  readonly left: readonly string[]
  /** The address as the source has it, if it is stored in another form. */
  readonly givenEmail?: string | undefined
  outcome:
    | { readonly kind: "new"; readonly rows: ImportedUser }
    | { readonly kind: "present"; readonly isRenamed: boolean }
    | { readonly kind: "refused"; readonly reason: string }
    /** The mapping leaves it out. */
    | { readonly kind: "ignored" }
}

/** Where rows are stored. */
export interface Storage {
  readonly adapter: Adapter
  readonly journal: Journal | null
  readonly report: Report
  /** Our ids by those of the source, for a store that generates them. Null: ids are kept. */
  readonly ids: IdMap | null
  /** Whether users who exist may lack what belongs to them: an import was interrupted, and the store has no transactions. */
  readonly mayBePartial: boolean
  /** Called with the rows that are dealt with. */
  onStored(rows: readonly Row[], progress: Progress): void
}

/** Ids that a store generated. */
export interface IdMap {
  find(id: string): string | undefined
  add(id: string, ours: string): void
}

const generated =
  "The store generates the ids of users, so that they would change. Keep ids in its tables or, if your app can do without them, add --map ids.jsonl, which gets the old and the new id of each user."

/** How often a batch begins again because another import of the same source wrote the journal. */
const maxTurns = 100

/**
 * Stores the rows of a batch, and how far the import has come: both or neither. What exists stays as it is.
 * @throws Error if the store does not answer
 */
export async function storeBatch(rows: readonly Row[], before: Progress, storage: Storage): Promise<Progress> {
  if (storage.adapter.transaction) {
    // A user here may have the address in the form of the source, which no unique index compares with ours.
    const others = rows.filter(({ givenEmail }) => givenEmail !== undefined)
    for (const row of others) await findConflict(row, storage)
    return storeAtOnce(rows, before, storage)
  }
  let progress = before
  for (const row of rows) {
    // Before anything is written: such a store may overwrite what another user has.
    await findConflict(row, storage)
    progress = await storeAtOnce([row], progress, { ...storage, journal: null })
  }
  try {
    await storage.journal?.write(storage.adapter, progress)
  } catch (error) {
    // What the other import writes is about as good.
    if (!(error instanceof JournalTaken)) throw error
  }
  return progress
}

async function storeAtOnce(rows: readonly Row[], before: Progress, storage: Storage): Promise<Progress> {
  for (let turn = 0; ; turn += 1) {
    const after = advance(before, rows, storage.report)
    try {
      await write(rows, after, storage)
      storage.onStored(rows, after)
      return after
    } catch (error) {
      storage.report.cut(before.reportBytes)
      if (error instanceof UsageError) throw error
      if (!(error instanceof JournalTaken)) return storeRest(rows, before, { storage, error })
      if (turn === maxTurns) throw error
      await pause(Math.random() * 50)
    }
  }
}

/** Finds out which rows cannot be stored, and stores the others. */
async function storeRest(
  rows: readonly Row[],
  before: Progress,
  { storage, error }: { readonly storage: Storage; readonly error: unknown },
): Promise<Progress> {
  const known = await Promise.all(rows.map((row) => findConflict(row, storage)))
  if (known.some(Boolean)) return storeAtOnce(rows, before, storage)
  const half = Math.floor(rows.length / 2)
  if (half > 0) return storeAtOnce(rows.slice(half), await storeAtOnce(rows.slice(0, half), before, storage), storage)
  // A store that does not answer refuses no row.
  await storage.adapter.getUser?.(randomUUID())
  const [row] = rows
  if (row?.outcome.kind !== "new") throw error
  row.outcome = { kind: "refused", reason: `The store did not take it${toCode(error)}` }
  return storeAtOnce(rows, before, storage)
}

/** The code of a database's error. Its message may have an address in it. */
function toCode(error: unknown): string {
  if (typeof error !== "object" || error === null) return ""
  const { code, errcode, cause }: Readonly<Record<string, unknown>> = { ...error, cause: Reflect.get(error, "cause") }
  const found = code ?? errcode
  if (typeof found === "string" || typeof found === "number") return ` (${String(found).slice(0, 40)})`
  return cause === undefined ? "" : toCode(cause)
}

/** How far the import has come with these rows, whose report is written. */
export function advance(before: Progress, rows: readonly Row[], report: Report): Progress {
  const count = (kind: Row["outcome"]["kind"]) => rows.filter(({ outcome }) => outcome.kind === kind).length
  const isNew = ({ outcome }: Row) => outcome.kind === "new"
  return {
    cursor: rows.at(-1)?.cursor ?? before.cursor,
    stored: before.stored + count("new"),
    present: before.present + count("present"),
    renamed: before.renamed + rows.filter(({ outcome }) => outcome.kind === "present" && outcome.isRenamed).length,
    refused: before.refused + count("refused"),
    incomplete: before.incomplete + rows.filter((row) => isNew(row) && row.left.length > 0).length,
    reportBytes: report.append(rows.flatMap(toReportLines)),
  }
}

function toReportLines({ outcome, id, line, left }: Row): readonly ReportLine[] {
  if (outcome.kind === "refused") return [{ kind: "refused", id, line, reason: outcome.reason }]
  return outcome.kind === "new" ? left.map((reason) => ({ kind: "left", id, line, reason })) : []
}

async function write(rows: readonly Row[], after: Progress, storage: Storage): Promise<void> {
  const { adapter, journal } = storage
  const users = rows.flatMap(({ outcome }) => (outcome.kind === "new" ? [outcome.rows] : []))
  if (!adapter.transaction) {
    for (const user of users) await storeAlone(user, storage)
    return
  }
  await adapter.transaction(async (within) => {
    const storeAll = findBulk(within)
    if (storeAll && storage.ids === null) await storeAll(users)
    else for (const user of users) await storeUser(user, within, storage)
    await journal?.write(within, after)
  })
}

/** `storeImported` of the adapters that have it. */
function findBulk(adapter: Adapter): ((users: readonly ImportedUser[]) => Promise<unknown>) | null {
  const method: unknown = Reflect.get(adapter, "storeImported")
  return typeof method === "function" ? async (users) => Reflect.apply(method, adapter, [users]) : null
}

/** Stores a user in a store without transactions: with everything, or not at all. */
async function storeAlone(rows: ImportedUser, storage: Storage): Promise<void> {
  const created: { id?: string } = {}
  try {
    await storeUser(rows, storage.adapter, storage, created)
  } catch (error) {
    if (created.id !== undefined) await storage.adapter.deleteUser?.(created.id)
    throw error
  }
}

async function storeUser(
  rows: ImportedUser,
  adapter: Adapter,
  { ids }: Pick<Storage, "ids">,
  created: { id?: string } = {},
): Promise<void> {
  const { id } = rows.user
  const stored = await adapter.createUser?.(rows.user)
  const ours = String(stored?.id ?? id)
  created.id = ours
  if (ours !== id && !ids) throw new UsageError(generated)
  ids?.add(id, ours)
  await addCredentials(rows, ours, adapter)
}

async function addCredentials(rows: ImportedUser, userId: string, adapter: Adapter): Promise<void> {
  for (const account of rows.accounts) await adapter.linkAccount?.({ ...account, userId })
  if (rows.password) await adapter.setPassword?.({ ...rows.password, userId, from: null })
  for (const factor of rows.factors) await adapter.createFactor?.({ ...factor, userId })
  for (const { name, lastUsedAt, ...passkey } of rows.passkeys) {
    await adapter.createAuthenticator?.({ ...passkey, userId })
    const { credentialID } = passkey
    if (name || lastUsedAt)
      await adapter.updateAuthenticator?.({ credentialID, name: name ?? null, lastUsedAt: lastUsedAt ?? null })
  }
  if (rows.verifiedEmail) await adapter.markEmailVerified?.({ ...rows.verifiedEmail, userId })
}

/** Looks why a new row cannot be stored. @returns whether its outcome changed */
export async function findConflict(row: Row, storage: Storage): Promise<boolean> {
  if (row.outcome.kind !== "new") return false
  const { rows } = row.outcome
  const { adapter, ids } = storage
  const ours = ids ? ids.find(rows.user.id) : rows.user.id
  const present = ours === undefined ? null : await adapter.getUser?.(ours)
  if (present) {
    if (storage.mayBePartial && isSamePerson(present, rows)) await complete(rows, present.id, adapter)
    row.outcome = { kind: "present", isRenamed: isRenamed(present, rows) }
    return true
  }
  const reason = await findOwner(row, rows, adapter)
  if (reason !== null) row.outcome = { kind: "refused", reason }
  return reason !== null
}

/** Whether a user here has another address: they changed it, or are another person with the same id. */
function isRenamed({ email }: AdapterUser, { user }: ImportedUser): boolean {
  return user.email !== null && email !== user.email
}

/**
 * Whether an interrupted import may have stored a user who is here: they have its address or, without one, its name and its
 * picture. Systems that count their users have one with the same id as somebody else here, who must not get the other one's
 * ways to sign in.
 */
function isSamePerson({ email, name, image }: AdapterUser, { user }: ImportedUser): boolean {
  if (email || user.email) return email === user.email
  return (name ?? null) === (user.name ?? null) && (image ?? null) === (user.image ?? null)
}

/** Who has what the user would get. */
async function findOwner(
  { givenEmail }: Pick<Row, "givenEmail">,
  { user, accounts, passkeys }: ImportedUser,
  adapter: Adapter,
): Promise<string | null> {
  for (const form of [user.email, givenEmail])
    if (form && (await adapter.getUserByEmail?.(form))) return "Another user here has the address"
  for (const { provider, providerAccountId } of accounts)
    if (await adapter.getUserByAccount?.({ provider, providerAccountId }))
      return `Another user here has the account at ${provider}`
  for (const { credentialID } of passkeys)
    if (await adapter.getAuthenticator?.(credentialID)) return "Another user here has one of the passkeys"
  return null
}

/** Adds what an interrupted import did not get to. What the user has here stays as it is. */
async function complete(rows: ImportedUser, userId: string, adapter: Adapter): Promise<void> {
  const accounts = []
  for (const account of rows.accounts) if (!(await adapter.getUserByAccount?.(account))) accounts.push(account)
  const passkeys = []
  for (const passkey of rows.passkeys)
    if (!(await adapter.getAuthenticator?.(passkey.credentialID))) passkeys.push(passkey)
  const hasFactors = ((await adapter.listFactors?.(userId)) ?? []).length > 0
  await addCredentials({ ...rows, accounts, passkeys, factors: hasFactors ? [] : rows.factors }, userId, adapter)
}
