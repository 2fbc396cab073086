// One target in one scenario, in a process of its own: proves that it does the work, then runs slices as they are
// ordered.
import { findRateScenario } from "../scenarios/table.ts"
import { loadTarget } from "../targets/table.ts"
import type { Answer, Order } from "./messages.ts"
import { runSlice } from "./slice.ts"

function answer(message: Answer): void {
  process.send?.(message)
}

async function start(scenarioId: string, targetId: string): Promise<void> {
  const scenario = findRateScenario(scenarioId)
  const target = await loadTarget(targetId)
  const open = target.subjects[scenarioId]
  if (!open) throw new Error(`${targetId} takes no part in ${scenarioId}`)
  const subject = await open()
  for (const input of await subject.prepare(2)) await scenario.assertDone(await subject.act(input), subject)
  let batchSize: number | undefined
  process.on("message", async (order: Order) => {
    try {
      const { slice, last, nextBatchSize } = await runSlice(subject, order, batchSize)
      batchSize = nextBatchSize
      await scenario.assertDone(last, subject)
      answer({ kind: "slice", slice })
    } catch (error) {
      answer({ kind: "failed", reason: toText(error) })
    }
  })
  answer({ kind: "ready" })
}

function toText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const [, , scenarioId = "", targetId = ""] = process.argv
try {
  await start(scenarioId, targetId)
} catch (error) {
  answer({ kind: "failed", reason: toText(error) })
  process.exitCode = 1
}
