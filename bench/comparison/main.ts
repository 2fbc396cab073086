// `npm run compare`: everything. `-- --only attacks` or `-- --only measurements`: one half, with the other as it was.
// `-- --only sizes`: the measurements that need no quiet machine. `-- --only rules`: the attacks of the rules.
// `-- --check`: runs the attacks, and fails when one reaches its aim against us that did not before. `-- --pages`: writes the
// pages anew from results.json.
// First, because the libraries look at NODE_ENV when they are loaded.
import "../attacks/production.ts"

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { peerIds } from "../attacks/app.ts"
import type { Row } from "../attacks/attack.ts"
import { rulePeerIds } from "../attacks/rules/app.ts"
import type { RuleRow } from "../attacks/rules/rule.ts"
import { ruleAttacks, rulePeers, runAgainst, runRule } from "../attacks/rules/table.ts"
import { attacks, peers, runAttack } from "../attacks/table.ts"
import { describePart, describeRules, type Results, readResults, writeResults } from "./data.ts"
import { renderFiles } from "./pages.ts"

const args = process.argv.slice(2)
const halves = ["attacks", "measurements"]

function readOnly(): readonly string[] {
  const position = args.indexOf("--only")
  if (position === -1) return halves
  const wanted = args[position + 1] ?? ""
  if (![...halves, "sizes", "rules"].includes(wanted))
    throw new Error(`--only takes ${halves.join(", ")}, sizes or rules`)
  return [wanted]
}

async function runAttacks(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const attack of attacks) {
    const row = await runAttack(attack)
    console.log(`${row.id}: ${row.title}`)
    for (const id of peerIds)
      console.log(`   ${peers[id].packageName.padEnd(16)}${row.cells[id].outcome}: ${row.cells[id].detail}`)
    rows.push(row)
  }
  return rows
}

async function runRules(): Promise<readonly RuleRow[]> {
  const rows: RuleRow[] = []
  for (const rule of ruleAttacks) {
    const row = await runRule(rule)
    console.log(`${row.rule} ${row.id}: ${row.title}`)
    for (const id of rulePeerIds)
      console.log(`   ${rulePeers[id].packageName.padEnd(20)}${row.cells[id].outcome}: ${row.cells[id].detail}`)
    rows.push(row)
  }
  return rows
}

async function measure(): Promise<Results["measurements"]> {
  // Loaded on demand: the attacks need nothing from the bench.
  const { measureAll } = await import("./measure.ts")
  return { ...describePart(), reports: await measureAll() }
}

/** Replaces the reports that do not depend on the load of the machine. Their notes tell the day. */
async function measureSizes(former: Results["measurements"]): Promise<Results["measurements"]> {
  const { measureAll, sizes } = await import("./measure.ts")
  const { date } = describePart()
  const measured = await measureAll(sizes)
  const dated = measured.map((report) => ({ ...report, notes: [...report.notes, `Measured on ${date}.`] }))
  return { ...former, reports: former.reports.map((report) => dated.find(({ id }) => id === report.id) ?? report) }
}

async function measureAnew(only: readonly string[]): Promise<Results["measurements"]> {
  if (only.includes("measurements")) return await measure()
  const { measurements } = readResults()
  return only.includes("sizes") ? await measureSizes(measurements) : measurements
}

/** The attacks that reach their aim now and did not when results.json was written. */
function findWorse(rows: readonly Row[]): readonly string[] {
  const known = new Map(readResults().attacks.rows.map((row) => [row.id, row.cells.latchkey.outcome]))
  return rows
    .filter(({ id, cells }) => cells.latchkey.outcome === "gets in" && known.get(id) !== "gets in")
    .map(({ id }) => id)
}

/** The same for the attacks of the rules. Only against us: the others take minutes, and their results fail nothing. */
async function findWorseRules(): Promise<readonly string[]> {
  const known = new Map(readResults().rules.rows.map((row) => [row.id, row.cells.latchkey.outcome]))
  const worse: string[] = []
  for (const rule of ruleAttacks) {
    const { outcome, detail } = await runAgainst(rule, rulePeers.latchkey)
    console.log(`${rule.rule} ${rule.id}: ${outcome}: ${detail}`)
    if (outcome === "gets in" && known.get(rule.id) !== "gets in") worse.push(rule.id)
  }
  return worse
}

const root = join(import.meta.dirname, "..", "..")

function writeFiles(): void {
  mkdirSync(join(root, "docs", "compare"), { recursive: true })
  for (const [path, text] of renderFiles(readResults())) writeFileSync(join(root, path), text)
}

/** The generated files that differ from what results.json says. */
const findStale = (): readonly string[] =>
  [...renderFiles(readResults())]
    .filter(([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), "utf8") !== text)
    .map(([path]) => path)

if (args.includes("--check")) {
  const stale = findStale()
  if (stale.length > 0) console.log(`compare: run \`npm run compare -- --pages\` to write ${stale.join(", ")}`)
  const worse = [...findWorse(await runAttacks()), ...(await findWorseRules())]
  console.log(
    worse.length > 0
      ? `compare: these attacks reach their aim now: ${worse.join(", ")}`
      : `compare: ${attacks.length + ruleAttacks.length} attacks, none reaches more than before`,
  )
  process.exit(worse.length + stale.length > 0 ? 1 : 0)
}
if (!args.includes("--pages")) {
  const only = readOnly()
  const both = only.length === halves.length
  const measured = await measureAnew(only)
  const attacked = only.includes("attacks") ? { ...describePart(), rows: await runAttacks() } : readResults().attacks
  const isRules = only.includes("attacks") || only.includes("rules")
  const rules = isRules ? { ...describeRules(), rows: await runRules() } : readResults().rules
  writeResults({ attacks: attacked, rules, measurements: measured })
  console.log(both ? "compare: everything ran" : `compare: ran the ${only.join()}`)
}
writeFiles()
// Requests that a provider never answers keep the process alive.
process.exit(0)
