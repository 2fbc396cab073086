import { randomUUID } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type {
  Adapter,
  AdapterAccount,
  AdapterUser,
  Awaitable,
  ImportConflicts,
  ImportedUser,
  ImportKeys,
} from "@latchkey/core/adapters"
import { UsageError } from "../config.js"
import { type Journal, JournalTaken, type Progress } from "./journal.js"
import type { IdMap, Report, ReportLine } from "./written-files.js"

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
    | ({ readonly kind: "new" } & NewUser)
    | { readonly kind: "present"; readonly isRenamed: boolean }
    | { readonly kind: "refused"; readonly reason: string }
    /** The mapping leaves it out. */
    | { readonly kind: "ignored" }
}

/** A user who is not here. */
interface NewUser {
  readonly rows: ImportedUser
  /** Makes the factors again, for a user with another id: what is sealed opens for one id alone. */
  readonly sealFor: (userId: string) => Promise<ImportedUser["factors"]>
}

/** Where rows are stored. */
export interface Storage {
  readonly adapter: Adapter
  readonly journal: Journal | null
  readonly report: Report
  /** Our ids by those of the source, for a store that generates them. Null: ids are kept. */
  readonly ids: IdMap | null
  /**
   * Our store has these users in part, by the ids of the source: it has no transactions, and an import was interrupted when it
   * stored them.
   */
  readonly open: ReadonlySet<string>
  /** Called with the rows that are dealt with. */
  onStored(rows: readonly Row[], progress: Progress): void
}

const withMap =
  "If your app can do without the old ids, add --map ids.jsonl, which gets the old and the new id of each user."
const generated = `The store generates the ids of users, so that they would change. Keep ids in its tables. ${withMap}`

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
    await findConflicts(await findShared(others, storage.adapter), storage)
    return storeAtOnce(rows, before, storage)
  }
  let progress = before
  for (const row of rows) {
    // Before anything is written: such a store may overwrite what another user has.
    await findConflict(row, storage, askEach(storage.adapter))
    if (row.outcome.kind === "new") await note({ ...progress, open: [...progress.open, row.id ?? ""] }, storage)
    progress = await storeAtOnce([row], progress, { ...storage, journal: null })
  }
  await note(progress, storage)
  return progress
}

/** Writes the journal without users. */
export async function note(progress: Progress, { adapter, journal }: Storage): Promise<void> {
  try {
    await journal?.write(adapter, progress)
  } catch (error) {
    // What the other import writes is about as good.
    if (!(error instanceof JournalTaken)) throw error
  }
}

async function storeAtOnce(rows: readonly Row[], before: Progress, storage: Storage): Promise<Progress> {
  for (let turn = 0; ; turn += 1) {
    const next = advance(before, rows, storage)
    try {
      const after = await write(rows, next, storage)
      storage.onStored(rows, after)
      return after
    } catch (error) {
      storage.report.cut(before.reportBytes)
      storage.ids?.cut(before.mapBytes ?? 0)
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
  if (isOfStore(error)) throw error
  const found = [await findConflicts(rows, storage), findMistakes(rows, before, storage)]
  if (found.includes(true)) return storeAtOnce(rows, before, storage)
  const half = Math.floor(rows.length / 2)
  if (half > 0) return storeAtOnce(rows.slice(half), await storeAtOnce(rows.slice(0, half), before, storage), storage)
  // Throws if the store does not respond: then no row is to blame.
  await storage.adapter.getUser?.(randomUUID())
  const [row] = rows
  if (row?.outcome.kind !== "new") throw error
  row.outcome = { kind: "refused", reason: `The store did not take it${toCode(error)}` }
  return storeAtOnce(rows, before, storage)
}

/** Whether the store is at fault and not the row: a table is missing, or the app may not write it. */
function isOfStore(error: unknown): boolean {
  return /\b(?:42501|42P01|ER_NO_SUCH_TABLE|ER_TABLEACCESS_DENIED_ERROR)\b/.test(toCode(error)) || isMissing(error)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && (/no such table/.test(error.message) || isMissing(error.cause))
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
export function advance(before: Progress, rows: readonly Row[], { report }: Pick<Storage, "report">): Progress {
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
    mapBytes: before.mapBytes,
    open: before.open.filter((id) => rows.every((row) => row.id !== id)),
  }
}

function toReportLines({ outcome, id, line, left }: Row): readonly ReportLine[] {
  if (outcome.kind === "refused") return [{ kind: "refused", id, line, reason: outcome.reason }]
  return outcome.kind === "new" ? left.map((reason) => ({ kind: "left", id, line, reason })) : []
}

/** @returns the progress with the length that the file of `--map` has now */
async function write(rows: readonly Row[], next: Progress, storage: Storage): Promise<Progress> {
  const { adapter, journal, ids } = storage
  const users = rows.flatMap(({ outcome }) => (outcome.kind === "new" ? [outcome] : []))
  const toAfter = () => ({ ...next, mapBytes: ids?.length() ?? null })
  if (!adapter.transaction) {
    for (const user of users) await storeAlone(user, storage)
    return toAfter()
  }
  return adapter.transaction(async (within) => {
    const storeAll = findBulk<[readonly ImportedUser[]], unknown>(within, "storeImported")
    if (storeAll && ids === null) await storeAll(users.map((user) => user.rows))
    else for (const user of users) await storeUser(user, within, storage)
    const after = toAfter()
    await journal?.write(within, after)
    return after
  })
}

/** A method of the adapters that do many things at once. */
function findBulk<Given extends readonly unknown[], T>(
  adapter: Adapter,
  name: "storeImported" | "findImported",
): ((...given: Given) => Promise<T>) | null {
  const method: unknown = Reflect.get(adapter, name)
  return typeof method === "function" ? async (...given) => Reflect.apply(method, adapter, given) : null
}

/** Stores a user in a store without transactions: with everything, or not at all. */
async function storeAlone(user: NewUser, storage: Storage): Promise<void> {
  const created: { id?: string } = {}
  try {
    await storeUser(user, storage.adapter, storage, created)
  } catch (error) {
    if (created.id !== undefined) await storage.adapter.deleteUser?.(created.id)
    throw error
  }
}

async function storeUser(
  user: NewUser,
  adapter: Adapter,
  { ids }: Pick<Storage, "ids">,
  created: { id?: string } = {},
): Promise<void> {
  const { id } = user.rows.user
  const stored = await adapter.createUser?.(user.rows.user)
  const ours = String(stored?.id ?? id)
  created.id = ours
  if (ours !== id && !ids) throw new UsageError(generated)
  ids?.add(id, ours)
  await addCredentials(user, ours, adapter)
}

async function addCredentials({ rows, sealFor }: NewUser, userId: string, adapter: Adapter): Promise<void> {
  for (const account of rows.accounts) await adapter.linkAccount?.({ ...account, userId })
  if (rows.password) await adapter.setPassword?.({ ...rows.password, userId, from: null })
  const isSealed = userId === rows.user.id || rows.factors.length === 0
  for (const factor of isSealed ? rows.factors : await sealFor(userId)) await adapter.createFactor?.(factor)
  for (const { name, lastUsedAt, ...passkey } of rows.passkeys) {
    await adapter.createAuthenticator?.({ ...passkey, userId })
    const { credentialID } = passkey
    if (name || lastUsedAt)
      await adapter.updateAuthenticator?.({ credentialID, name: name ?? null, lastUsedAt: lastUsedAt ?? null })
  }
  if (rows.verifiedEmail) await adapter.markEmailVerified?.({ ...rows.verifiedEmail, userId })
}

/** What is asked before a user is stored. */
interface LookUps {
  findUser(id: string): Awaitable<AdapterUser | null | undefined>
  hasAddress(email: string): Awaitable<boolean>
  hasAccount(account: AccountKey): Awaitable<boolean>
  hasPasskey(credentialID: string): Awaitable<boolean>
}

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">

/** Looks why new rows cannot be stored. @returns whether an outcome changed */
export async function findConflicts(rows: readonly Row[], storage: Storage): Promise<boolean> {
  const lookUps = await askForAll(rows, storage)
  const changed = await Promise.all(rows.map((row) => findConflict(row, storage, lookUps)))
  return changed.includes(true)
}

/**
 * Looks which values no row of the store can have. @returns whether an outcome changed
 * @throws UsageError if the column of ids takes none of the source
 */
export function findMistakes(rows: readonly Row[], before: Progress, { adapter, ids }: Storage): boolean {
  const check: unknown = Reflect.get(adapter, "checkImported")
  const left = rows.filter(({ outcome }) => outcome.kind === "new")
  if (typeof check !== "function" || left.length === 0) return false
  const users = left.flatMap(({ outcome }) => (outcome.kind === "new" ? [outcome.rows] : []))
  const found: readonly (string | null)[] = Reflect.apply(check, adapter, [users])
  // With --map, users get other ids.
  const mistakes = found.map((mistake) => (ids && /^(?:id|userId) must/.test(mistake ?? "") ? null : mistake))
  const [mistake] = mistakes
  const isFirst = before.stored + before.present === 0 && left.length === rows.length && rows.length > 1
  if (isFirst && mistake?.startsWith("id must") && mistakes.every((each) => each === mistake))
    throw new UsageError(`The store has ids of another kind: ${mistake}. ${withMap}`)
  for (const [index, row] of left.entries()) {
    const mistake = mistakes[index] ?? null
    if (mistake !== null) row.outcome = { kind: "refused", reason: `The store cannot keep it: ${mistake}` }
  }
  return mistakes.some((mistake) => mistake !== null)
}

/** Asks one by one. */
function askEach(adapter: Adapter): LookUps {
  return {
    findUser: (id) => adapter.getUser?.(id),
    hasAddress: async (email) => Boolean(await adapter.getUserByEmail?.(email)),
    hasAccount: async (account) => Boolean(await adapter.getUserByAccount?.(account)),
    hasPasskey: async (credentialID) => Boolean(await adapter.getAuthenticator?.(credentialID)),
  }
}

/** Asks for everything in few statements where the adapter can. */
async function askForAll(rows: readonly Row[], { adapter, ids }: Storage): Promise<LookUps> {
  const findAll = findBulk<[ImportKeys], ImportConflicts>(adapter, "findImported")
  if (!findAll) return askEach(adapter)
  const users = rows.flatMap(({ outcome }) => (outcome.kind === "new" ? [outcome.rows] : []))
  const found = await findAll({
    ids: users.flatMap(({ user }) => (ids ? (ids.find(user.id) ?? []) : user.id)),
    emails: [...users.flatMap(({ user }) => user.email ?? []), ...rows.flatMap(({ givenEmail }) => givenEmail ?? [])],
    accounts: users.flatMap(({ accounts }) => accounts),
    credentialIDs: users.flatMap(({ passkeys }) => passkeys.map(({ credentialID }) => credentialID)),
  })
  const known = new Map(found.users.map((user) => [user.id, user]))
  const emails = new Set(found.users.map(({ email }) => email))
  const accounts = new Set(found.accounts.map(toAccountText))
  const passkeys = new Set(found.authenticators.map(({ credentialID }) => credentialID))
  return {
    findUser: (id) => known.get(id),
    hasAddress: (email) => emails.has(email),
    hasAccount: (account) => accounts.has(toAccountText(account)),
    hasPasskey: (credentialID) => passkeys.has(credentialID),
  }
}

/** One text for each account. */
export function toAccountText({ provider, providerAccountId }: AccountKey): string {
  return JSON.stringify([provider, providerAccountId])
}

/** The rows whose address a user here has in the form of the source. Without a bulk method, it may be any. */
async function findShared(rows: readonly Row[], adapter: Adapter): Promise<readonly Row[]> {
  const findAll = findBulk<[ImportKeys], ImportConflicts>(adapter, "findImported")
  if (!findAll || rows.length === 0) return rows
  const emails = rows.flatMap(({ givenEmail }) => givenEmail ?? [])
  const { users } = await findAll({ ids: [], emails, accounts: [], credentialIDs: [] })
  const taken = new Set(users.map(({ email }) => email))
  return rows.filter(({ givenEmail = "" }) => taken.has(givenEmail))
}

/** Looks why a new row cannot be stored. @returns whether its outcome changed */
async function findConflict(row: Row, storage: Storage, lookUps: LookUps): Promise<boolean> {
  if (row.outcome.kind !== "new") return false
  const { rows } = row.outcome
  const { adapter, ids } = storage
  const ours = ids ? ids.find(rows.user.id) : rows.user.id
  const present = ours === undefined ? null : await lookUps.findUser(ours)
  if (present) {
    const isOpen = storage.open.has(rows.user.id)
    if (isOpen && isSamePerson(present, rows)) await complete(row.outcome, present.id, adapter)
    row.outcome = { kind: "present", isRenamed: isRenamed(present, rows) }
    return true
  }
  const reason = await findOwner(row, rows, lookUps)
  if (reason !== null) row.outcome = { kind: "refused", reason }
  return reason !== null
}

/** Whether the user with this id has a different address here: they changed it, or are a different person. */
function isRenamed({ email }: AdapterUser, { user }: ImportedUser): boolean {
  return user.email !== null && email !== user.email
}

/**
 * Whether an interrupted import may have stored this user: both have the same address or, without one, the same name and picture.
 * Where ids are numbers, the source and this store can use one id for two people. The one here must not get the other's sign-in
 * methods.
 */
function isSamePerson({ email, name, image }: AdapterUser, { user }: ImportedUser): boolean {
  if (email || user.email) return email === user.email
  return (name ?? null) === (user.name ?? null) && (image ?? null) === (user.image ?? null)
}

/** Who has what the user would get. */
async function findOwner(
  { givenEmail }: Pick<Row, "givenEmail">,
  { user, accounts, passkeys }: ImportedUser,
  lookUps: LookUps,
): Promise<string | null> {
  for (const form of [user.email, givenEmail])
    if (form && (await lookUps.hasAddress(form))) return "Another user here has the address"
  for (const account of accounts)
    if (await lookUps.hasAccount(account)) return `Another user here has the account at ${account.provider}`
  for (const { credentialID } of passkeys)
    if (await lookUps.hasPasskey(credentialID)) return "Another user here has one of the passkeys"
  return null
}

/** Adds what an interrupted import did not get to. What the user has here stays as it is. */
async function complete({ rows, sealFor }: NewUser, userId: string, adapter: Adapter): Promise<void> {
  const accounts = []
  for (const account of rows.accounts) if (!(await adapter.getUserByAccount?.(account))) accounts.push(account)
  const passkeys = []
  for (const passkey of rows.passkeys)
    if (!(await adapter.getAuthenticator?.(passkey.credentialID))) passkeys.push(passkey)
  const hasFactors = ((await adapter.listFactors?.(userId)) ?? []).length > 0
  const left = { ...rows, accounts, passkeys, factors: hasFactors ? [] : rows.factors }
  await addCredentials({ rows: left, sealFor }, userId, adapter)
}
