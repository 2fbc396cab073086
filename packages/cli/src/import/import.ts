import { existsSync, realpathSync } from "node:fs"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { type CommandContext, UsageError } from "../config.js"
import { createPaint } from "../terminal.js"
import { toPlanText, toSummary } from "./import-text.js"
import { importUsers } from "./import-users.js"
import { assertPossible, findDefects, type ImportSettings, planProviders } from "./plan.js"
import type { Source } from "./records.js"
import { type Part, parts } from "./rows.js"
import { createMaker } from "./sealed-rows.js"
import { sources } from "./sources.js"
import { openTarget, type Target } from "./target.js"

const usage = `Usage: latchkey import <source> [database or file] [options]

Imports the users of another system, with their ids, accounts, passwords, second factors and passkeys. It shows first what it
finds, and asks. What exists already stays as it is, so the same import can run again.

  <source>            ${Object.keys(sources).toSorted().join(", ")}
  [database or file]  what the source is read from, such as postgres://… or users.jsonl
  --config <file>     the file that configures the service, such as auth.ts. Default: the usual names, else the database of
                      latchkey.config.ts or DATABASE_URL
  --dry-run           checks every row, and writes nothing
  --resume            goes on where an import of the same source was interrupted
  --batch <count>     how many users are stored in one transaction, 1 to 10,000. Default: 1000
  --report <file>     writes each row that was refused, with its reason, as JSON lines
  --skip <parts>      leaves out passwords, factors or passkeys, separated by commas
  --map <file>        for a store that generates ids: writes the old and the new id of each user as JSON lines
  --yes               imports without asking
  --help              prints this help

The exit code is 0, 1 if rows were refused, and 2 if it could not import.
`

const options = {
  config: { type: "string" },
  "dry-run": { type: "boolean", default: false },
  resume: { type: "boolean", default: false },
  batch: { type: "string", default: "1000" },
  report: { type: "string" },
  skip: { type: "string", default: "" },
  map: { type: "string" },
  yes: { type: "boolean", default: false },
  help: { type: "boolean", short: "h" },
} as const

/**
 * `latchkey import`.
 * @param open Opens the target. Default: that of the app's configuration
 * @returns the exit code: 1 if rows were refused
 * @throws UsageError when it could not import
 */
export async function importCommand(
  args: readonly string[],
  context: CommandContext,
  open: typeof openTarget = openTarget,
): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help) {
    context.print(usage)
    return 0
  }
  const [name, argument, ...more] = positionals
  const load = name !== undefined && Object.hasOwn(sources, name) ? sources[name] : undefined
  if (name === undefined || load === undefined || more.length > 0) throw new UsageError(usage)
  const settings = { ...readSettings(values), sourceId: name }
  return couldNot(async () => {
    const target = await open(values.config, context)
    try {
      const { folder, environment } = context
      const own = target.settings.import ?? {}
      assertOwnFiles([settings.reportFile, settings.mapFile], [argument, values.config, own.passwords], folder)
      const source = await (await load())({ argument, folder, environment, options: own, skipped: settings.skipped })
      try {
        return await importFrom(source, target, settings, context)
      } finally {
        await source.close()
      }
    } finally {
      await target.close()
    }
  })
}

/**
 * What is read must not be written over, under another name either.
 * @throws UsageError
 */
function assertOwnFiles(
  written: readonly (string | undefined)[],
  read: readonly (string | undefined)[],
  folder: string,
): void {
  const toPaths = (names: readonly (string | undefined)[]) =>
    names.flatMap((name) => {
      const path = name === undefined ? undefined : resolve(folder, name)
      return path === undefined ? [] : [existsSync(path) ? realpathSync(path) : path]
    })
  const paths = toPaths(written)
  const isTaken = paths.some((path, n) => [...toPaths(read), ...paths.slice(0, n)].includes(path))
  if (isTaken) throw new UsageError("--report and --map need files of their own.")
}

/** Turns any failure into a `UsageError`, whose exit code is 2: 1 means that rows were refused. */
async function couldNot(work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"]

function readSettings(values: Values): Omit<ImportSettings, "sourceId"> & { readonly isAgreed: boolean } {
  const { batch = "", skip = "", report, map } = values
  if (!/^[1-9]\d{0,3}$|^10000$/.test(batch)) throw new UsageError("--batch must be a count from 1 to 10,000.")
  const named = skip.split(",").filter((part) => part.trim() !== "")
  const skipped = new Set(named.map(toPart))
  return {
    batchSize: Number(batch),
    skipped,
    reportFile: report,
    mapFile: map,
    isDryRun: values["dry-run"] === true,
    isResumed: values.resume === true,
    isAgreed: values.yes === true,
  }
}

function toPart(text: string): Part {
  return parts.find((part) => part === text.trim()) ?? fail()
}

function fail(): never {
  throw new UsageError(`--skip must be ${parts.join(", ")}, or several of them, separated by commas.`)
}

async function importFrom(
  source: Source,
  target: Target,
  settings: ImportSettings & { readonly isAgreed: boolean },
  context: CommandContext,
): Promise<number> {
  const survey = await source.survey()
  const plan = planProviders(source, survey, target)
  const { config, providers } = target
  const maker = config && createMaker({ config, providers })
  await assertPossible(survey, { adapter: target.adapter, providers, maker }, settings)
  const defects = await findDefects(target.adapter)
  context.print(toPlanText({ source, survey, plan, target, settings, defects }, createPaint(context)))
  if (!settings.isDryRun && !settings.isAgreed && !(await isWanted(context))) {
    context.print("Nothing was imported.\n")
    return 0
  }
  const outcome = await importUsers({ source, target, maker, settings, users: survey.users, plan }, context)
  context.print(toSummary(outcome, settings, createPaint(context)))
  return outcome.progress.refused > 0 ? 1 : 0
}

async function isWanted({ ask }: CommandContext): Promise<boolean> {
  if (!ask) throw new UsageError("Nobody can answer here. Look at --dry-run first, then add --yes.")
  return /^y(?:es)?$/i.test((await ask("Import them? [y/N] ")).trim())
}
