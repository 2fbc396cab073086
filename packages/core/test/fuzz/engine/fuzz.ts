import type { Coverage, Touched } from "./coverage.js"
import { type Guard, settle } from "./guard.js"
import { minimize } from "./minimize.js"
import { mutate } from "./mutate.js"
import type { Random } from "./random.js"
import type { Finding, FuzzTarget } from "./target.js"

/** The state of a target, kept between its turns. */
export interface Campaign {
  readonly target: FuzzTarget
  /** Inputs that reached new code. */
  readonly corpus: Uint8Array[]
  /** Known features of single inputs, and of batches, whose counts are higher. */
  readonly known: Set<string>
  readonly knownOfBatches: Set<string>
  readonly findings: Finding[]
  executions: number
  /** The largest share of the allowed work that one input used, from 0 to 1. */
  mostWork: number
}

export interface FuzzTools {
  readonly random: Random
  readonly coverage: Coverage
  readonly guard: Guard
  /** Whether the turn is over. */
  readonly isOver: () => boolean
}

/** Inputs between two reads of the coverage, which costs as much as several inputs. */
const batchSize = 48
const maxCorpus = 1_500
const maxFindings = 20
const defaultMaxLength = 4_096

export function beginCampaign(target: FuzzTarget): Campaign {
  return { target, corpus: [], known: new Set(), knownOfBatches: new Set(), findings: [], executions: 0, mostWork: 0 }
}

/** One turn: first the seeds, then mutations of the inputs that reached new code. */
export async function fuzz(campaign: Campaign, tools: FuzzTools): Promise<void> {
  const { target, corpus, findings } = campaign
  const seeds = await target.seeds()
  tools.coverage.take()
  for (const seed of seeds) await tryAlone(seed, campaign, tools)
  while (!tools.isOver() && findings.length < maxFindings) {
    const batch = Array.from({ length: batchSize }, () => grow(seeds, campaign, tools.random))
    tools.coverage.take()
    for (const input of batch) await tryInput(input, campaign, tools)
    await settle()
    const touched = tools.coverage.take()
    const isNew = touched.features.some((feature) => !campaign.knownOfBatches.has(feature))
    if (isNew || isTooMuch(touched, batch, target)) for (const input of batch) await tryAlone(input, campaign, tools)
    for (const feature of touched.features) campaign.knownOfBatches.add(feature)
    if (corpus.length > maxCorpus) corpus.splice(0, corpus.length - maxCorpus)
  }
}

function grow(seeds: readonly Uint8Array[], { target, corpus }: Campaign, random: Random): Uint8Array {
  const material = { dictionary: target.dictionary, corpus, maxLength: target.maxLength ?? defaultMaxLength }
  // Seeds are new in each turn, since some expire. Recent inputs lead further than early ones.
  const pool = corpus.length === 0 || random.below(4) === 0 ? seeds : corpus
  const late = random.below(2) === 0 ? Math.max(0, pool.length - 32) : 0
  const parent = pool[late + random.below(Math.max(1, pool.length - late))] ?? new Uint8Array()
  return mutate(parent, random, material)
}

/** Runs one input and reads its own coverage. */
async function tryAlone(input: Uint8Array, campaign: Campaign, tools: FuzzTools): Promise<void> {
  const { target, corpus, known } = campaign
  tools.coverage.take()
  await tryInput(input, campaign, tools)
  await settle()
  const touched = tools.coverage.take()
  campaign.mostWork = Math.max(campaign.mostWork, touched.steps / allowedSteps([input], target))
  if (isTooMuch(touched, [input], target)) {
    const words = `${touched.steps} steps for ${input.length} bytes`
    await keep(
      { target: target.name, input, error: new Error(`Property violated: work is bounded (${words})`) },
      campaign,
    )
  }
  if (!touched.features.some((feature) => !known.has(feature))) return
  corpus.push(input)
  for (const feature of touched.features) known.add(feature)
}

function isTooMuch({ steps }: Touched, inputs: readonly Uint8Array[], target: FuzzTarget): boolean {
  return steps > allowedSteps(inputs, target)
}

function allowedSteps(inputs: readonly Uint8Array[], { work }: FuzzTarget): number {
  return inputs.reduce((sum, { length }) => sum + work.perInput + work.perByte * length, 0)
}

async function tryInput(input: Uint8Array, campaign: Campaign, { guard }: FuzzTools): Promise<void> {
  campaign.executions += 1
  const failure = await failureOf(input, campaign.target, guard)
  if (!failure) return
  const isSame = async (smaller: Uint8Array) =>
    (await failureOf(smaller, campaign.target, guard))?.message === failure.message
  const isKnown = campaign.findings.some(({ error }) => error.message === failure.message)
  const smallest = isKnown ? input : await minimize(input, isSame)
  await keep({ target: campaign.target.name, input: smallest, error: failure }, campaign)
}

/** Null if all properties held. */
export async function failureOf(input: Uint8Array, target: FuzzTarget, guard: Guard): Promise<Error | null> {
  try {
    await target.check(input)
    await guard.assertSound()
    return null
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(`Not an Error was thrown: ${String(thrown)}`)
  }
}

/** Keeps one finding per message. */
async function keep(finding: Finding, { findings }: Campaign): Promise<void> {
  if (!findings.some(({ error }) => error.message === finding.error.message)) findings.push(finding)
}
