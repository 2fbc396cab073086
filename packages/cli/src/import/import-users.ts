import { resolve } from "node:path"
import type { ImportedUser } from "@latchkey/core/adapters"
import type { CommandContext } from "../config.js"
import { createProgress } from "../terminal.js"
import { toBar } from "./import-text.js"
import { openJournal, type Progress } from "./journal.js"
import { createMemory, createTidying } from "./memory.js"
import type { ImportSettings, ProviderPlan } from "./plan.js"
import type { Source, SourceRow } from "./records.js"
import { createRowMaker, type UserRows } from "./rows.js"
import { type Maker, RowRefused } from "./sealed-rows.js"
import {
  advance,
  findConflicts,
  findMistakes,
  note,
  type Row,
  type Storage,
  storeBatch,
  toAccountText,
} from "./store.js"
import type { Target } from "./target.js"
import { type IdMap, openIdMap, openReport } from "./written-files.js"

/** What is imported, and how. */
export interface ImportTask {
  readonly source: Source
  readonly target: Target
  readonly maker: Maker | null
  readonly settings: ImportSettings
  readonly plan: ProviderPlan
  /** How many users the source has, if it can tell. */
  readonly users: number | undefined
}

/** How an import ended. */
export interface ImportOutcome {
  readonly progress: Progress
  readonly seconds: number
  /** How many rows were refused for each reason. */
  readonly reasons: ReadonlyMap<string, number>
  /** What did not come along, by how many users. */
  readonly left: ReadonlyMap<string, number>
}

const none = { stored: 0, present: 0, renamed: 0, refused: 0, incomplete: 0 }
const start: Progress = { ...none, cursor: "", reportBytes: 0, mapBytes: null, open: [] }

/**
 * Reads the source and stores its users in batches.
 * @throws Error if the source or the store fails. What was stored stays, and `--resume` goes on.
 */
export async function importUsers(task: ImportTask, context: CommandContext): Promise<ImportOutcome> {
  const { source, target, settings } = task
  const journal = settings.isDryRun ? null : openJournal(target.adapter, [settings.sourceId, source.fingerprint])
  const interrupted = (await journal?.read()) ?? null
  const isResumed = settings.isResumed && interrupted !== null
  const begun = isResumed ? interrupted : start
  if (interrupted) context.print(toInterruptedText(interrupted, isResumed))
  const report = openReport(settings.reportFile && resolve(context.folder, settings.reportFile), begun.reportBytes)
  const ids = await openIds(task, interrupted, context)
  const before = { ...begun, mapBytes: ids?.length() ?? null, open: interrupted?.open ?? [] }
  const counts = { reasons: new Map<string, number>(), left: new Map<string, number>() }
  const view = createView(task, before, context)
  const onStored = (rows: readonly Row[], progress: Progress) => {
    countRows(rows, counts)
    view.show(progress)
  }
  const storage = { adapter: target.adapter, journal, report, ids, open: new Set(before.open), onStored }
  try {
    // A process that is killed in the first batch leaves lines of users who were not stored.
    if (ids) await note(before, storage)
    const progress = await storeAll(task, before, storage)
    await journal?.remove()
    view.clear()
    return { ...counts, progress, seconds: view.seconds() }
  } finally {
    view.clear()
    report.close()
    ids?.close()
  }
}

/** In a store without transactions, a line of the map is written after its user: all of them count. */
async function openIds(
  { target, settings }: ImportTask,
  interrupted: Progress | null,
  { folder }: CommandContext,
): Promise<IdMap | null> {
  const { mapFile, isResumed, isDryRun, sourceId } = settings
  if (mapFile === undefined) return null
  const bytes = target.adapter.transaction ? (interrupted?.mapBytes ?? null) : null
  return openIdMap(resolve(folder, mapFile), { bytes, isResumed, isDryRun, sourceId })
}

function toInterruptedText({ stored, present, refused }: Progress, isResumed: boolean): string {
  const count = stored + present + refused
  return isResumed
    ? `  Goes on after the ${count} rows of an interrupted import.\n\n`
    : `  An import of this source stopped after ${count} rows. This one begins again; --resume would go on.\n\n`
}

/** A batch is stored after this time, too, so that little is lost when the import ends, and no lock is held for long. */
const batchMs = 2000

async function storeAll(task: ImportTask, before: Progress, storage: Storage): Promise<Progress> {
  const { source, settings } = task
  const toRow = createReader(task)
  const store = (rows: readonly Row[], from: Progress) => storeBatch(rows, from, storage)
  const deal = settings.isDryRun ? createChecker(storage) : store
  const tidy = createTidying()
  let batch: Row[] = []
  let since = performance.now()
  let stored = Promise.resolve(before)
  const flush = async () => {
    const [rows, from] = [batch, await stored]
    stored = deal(rows, from)
    // Awaited with the next batch, which is made meanwhile.
    stored.catch(() => {})
    // The factors of users with other ids are sealed while they are stored.
    if (storage.ids) await stored
    batch = []
    tidy()
    since = performance.now()
  }
  try {
    for await (const read of source.read(before.cursor === "" ? undefined : before.cursor)) {
      batch.push(await toRow(read))
      if (batch.length >= settings.batchSize || performance.now() - since > batchMs) await flush()
    }
    if (batch.length > 0) await flush()
  } finally {
    // What is being stored needs the files and the store.
    await Promise.allSettled([stored])
  }
  return stored
}

/** Returns a function that makes a row of what a source has read. */
function createReader({ target, maker, settings, plan }: ImportTask): (read: SourceRow) => Promise<Row> {
  const { skipped, sourceId } = settings
  const makeRows = createRowMaker({ types: target.providers, maker, skipped, toProvider: plan.find, sourceId })
  const known = createMemory()
  return async (read) => {
    const place = { cursor: read.cursor, line: read.line, left: [] }
    if (read.kind === "ignored") return { ...place, id: undefined, outcome: { kind: "ignored" } }
    if (read.kind === "refused") return { ...place, id: read.id, outcome: { kind: "refused", reason: read.reason } }
    const { id } = read.user
    const refuse = (reason: string): Row => ({ ...place, id, outcome: { kind: "refused", reason } })
    if (read.line !== undefined && known.add(id)) return refuse("A line before has the same id")
    try {
      const { rows, sealFor, left, givenEmail }: UserRows = await makeRows(read.user)
      return { ...place, id, left, givenEmail, outcome: { kind: "new", rows, sealFor } }
    } catch (error) {
      if (error instanceof RowRefused) return refuse(error.message)
      throw error
    }
  }
}

/** For `--dry-run`: looks for what keeps rows from being stored, in the store and among themselves. */
function createChecker(storage: Storage): (rows: readonly Row[], before: Progress) => Promise<Progress> {
  const taken = createMemory()
  return async (rows, before) => {
    await findConflicts(rows, storage)
    findMistakes(rows, before, storage)
    for (const row of rows) {
      if (row.outcome.kind !== "new") continue
      const own = toUniqueTexts(row.outcome.rows)
      const double = own.find(([, text]) => taken.has(text))
      if (double) row.outcome = { kind: "refused", reason: `A user before has the same ${double[0]}` }
      // A row that is refused takes nothing.
      else for (const [, text] of own) taken.add(text)
    }
    const after = advance(before, rows, storage)
    storage.onStored(rows, after)
    return after
  }
}

/** What no two users may have. */
function toUniqueTexts({ user, accounts, passkeys }: ImportedUser): readonly (readonly [name: string, text: string])[] {
  return [
    ...(user.email ? [["address", `address ${user.email}`] as const] : []),
    ...accounts.map((account) => ["account", toAccountText(account)] as const),
    ...passkeys.map(({ credentialID }) => ["passkey", `passkey ${credentialID}`] as const),
  ]
}

interface Counts {
  readonly reasons: Map<string, number>
  readonly left: Map<string, number>
}

function countRows(rows: readonly Row[], { reasons, left }: Counts): void {
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const { outcome, left: sentences } of rows) {
    if (outcome.kind === "refused") count(reasons, outcome.reason)
    if (outcome.kind === "new") for (const sentence of sentences) count(left, sentence)
  }
}

interface View {
  show(progress: Progress): void
  clear(): void
  seconds(): number
}

const stepMs = 100

/** The bar on a terminal. Elsewhere one line tells how long a store without transactions will take. */
function createView({ users, target }: ImportTask, before: Progress, context: CommandContext): View {
  const line = createProgress(context)
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  const count = ({ stored, present, refused }: Progress) => stored + present + refused
  const state = { shown: 0, isTold: context.terminals?.errors === true || target.adapter.transaction !== undefined }
  return {
    show(progress) {
      const [done, now] = [count(progress), performance.now()]
      if (now - state.shown < stepMs) return
      const rate = (done - count(before)) / Math.max(seconds(), 0.001)
      const text = toBar({ done, users, rate })
      line.step(text)
      state.shown = now
      if (state.isTold) return
      state.isTold = true
      context.printError(`The store has no transactions: users are stored one by one. ${text}\n`)
    },
    clear: () => line.clear(),
    seconds,
  }
}
