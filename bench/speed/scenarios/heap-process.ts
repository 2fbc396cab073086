// Runs session checks and prints the heap size before and after. Needs --expose-gc.
import assert from "node:assert/strict"
import { readHeap } from "../own-process.ts"
import { loadTarget } from "../targets/targets.ts"
import type { HeapSizes } from "./heap.ts"
import { getRateScenario } from "./table.ts"

const batch = 1000
const [, , scenarioId = "", warmUp = "", checks = ""] = process.argv

const open = (await loadTarget("latchkey"))[scenarioId]
assert.ok(open, `latchkey does not take part in ${scenarioId}`)
const subject = await open()

async function check(count: number): Promise<void> {
  for (let done = 0; done < count; done += batch) {
    let last: unknown
    for (const input of await subject.prepare(batch)) last = await subject.run(input)
    await getRateScenario(scenarioId).assertDone(last, subject)
  }
}

await check(Number(warmUp))
const before = readHeap()
await check(Number(checks))
const sizes: HeapSizes = { before, after: readHeap() }
console.log(JSON.stringify(sizes))
