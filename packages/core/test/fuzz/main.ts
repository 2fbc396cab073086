import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { type Coverage, startCoverage } from "./engine/coverage.js"
import { keepFinding } from "./engine/findings.js"
import { beginCampaign, type Campaign, fuzz } from "./engine/fuzz.js"
import { type Guard, startGuard } from "./engine/guard.js"
import { createRandom, type Random } from "./engine/random.js"
import { targets } from "./targets/all.js"

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    minutes: { type: "string", default: "5" },
    seconds: { type: "string" },
    seed: { type: "string" },
    target: { type: "string", multiple: true },
    findings: { type: "string", default: "packages/core/test/fuzz/findings" },
  },
})

/** Long enough to follow a lead, short enough for many turns of each target in an hour. */
const longestTurnMs = 20_000

function durationMs(): number {
  if (values.short) return 20_000
  const seconds = values.seconds === undefined ? Number(values.minutes) * 60 : Number(values.seconds)
  if (!(seconds > 0)) throw new Error("--minutes and --seconds must be greater than 0")
  return seconds * 1_000
}

interface Tools {
  readonly random: Random
  readonly coverage: Coverage
  readonly guard: Guard
}

async function takeTurn(campaign: Campaign, endsAt: number, tools: Tools): Promise<void> {
  const before = campaign.findings.length
  await fuzz(campaign, { ...tools, isOver: () => Date.now() >= endsAt })
  const { target, executions, corpus, known, mostWork } = campaign
  const work = `${(mostWork * 100).toFixed(2)} % of the allowed work`
  console.log(`${target.name}: ${executions} inputs, ${corpus.length} in the corpus, ${known.size} features, ${work}`)
  for (const finding of campaign.findings.slice(before)) {
    const file = keepFinding(resolve(values.findings), finding)
    console.log(`FINDING in ${target.name}: ${finding.error.message}\n  input: ${file}\n${finding.error.stack}`)
  }
}

async function run(): Promise<number> {
  const seed = values.seed === undefined ? Date.now() >>> 0 : Number(values.seed)
  const wanted = targets.filter(({ name }) => values.target?.includes(name) ?? true)
  if (wanted.length === 0)
    throw new Error(`Unknown target. Available targets: ${targets.map(({ name }) => name).join(", ")}`)
  const totalMs = durationMs()
  console.log(`fuzz: seed ${seed}, ${wanted.length} targets, ${Math.round(totalMs / 1_000)} seconds`)
  // One bundle contains the sources, the tests and the decoding libraries.
  const own = import.meta.url
  const tools = { random: createRandom(seed), coverage: startCoverage((url) => url === own), guard: startGuard() }
  const campaigns = wanted.map(beginCampaign)
  const endsAt = Date.now() + totalMs
  const turnMs = Math.min(longestTurnMs, totalMs / wanted.length)
  // Each target gets at least one turn.
  for (const campaign of campaigns) await takeTurn(campaign, Date.now() + turnMs, tools)
  for (let turn = 0; Date.now() < endsAt; turn = (turn + 1) % campaigns.length) {
    const campaign = campaigns[turn]
    if (campaign) await takeTurn(campaign, Math.min(endsAt, Date.now() + turnMs), tools)
  }
  const findings = campaigns.reduce((sum, campaign) => sum + campaign.findings.length, 0)
  const executions = campaigns.reduce((sum, campaign) => sum + campaign.executions, 0)
  console.log(`fuzz: ${executions} inputs, ${findings} findings (seed ${seed})`)
  tools.guard.stop()
  tools.coverage.stop()
  return findings === 0 ? 0 : 1
}

process.exit(await run())
