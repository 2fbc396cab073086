import { escapeText, type Paint, symbols, wrap } from "../terminal.js"
import type { Progress } from "./journal.js"
import type { ImportSettings, ProviderPlan } from "./plan.js"
import type { Source, SourceSurvey } from "./records.js"
import type { Target } from "./target.js"

const toCount = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 }).format

/** What is known before an import. */
export interface ImportPlan {
  readonly source: Source
  readonly survey: SourceSurvey
  readonly plan: ProviderPlan
  readonly target: Target
  readonly settings: ImportSettings
  /** What is wrong with the store, as sentences. */
  readonly defects: readonly string[]
}

/** What the source has, and what would become of it. */
export function toPlanText({ source, survey, plan, target, settings, defects }: ImportPlan, paint: Paint): string {
  const { users, passwords, totp, recoveryCodes, passkeys, remarks = [] } = survey
  const counted = (part: string, count: number | undefined): readonly [string, string][] =>
    count === 0 ? [] : [[part, count === undefined ? "not counted" : toCount(count)]]
  const unlessSkipped = (part: "passwords" | "factors" | "passkeys", rows: readonly [string, string][]) =>
    settings.skipped.has(part) ? rows.map(([name, count]) => [name, `${count}, left out`] as const) : rows
  const rows = [
    ...counted("users", users),
    ...unlessSkipped("passwords", counted("passwords", passwords)),
    ...unlessSkipped("factors", counted("authenticator apps", totp)),
    ...unlessSkipped("factors", counted("recovery codes", recoveryCodes)),
    ...unlessSkipped("passkeys", counted("passkeys", passkeys)),
  ]
  const sentences = [...remarks, ...defects, ...toWarnings({ plan, target, survey, settings })]
  return [
    "",
    paint.strong(`  ${escapeText(source.name)} → ${escapeText(target.name)}`),
    "",
    ...rows.map(([name, count]) => `  ${name.padEnd(20)} ${count}`),
    ...plan.entries.map((entry) => toProviderLine(entry, paint)),
    ...sentences.flatMap((sentence) => ["", ...wrap(escapeText(sentence), "    ", `  ${symbols.warning} `)]),
    "",
    "",
  ].join("\n")
}

function toProviderLine({ name, ours, accounts, isKnown }: ProviderPlan["entries"][number], paint: Paint): string {
  const target = ours === null ? "left out" : `→ ${ours}${isKnown ? "" : ", which the app does not have"}`
  const line = `  ${"accounts".padEnd(20)} ${toCount(accounts)} of ${escapeText(name)} ${escapeText(target)}`
  return isKnown ? line : paint.warning(line)
}

function toWarnings({ plan, target, survey, settings }: Omit<ImportPlan, "source" | "defects">): readonly string[] {
  const unknown = plan.entries.filter(({ isKnown }) => !isKnown)
  const hasPasskeys = survey.passkeys !== 0 && !settings.skipped.has("passkeys")
  return [
    ...(unknown.length > 0
      ? [
          "Accounts of a provider that the app does not have are kept under that id, and sign in no one until the app has it. To give them another id, or to leave them out, name them in import.providers of latchkey.config.",
        ]
      : []),
    ...(hasPasskeys
      ? [
          "Passkeys go on only at the same domain (relying party id), and with acceptForeignUserHandles of the provider.",
        ]
      : []),
    ...(target.adapter.transaction
      ? []
      : ["The store has no transactions: users are stored one by one, which takes longer."]),
  ]
}

/** The line that is replaced while the import runs. */
export function toBar({ done, users, rate }: { done: number; users: number | undefined; rate: number }): string {
  const speed = `${toCount(rate)} a second`
  if (!users) return `${toCount(done)} users, ${speed}`
  const part = Math.min(1, done / users)
  const bar = `${"█".repeat(Math.floor(part * 20)).padEnd(20, "░")} ${Math.floor(part * 100)} %`
  return `${bar}  ${toCount(done)} of ${toCount(users)}, ${speed}, ${toTime((users - done) / Math.max(rate, 0.001))} left`
}

function toTime(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const minutes = Math.floor(whole / 60)
  if (minutes >= 60) return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")} hours`
  return `${minutes}:${String(whole % 60).padStart(2, "0")}`
}

interface Outcome {
  readonly progress: Progress
  readonly seconds: number
  readonly reasons: ReadonlyMap<string, number>
  readonly left: ReadonlyMap<string, number>
}

const maxReasons = 20

/** How an import ended. */
export function toSummary(
  { progress, seconds, reasons, left }: Outcome,
  settings: ImportSettings,
  paint: Paint,
): string {
  const { stored, present, renamed, refused } = progress
  const would = settings.isDryRun ? "would be " : ""
  const lines = [
    paint.good(`${toCount(stored)} ${stored === 1 ? "user" : "users"} ${would}imported, in ${toTime(seconds)}.`),
    ...(present > 0
      ? [
          `${toCount(present)} ${present === 1 ? "is here already, and stays as it is" : "are here already, and stay as they are"}.`,
        ]
      : []),
    ...(renamed > 0
      ? [
          paint.warning(
            `Of those, ${toCount(renamed)} ${renamed === 1 ? "has" : "have"} another address here: it was changed, or belongs to somebody else.`,
          ),
        ]
      : []),
    ...toList("came along without", left),
    ...(refused > 0
      ? [paint.error(`${toCount(refused)} ${refused === 1 ? "row was" : "rows were"} refused:`), ...toList("", reasons)]
      : []),
    ...(refused > 0 && settings.reportFile === undefined ? ["--report <file> lists them."] : []),
  ]
  return `${lines.map((line) => `  ${line}`).join("\n")}\n`
}

function toList(verb: string, counts: ReadonlyMap<string, number>): readonly string[] {
  const most = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, maxReasons)
  return most.map(([sentence, count]) => {
    const text = escapeText(sentence)
    return verb === "" ? `  ${toCount(count)}  ${text}` : `${toCount(count)} ${verb}: ${text}`
  })
}
