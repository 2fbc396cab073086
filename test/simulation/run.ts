import type { Adapter } from "@latchkey/core/adapters"
import { checkArea } from "./account-writes.js"
import type { Activity, Outcome } from "./activity.js"
import { drawStep, moves } from "./draw-step.js"
import { type Chance, forgetFormerRuns } from "./former-runs.js"
import { checkLiveness } from "./liveness.js"
import type { Violation } from "./model.js"
import { createChoices } from "./moves/move.js"
import { createRandom, mixSeeds, type Random } from "./random.js"
import { parseStep, type Step, writeStep } from "./schedule.js"
import { drawSetting, type Setting } from "./setting.js"
import { takeOver } from "./takeover.js"
import { createTale, type Tale, untold } from "./tale.js"
import { createWorld, type World } from "./world.js"

/** Options of {@link simulate}. */
export interface SimulationOptions {
  /** Everything follows from it: the setting, the schedule, every random value. */
  readonly seed: number
  /** Replays these steps instead of drawing new ones. */
  readonly schedule?: readonly string[]
  /** Facts of the setting that are not drawn from the seed. */
  readonly setting?: Partial<Setting>
  /** Creates the store of a third of the runs; the others have the memory adapter, as all have without it. */
  readonly createStore?: () => Adapter
  /** Whether to tell the story. Default: false. */
  readonly isTold?: boolean
}

/** What came of a run. */
export interface SimulationResult {
  readonly seed: number
  readonly setting: Setting
  /** The steps that were taken, to replay them. */
  readonly schedule: readonly string[]
  /** The first broken promise. Null if all were kept. */
  readonly violation: Violation | null
  /** How many pieces of work went on, those of the end included. */
  readonly steps: number
  /** The story, if it was told. */
  readonly story: readonly string[]
}

/** Runs one world, from its seed or a schedule, and checks every invariant after each step. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, schedule, createStore, isTold = false } = options
  const drawn = { ...drawSetting(createRandom(mixSeeds(seed, 1))), ...options.setting }
  const isTracked = drawn.isTracked || drawn.hasSecondFactors
  const hasHalf = drawn.hasHalf && isTracked && drawn.strategy === "jwt"
  const isFactorRequired = drawn.isFactorRequired && drawn.hasSecondFactors
  const setting = { ...drawn, isTracked, hasHalf, isFactorRequired }
  const random = createRandom(mixSeeds(seed, 2))
  const tale = isTold ? createTale() : untold
  const adapter = setting.store === "other" ? createStore?.() : undefined
  const world = createWorld({ seed, setting, adapter, random, tale })
  const chance: Chance = { random, draws: 0, aheadMs: 0 }
  const fill = (bytes: Uint8Array) => {
    chance.draws += 1
    chance.random.fill(bytes)
  }
  const giveBack = takeOver({ ...world.scheduler, now: () => world.now() + chance.aheadMs, fill })
  try {
    await forgetFormerRuns(chance, seed)
    await world.open()
    const run = createRun(world, tale)
    await (schedule ? run.replay(schedule.map(parseStep)) : run.draw(createRandom(mixSeeds(seed, 3))))
    if (world.model.violations.length === 0) await run.finish()
    if (world.model.violations.length === 0) checkArea(world.model)
    if (world.model.violations.length === 0) await run.checkLiveness()
    const violation = world.model.violations[0] ?? null
    if (violation) tale.end(violation)
    return { seed, setting, schedule: run.taken.map(writeStep), violation, steps: run.stepCount(), story: tale.lines }
  } finally {
    giveBack()
  }
}

interface Run {
  readonly taken: readonly Step[]
  stepCount(): number
  draw(random: Random): Promise<void>
  replay(steps: readonly Step[]): Promise<void>
  finish(): Promise<void>
  checkLiveness(): Promise<void>
}

/** Time that each step takes. */
const stepMs = 3

function createRun(world: World, tale: Tale): Run {
  const { scheduler, model, setting } = world
  const taken: Step[] = []
  let count = 0
  const isBroken = () => model.violations.length > 0

  async function resume(activity: Activity, outcome: Outcome): Promise<void> {
    const cut = scheduler.resume(activity, outcome)
    if (cut && outcome !== "ok") tale.say(activity, `${cut.label}: ${outcome}.`)
    count += 1
    await scheduler.settle()
    world.advance(stepMs)
  }

  async function runToEnd(activity: Activity): Promise<void> {
    while (scheduler.canResume(activity) && !isBroken()) await resume(activity, "ok")
  }

  /** With all that it waits for: time passes until it is done. */
  async function runAlone(activity: Activity): Promise<void> {
    for (;;) {
      await runToEnd(activity)
      const due = scheduler.nextTimerMs()
      if (activity.isDone || due === null || isBroken()) return
      world.advance(Math.max(1, due - world.now()))
      await scheduler.settle()
    }
  }

  async function begin(step: Extract<Step, { readonly kind: "move" }>): Promise<void> {
    const move = moves.get(step.move)
    const person = [...world.victims, world.attacker].find(({ name }) => name === step.person)
    if (!move || !person || scheduler.activities.some(({ id }) => id === step.id)) return
    const activity = scheduler.start({ id: step.id, name: step.move, person }, () =>
      move.run({
        world,
        person,
        choose: createChoices(step.numbers),
        say: (sentence) => tale.say(scheduler.running()?.activity, sentence),
      }),
    )
    await scheduler.settle()
    if (step.isAtOnce) await runToEnd(activity)
  }

  async function take(step: Step): Promise<void> {
    taken.push(step)
    const activity = "id" in step ? scheduler.activities.find(({ id }) => id === step.id) : undefined
    if (step.kind === "move") await begin(step)
    // as: written by `writeStep`
    else if (step.kind === "go") await (activity && resume(activity, step.outcome as Outcome))
    else if (step.kind === "leave") leave(activity)
    else happen(step, world)
    await scheduler.settle()
  }

  function leave(activity: Activity | undefined): void {
    if (!activity) return
    tale.say(activity, `${activity.person.name} leaves in the middle.`)
    scheduler.leave(activity)
  }

  /** Everything that was begun ends, without further faults. */
  async function finish(): Promise<void> {
    for (;;) {
      const next = scheduler.activities.find(scheduler.canResume)
      if (isBroken()) return
      if (next) await resume(next, "ok")
      else {
        const due = scheduler.nextTimerMs()
        if (due === null) return
        world.advance(Math.max(1, due - world.now()))
        await scheduler.settle()
      }
    }
  }

  return {
    taken,
    stepCount: () => count,
    async draw(random) {
      for (let id = 0; taken.length < setting.steps && !isBroken(); id++) await take(drawStep(world, random, id))
    },
    async replay(steps) {
      for (const step of steps) if (!isBroken()) await take(step)
    },
    finish,
    async checkLiveness() {
      await checkLiveness(world, { runToEnd: runAlone, start: scheduler.start, settle: scheduler.settle })
    },
  }
}

/** What no actor does. */
function happen(step: Extract<Step, { readonly kind: "kill" | "rotate" | "drift" | "wait" }>, world: World): void {
  const { tale, instances } = world
  if (step.kind === "kill") {
    tale.say(undefined, `Instance ${step.instance} is killed, and another takes its place.`)
    instances[step.instance]?.kill()
  } else if (step.kind === "rotate") {
    tale.say(undefined, `${step.provider} rotates its keys.`)
    world.providerOf(step.provider).rotateKeys()
  } else if (step.kind === "drift") {
    tale.say(undefined, `The clock of instance ${step.instance} is off by ${step.milliseconds / 1000} seconds now.`)
    const instance = instances[step.instance]
    if (instance) instance.driftMs = step.milliseconds
  } else {
    tale.say(undefined, `${step.milliseconds / 1000} seconds pass.`)
    world.advance(step.milliseconds)
  }
}
