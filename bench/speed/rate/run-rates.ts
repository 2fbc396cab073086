import { type ChildProcess, fork, spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import type { Report } from "../report/report.ts"
import { type Effort, type InFlight, inFlightCounts, type RateScenario, type TargetId } from "../scenario.ts"
import { type Rates, toRateReport } from "./rate-report.ts"
import type { Slice, SliceOrder } from "./slice.ts"
import type { TargetMessage } from "./target-process.ts"

const program = join(import.meta.dirname, "target-process.ts")

/** Measures a scenario. Targets take turns slice by slice, so that a disturbance affects all of them. */
export async function runRates(scenario: RateScenario, effort: Effort): Promise<Report> {
  const targets: RemoteTarget[] = []
  try {
    for (const id of chooseTargets(scenario, effort)) targets.push(await startTarget(scenario.id, id))
    return toRateReport(scenario, await takeTurns(targets, effort))
  } finally {
    await Promise.all(targets.map((target) => target.close()))
  }
}

function chooseTargets({ targets, goals }: RateScenario, { isShort }: Effort): readonly TargetId[] {
  const named = new Set(goals.flatMap(({ than, who = "latchkey" }) => [than, who]))
  return isShort ? targets.filter((id) => named.has(id)) : targets
}

async function takeTurns(targets: readonly RemoteTarget[], effort: Effort): Promise<Rates> {
  const rates = new Map<TargetId, Record<InFlight, Slice[]>>(targets.map(({ id }) => [id, { 1: [], 32: [] }]))
  for (const target of targets) await target.run({ inFlight: 1, milliseconds: effort.warmUpMs })
  for (const inFlight of inFlightCounts) {
    for (const target of targets) await target.run({ inFlight, milliseconds: effort.sliceMs })
    for (let turn = 0; turn < effort.slices; turn += 1) {
      for (const target of targets) {
        const slice = await target.run({ inFlight, milliseconds: effort.sliceMs })
        rates.get(target.id)?.[inFlight].push(slice)
      }
    }
  }
  return rates
}

/** A target in its own process. */
export interface RemoteTarget {
  readonly id: TargetId
  run(order: SliceOrder): Promise<Slice>
  /** Ends the process and waits until it has exited. */
  close(): Promise<void>
}

/** Starts the process and waits until the target has passed the scenario's assertion. */
export async function startTarget(
  scenarioId: string,
  id: TargetId,
  nodeOptions: readonly string[] = [],
): Promise<RemoteTarget> {
  const env = { ...process.env, NODE_ENV: "production" }
  const child = fork(program, [scenarioId, id], { execArgv: [...nodeOptions], env })
  const first = await nextMessage(child, id)
  if (first.kind !== "ready") throw new Error(`${id}: expected "ready", got "${first.kind}"`)
  moveToSharedProcessor(child)
  return {
    id,
    async run(order) {
      child.send(order)
      const message = await nextMessage(child, id)
      if (message.kind !== "slice") throw new Error(`${id}: expected "slice", got "${message.kind}"`)
      return message.slice
    },
    close: () => end(child),
  }
}

/**
 * Runs the main thread on the processor that the other targets' main threads run on: a processor that another guest of a
 * shared machine uses would otherwise slow the target that happens to be there. Helper threads are free. Does nothing
 * without `taskset`.
 */
function moveToSharedProcessor({ pid }: ChildProcess): void {
  const last = availableParallelism() - 1
  spawnSync("taskset", ["--cpu-list", "--pid", String(last), String(pid)], { stdio: "ignore" })
}

function nextMessage(child: ChildProcess, id: TargetId): Promise<TargetMessage> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${id}: the process exited`))
    child.once("exit", onExit)
    child.once("message", (message: TargetMessage) => {
      child.off("exit", onExit)
      if (message.kind === "failed") reject(new Error(`${id}: ${message.reason}`))
      else resolve(message)
    })
  })
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    if (child.connected) child.disconnect()
  })
}
