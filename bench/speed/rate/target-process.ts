// Runs one target in one scenario: first checks that it does the work, then runs slices as ordered.
import { registerHooks } from "node:module"
import { getRateScenario } from "../scenarios/table.ts"
import { loadTarget } from "../targets/targets.ts"
import { runSlice, type Slice, type SliceOrder } from "./slice.ts"

/** Sent to the runner. Every order is answered with `slice` or `failed`. */
export type TargetMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "slice"; readonly slice: Slice }
  | { readonly kind: "failed"; readonly reason: string }

/** Resolves packages as an edge runtime does, by their `default` condition. */
function resolveWithoutNodeCondition(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const conditions = context.conditions.filter((condition) => condition !== "node" && condition !== "node-addons")
      return nextResolve(specifier, { ...context, conditions })
    },
  })
}

async function start(scenarioId: string, targetId: string): Promise<void> {
  const scenario = getRateScenario(scenarioId)
  if (targetId.endsWith("-edge")) resolveWithoutNodeCondition()
  const target = await loadTarget(targetId)
  const open = target[scenarioId]
  if (!open) throw new Error(`${targetId} does not take part in ${scenarioId}`)
  const subject = await open()
  for (const input of await subject.prepare(2)) await scenario.assertDone(await subject.run(input), subject)
  let batchSize: number | undefined
  process.on("message", async (order: SliceOrder) => {
    try {
      const { slice, last, nextBatchSize } = await runSlice(subject, order, batchSize)
      batchSize = nextBatchSize
      await scenario.assertDone(last, subject)
      send({ kind: "slice", slice })
    } catch (error) {
      sendFailure(error)
    }
  })
  send({ kind: "ready" })
}

function sendFailure(error: unknown): void {
  send({ kind: "failed", reason: error instanceof Error ? (error.stack ?? error.message) : String(error) })
}

function send(message: TargetMessage): void {
  process.send?.(message)
}

const [, , scenarioId = "", targetId = ""] = process.argv
try {
  await start(scenarioId, targetId)
} catch (error) {
  sendFailure(error)
  process.exitCode = 1
}
