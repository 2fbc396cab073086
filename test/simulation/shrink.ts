import type { Violation } from "./model.js"
import { type SimulationOptions, type SimulationResult, simulate } from "./run.js"
import { parseStep, type Step, writeStep } from "./schedule.js"
import type { Setting } from "./setting.js"

/** Runs that shrinking may take. */
const mostAttempts = 800

interface Candidate {
  readonly steps: readonly Step[]
  readonly setting: Setting
}

/**
 * Searches the shortest schedule that still breaks the same promise, and returns its result with the story.
 * @param options Those of the run that failed.
 * @param failed Its result.
 */
export async function shrink(options: SimulationOptions, failed: SimulationResult): Promise<SimulationResult> {
  const { violation } = failed
  if (!violation) return failed
  const attempts = { left: mostAttempts }

  async function breaks({ steps, setting }: Candidate): Promise<boolean> {
    if (attempts.left === 0) return false
    attempts.left -= 1
    const result = await simulate({ ...options, setting, schedule: steps.map(writeStep) })
    return result.violation !== null && toKind(result.violation) === toKind(violation ?? result.violation)
  }

  let best: Candidate = { steps: failed.schedule.map(parseStep), setting: failed.setting }
  for (let isSmaller = true; isSmaller && attempts.left > 0; ) {
    const before = JSON.stringify(best)
    for (const pass of passes) best = await pass(best, breaks)
    isSmaller = JSON.stringify(best) !== before
  }
  return simulate({ ...options, setting: best.setting, schedule: best.steps.map(writeStep), isTold: true })
}

/** The same fault may concern another person or provider. */
function toKind({ rule, sentence }: Violation): string {
  return `${rule} ${sentence.replace(/Vera|Paul|north|south|mail|code|\d+/g, "…")}`
}

type Breaks = (candidate: Candidate) => Promise<boolean>
type Pass = (best: Candidate, breaks: Breaks) => Promise<Candidate>

const passes: readonly Pass[] = [straighten, removeSteps, simplifyNumbers, simplifySetting]

/** Runs moves at once instead of interleaved: all of them, or one by one. */
async function straighten(best: Candidate, breaks: Breaks): Promise<Candidate> {
  const all = { ...best, steps: best.steps.filter(({ kind }) => kind !== "go").map((step) => atOnce(step)) }
  if (all.steps.length < best.steps.length && (await breaks(all))) return all
  let current = best
  for (const step of best.steps) {
    if (step.kind !== "move" || step.isAtOnce) continue
    const others = current.steps.filter((other) => other.kind !== "go" || other.id !== step.id)
    const straight = { ...current, steps: others.map((other) => (other === step ? atOnce(step) : other)) }
    if (await breaks(straight)) current = straight
  }
  return current
}

function atOnce(step: Step): Step {
  return step.kind === "move" ? { ...step, isAtOnce: true } : step
}

/** Removes steps: halves first, then quarters, down to single ones. */
async function removeSteps(best: Candidate, breaks: Breaks): Promise<Candidate> {
  let current = best
  for (let size = Math.ceil(current.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = current.steps.length - size; at >= 0; at -= size) {
      const shorter = { ...current, steps: current.steps.toSpliced(at, size) }
      if (await breaks(shorter)) current = shorter
    }
  }
  return current
}

/** Prefers the first choice of each decision, and the newest thing of a kind. */
async function simplifyNumbers(best: Candidate, breaks: Breaks): Promise<Candidate> {
  let current = best
  for (const [index, step] of best.steps.entries()) {
    if (step.kind !== "move") continue
    let numbers = step.numbers
    const shorter = numbers.map((_, length) => step.numbers.slice(0, length))
    const lower = numbers.map((_, at) => numbers.with(at, 0))
    for (const simpler of [...shorter, ...lower]) {
      if (simpler.length > numbers.length || String(simpler) === String(numbers)) continue
      const candidate = { ...current, steps: current.steps.with(index, { ...step, numbers: simpler }) }
      if (!(await breaks(candidate))) continue
      current = candidate
      numbers = simpler
    }
  }
  return current
}

/** The other facts that are true or false are simplest when they are false. */
const simplest: Partial<Setting> = { store: "memory", instances: 1, isPkceChecked: true, isNetworkKnown: true }

function simplestOf(name: string, value: unknown): unknown {
  const otherwise = typeof value === "boolean" ? false : value
  return Reflect.get(simplest, name) ?? otherwise
}

async function simplifySetting(best: Candidate, breaks: Breaks): Promise<Candidate> {
  let current = best
  for (const [name, given] of Object.entries(best.setting)) {
    const value = simplestOf(name, given)
    if (given === value) continue
    const candidate = { ...current, setting: { ...current.setting, [name]: value } }
    if (await breaks(candidate)) current = candidate
  }
  return current
}
