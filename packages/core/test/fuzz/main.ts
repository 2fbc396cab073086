import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { startCoverage } from "./engine/coverage.js"
import { keepFinding } from "./engine/findings.js"
import { beginCampaign, type Campaign, type FuzzTools, fuzz } from "./engine/fuzz.js"
import { startGuard } from "./engine/guard.js"
import { createRandom } from "./engine/random.js"
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

/** Long enough to follow a trail, short enough that every target has many turns in an hour. */
const longestTurnMs = 20_000
/** For `--short`, which CI runs: every run tries the same inputs. */
const shortInputs = 400
const shortSeed = 1

type Tools = Omit<FuzzTools, "isOver">

async function takeTurn(campaign: Campaign, isOver: () => boolean, tools: Tools): Promise<void> {
  const before = campaign.findings.length
  await fuzz(campaign, { ...tools, isOver })
  const { target, executions, corpus, known, mostWork } = campaign
  const work = `${(mostWork * 100).toFixed(2)} % of the allowed work`
  console.log(`${target.name}: ${executions} inputs, ${corpus.length} kept, ${known.size} places, ${work}`)
  for (const finding of campaign.findings.slice(before)) {
    const file = keepFinding(resolve(values.findings), finding)
    console.log(`FINDING in ${target.name}: ${finding.error.message}\n  input: ${file}\n${finding.error.stack}`)
  }
}

/** Ignores what code an input reached: the counts of V8 differ a little between runs, and the inputs would with them. */
async function tryFixedInputs(campaigns: readonly Campaign[], tools: Tools): Promise<void> {
  const coverage = { ...tools.coverage, take: () => ({ ...tools.coverage.take(), features: [] }) }
  for (const campaign of campaigns) {
    await takeTurn(campaign, () => campaign.executions >= shortInputs, { ...tools, coverage })
  }
}

async function tryUntil(endsAtMs: number, campaigns: readonly Campaign[], tools: Tools): Promise<void> {
  const turnMs = Math.min(longestTurnMs, (endsAtMs - Date.now()) / campaigns.length)
  const untilMs = (turnEndsAtMs: number) => () => Date.now() >= turnEndsAtMs
  // Each target has at least one turn, however short the run is.
  for (const campaign of campaigns) await takeTurn(campaign, untilMs(Date.now() + turnMs), tools)
  for (let turn = 0; Date.now() < endsAtMs; turn = (turn + 1) % campaigns.length) {
    const campaign = campaigns[turn]
    if (campaign) await takeTurn(campaign, untilMs(Math.min(endsAtMs, Date.now() + turnMs)), tools)
  }
}

async function run(): Promise<number> {
  const seed = Number(values.seed ?? (values.short ? shortSeed : Date.now() >>> 0))
  const seconds = values.seconds === undefined ? Number(values.minutes) * 60 : Number(values.seconds)
  if (!(seconds > 0)) throw new Error("--minutes and --seconds need a number above 0")
  const wanted = targets.filter(({ name }) => values.target?.includes(name) ?? true)
  if (wanted.length === 0) throw new Error(`Unknown target. Targets: ${targets.map(({ name }) => name).join(", ")}`)
  const length = values.short ? `${shortInputs} inputs each` : `${Math.round(seconds)} seconds`
  console.log(`fuzz: seed ${seed}, ${wanted.length} targets, ${length}`)
  // Sources, fuzzer and decoding libraries are one bundle.
  const own = import.meta.url
  const tools = { random: createRandom(seed), coverage: startCoverage((url) => url === own), guard: startGuard() }
  const campaigns = wanted.map(beginCampaign)
  if (values.short) await tryFixedInputs(campaigns, tools)
  else await tryUntil(Date.now() + seconds * 1_000, campaigns, tools)
  const findings = campaigns.reduce((sum, campaign) => sum + campaign.findings.length, 0)
  const executions = campaigns.reduce((sum, campaign) => sum + campaign.executions, 0)
  console.log(`fuzz: ${executions} inputs, ${findings} findings (seed ${seed})`)
  tools.guard.stop()
  tools.coverage.stop()
  return findings === 0 ? 0 : 1
}

process.exit(await run())
