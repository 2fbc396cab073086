import { closeSync, openSync, writeSync } from "node:fs"
import { resolve } from "node:path"
import type { CommandContext } from "../config.js"
import { createProgress, toJsonLine } from "../terminal.js"
import { toBar } from "./import-text.js"
import { openJournal, type Progress } from "./journal.js"
import { readLines } from "./lines.js"
import { createMemory, createTidying } from "./memory.js"
import type { ImportSettings, ProviderPlan } from "./plan.js"
import type { Source, SourceRow } from "./records.js"
import { openReport } from "./report.js"
import { createRowMaker, type UserRows } from "./rows.js"
import { type Maker, RowRefused } from "./sealed-rows.js"
import { advance, findConflict, type IdMap, type Row, type Storage, storeBatch } from "./store.js"
import type { Target } from "./target.js"

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

const start: Progress = { cursor: "", stored: 0, present: 0, renamed: 0, refused: 0, incomplete: 0, reportBytes: 0 }

/**
 * Reads the source and stores its users in batches.
 * @throws Error if the source or the store fails. What was stored stays, and `--resume` goes on.
 */
export async function importUsers(task: ImportTask, context: CommandContext): Promise<ImportOutcome> {
  const { source, target, settings } = task
  const journal = settings.isDryRun ? null : openJournal(target.adapter, [settings.sourceId, source.fingerprint])
  const interrupted = (await journal?.read()) ?? null
  const before = settings.isResumed ? (interrupted ?? start) : start
  if (interrupted) context.print(toInterruptedText(interrupted, before !== start))
  const report = openReport(settings.reportFile && resolve(context.folder, settings.reportFile), before.reportBytes)
  const ids = settings.mapFile === undefined ? null : await openIdMap(resolve(context.folder, settings.mapFile))
  const counts = { reasons: new Map<string, number>(), left: new Map<string, number>() }
  const view = createView(task, before, context)
  const mayBePartial = !settings.isDryRun && !target.adapter.transaction && (interrupted !== null || settings.isResumed)
  const onStored = (rows: readonly Row[], progress: Progress) => {
    countRows(rows, counts)
    view.show(progress)
  }
  const storage = { adapter: target.adapter, journal, report, ids, mayBePartial, onStored }
  try {
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
  let progress = before
  let batch: Row[] = []
  let since = performance.now()
  const flush = async () => {
    progress = await deal(batch, progress)
    batch = []
    tidy()
    since = performance.now()
  }
  for await (const read of source.read(before.cursor === "" ? undefined : before.cursor)) {
    batch.push(await toRow(read))
    if (batch.length >= settings.batchSize || performance.now() - since > batchMs) await flush()
  }
  if (batch.length > 0) await flush()
  return progress
}

/** Returns a function that makes a row of what a source has read. */
function createReader({ target, maker, settings, plan }: ImportTask): (read: SourceRow) => Promise<Row> {
  const { skipped, sourceId } = settings
  const makeRows = createRowMaker({ types: target.providers, maker, skipped, toProvider: plan.find, sourceId })
  const isKnown = createMemory()
  return async (read) => {
    const place = { cursor: read.cursor, line: read.line, left: [] }
    if (read.kind === "ignored") return { ...place, id: undefined, outcome: { kind: "ignored" } }
    if (read.kind === "refused") return { ...place, id: read.id, outcome: { kind: "refused", reason: read.reason } }
    const { id } = read.user
    const refuse = (reason: string): Row => ({ ...place, id, outcome: { kind: "refused", reason } })
    if (read.line !== undefined && isKnown(id)) return refuse("A line before has the same id")
    try {
      const { rows, left, givenEmail }: UserRows = await makeRows(read.user)
      return { ...place, id, left, givenEmail, outcome: { kind: "new", rows } }
    } catch (error) {
      if (error instanceof RowRefused) return refuse(error.message)
      throw error
    }
  }
}

/** For `--dry-run`: looks for what keeps rows from being stored, in the store and among themselves. */
function createChecker(storage: Storage): (rows: readonly Row[], before: Progress) => Promise<Progress> {
  const isTaken = createMemory()
  return async (rows, before) => {
    await Promise.all(rows.map((row) => findConflict(row, storage)))
    for (const row of rows) {
      if (row.outcome.kind !== "new") continue
      const { user, accounts } = row.outcome.rows
      const isDouble = user.email !== null && isTaken(user.email)
      const taken = accounts.filter((account) => isTaken(JSON.stringify([account.provider, account.providerAccountId])))
      if (isDouble || taken.length > 0)
        row.outcome = { kind: "refused", reason: `A user before has the same ${isDouble ? "address" : "account"}` }
    }
    const after = advance(before, rows, storage.report)
    storage.onStored(rows, after)
    return after
  }
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

/** The file of `--map`: lines with `from` and `to`. The last line of an id counts. */
async function openIdMap(path: string): Promise<IdMap & { close(): void }> {
  const known = new Map<string, string>()
  const file = openSync(path, "a", 0o600)
  for await (const { text } of readLines(path)) {
    const { from, to }: Readonly<Record<string, unknown>> = text === null ? {} : Object(JSON.parse(text))
    if (typeof from === "string" && typeof to === "string") known.set(from, to)
  }
  return {
    find: (id) => known.get(id),
    add(from, to) {
      known.set(from, to)
      writeSync(file, toJsonLine({ from, to }))
    },
    close: () => closeSync(file),
  }
}
