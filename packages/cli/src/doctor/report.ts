import type { CommandContext } from "../config.js"
import { createPaint, escapeText, type Paint, symbols, toGuideText, toJsonLine, wrap } from "../terminal.js"
import {
  type Evidence,
  type Finding,
  type FindingCode,
  type FixPlace,
  findingCodes,
  type Unchecked,
} from "./finding.js"

/** What the sources found together. */
export interface Report {
  readonly checkedAt: Date
  readonly url: string | null
  /** The path of the configuration, relative to the folder of the command. */
  readonly config: string | null
  readonly findings: readonly Finding[]
  readonly unchecked: readonly Unchecked[]
  /** Whether a source could not look at all. */
  readonly isBlind: boolean
  readonly seconds: number
}

/**
 * Each code once, the causes first, and what follows from a finding directly below it. The causes of a finding are those
 * that were found.
 */
export function arrange(findings: readonly Finding[]): readonly Finding[] {
  const found = new Map<string, Finding>()
  for (const finding of findings) {
    const key = once.has(finding.code) ? finding.code : `${finding.code} ${finding.sentence}`
    if (!found.has(key)) found.set(key, finding)
  }
  const codes = new Set([...found.values()].map(({ code }) => code))
  const known = [...found.values()].map((each) => ({
    ...each,
    causes: each.causes.filter((code) => codes.has(code) && code !== each.code),
  }))
  const sorted = known.toSorted((one, other) => rank(one) - rank(other))
  const roots = sorted.filter(({ causes }) => causes.length === 0)
  const arranged = roots.flatMap((root) => [root, ...sorted.filter((each) => rootOf(each, sorted) === root)])
  // Sources may give causes of their own, in a circle.
  const others = sorted.filter((each) => !arranged.includes(each)).map((each) => ({ ...each, causes: [] }))
  return [...arranged, ...others]
}

/** Findings that several sources see in their own ways. */
const once: ReadonlySet<FindingCode> = new Set([
  "clock",
  "development-mode",
  "cookies-merged",
  "cookies-changed",
  "session-cached",
])

const rank = ({ code, severity }: Finding) =>
  findingCodes.indexOf(code) + (severity === "error" ? 0 : findingCodes.length)

/** The finding at the beginning of the causes. Null for a finding that has none. */
function rootOf(finding: Finding, all: readonly Finding[]): Finding | null {
  let root: Finding | null = null
  for (let [next, n]: [Finding | undefined, number] = [finding, 0]; next && n < all.length; n++) {
    const { causes }: Finding = next
    next = all.find(({ code }) => causes.includes(code))
    root = next ?? root
  }
  return root
}

/** 1 if there is an error, or, if strict, a warning; 2 if a source could not look; else 0. */
export function toExitCode({ findings, isBlind }: Report, isStrict: boolean): number {
  if (findings.some(({ severity }) => isStrict || severity === "error")) return 1
  return isBlind ? 2 : 0
}

/** The report for programs. `schema/doctor.schema.json` describes it. */
export function toJson({ checkedAt, url, config, findings, unchecked }: Report): string {
  return toJsonLine({ version: 1, checkedAt: checkedAt.toISOString(), url, config, findings, unchecked })
}

const places: Readonly<Record<FixPlace, string>> = {
  proxy: "proxy",
  environment: "environment",
  config: "configuration",
  provider: "provider",
  database: "database",
  mail: "mail",
  code: "code",
}

const labelWidth = 20

/** The report for people. */
export function toText(report: Report, context: CommandContext): string {
  const paint = createPaint(context)
  const roots = report.findings.filter(({ causes }) => causes.length === 0)
  const lines = [
    ...wrap(paint.strong(summarize(report, roots.length)), "  "),
    ...roots.flatMap((root) => ["", ...tell(root, report.findings, paint)]),
    ...(report.unchecked.length > 0 ? [""] : []),
    ...groupByReason(report.unchecked).flatMap(([reason, codes]) =>
      wrap(`Not checked: ${escapeText(reason)}`, indent, head(symbols.unchecked, codes.join(", "))),
    ),
  ]
  return `${lines.join("\n")}\n`
}

function groupByReason(
  unchecked: readonly Unchecked[],
): readonly (readonly [reason: string, codes: readonly string[]])[] {
  const reasons = [...new Set(unchecked.map(({ reason }) => reason))]
  return reasons.map((reason) => [reason, unchecked.filter((each) => each.reason === reason).map(({ code }) => code)])
}

function summarize({ url, config, findings, isBlind, seconds }: Report, roots: number): string {
  const what = [url, config].filter((each) => each !== null).join(" and ")
  const errors = findings.filter(({ severity, causes }) => severity === "error" && causes.length === 0).length
  const counts = [
    count(errors, "error"),
    count(roots - errors, "warning"),
    count(findings.length - roots, "consequence"),
  ].filter((each) => each !== null)
  const nothing = isBlind ? "not everything could be checked" : "nothing found"
  return `Checked ${escapeText(what)}: ${counts.length > 0 ? counts.join(", ") : nothing}, ${seconds.toFixed(1)} s`
}

function count(number: number, word: string): string | null {
  return number === 0 ? null : `${number} ${word}${number === 1 ? "" : "s"}`
}

const indent = " ".repeat(labelWidth + 2)

/** A label, and the column where its text begins. */
function head(symbol: string, label: string): string {
  return `  ${symbol} ${label.padEnd(labelWidth - 3)} `
}

function tell(root: Finding, all: readonly Finding[], paint: Paint): readonly string[] {
  const consequences = all.filter((each) => rootOf(each, all) === root)
  const names = [...new Set(consequences.map(({ code }) => code))].join(", ")
  return [
    ...tellFinding(root, paint),
    ...(names === "" ? [] : wrap(`follows from it: ${names}`, "      ").map(paint.faint)),
  ]
}

function tellFinding({ code, severity, sentence, fixes, guide, evidence }: Finding, paint: Paint): readonly string[] {
  const [first = "", ...more] = wrap(escapeText(sentence), indent, head(symbols[severity], code))
  return [
    paint[severity](first.slice(0, labelWidth + 1)) + first.slice(labelWidth + 1),
    ...more,
    ...fixes.flatMap(({ where, text, file, line }, n) => [
      ...wrap(escapeText(text), indent, `    ${`${n > 0 ? "or " : ""}${places[where]}`.padEnd(labelWidth - 3)} `),
      ...(file === undefined
        ? []
        : [`${indent}${paint.faint(`in ${escapeText(file)}${line === undefined ? "" : `:${line}`}`)}`]),
    ]),
    ...tellEvidence(evidence).map(paint.faint),
    ...wrap(toGuideText(guide), indent, head(" ", "guide")).map(paint.faint),
  ]
}

function tellEvidence(evidence: Evidence): readonly string[] {
  const seen = Object.entries(evidence).map(([name, value]) => `${name}: ${escapeText(String(value), 200)}`)
  return seen.length === 0 ? [] : wrap(seen.join(", "), indent, head(" ", "seen"))
}
