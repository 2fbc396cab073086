// Checks sessions, and tells what the heap holds before and after. Needs --expose-gc.
import assert from "node:assert/strict"
import { findRateScenario } from "../scenarios/table.ts"
import { loadTarget } from "../targets/table.ts"

const batch = 1000
const [, , scenarioId = "", warmUp = "", checks = ""] = process.argv

function readHeap(): number {
  assert.ok(globalThis.gc, "--expose-gc is missing")
  for (let time = 0; time < 3; time += 1) globalThis.gc()
  return process.memoryUsage().heapUsed
}

const target = await loadTarget("latchkey")
const open = target.subjects[scenarioId]
assert.ok(open)
const subject = await open()

async function check(count: number): Promise<void> {
  for (let done = 0; done < count; done += batch) {
    let last: unknown
    for (const input of await subject.prepare(batch)) last = await subject.act(input)
    await findRateScenario(scenarioId).assertDone(last, subject)
  }
}

await check(Number(warmUp))
const before = readHeap()
await check(Number(checks))
console.log(JSON.stringify({ before, after: readHeap() }))
