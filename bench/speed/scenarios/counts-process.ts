// Runs one operation of a target again and again, and prints how many promises it creates and how many bytes it allocates.
import assert from "node:assert/strict"
import { createHook } from "node:async_hooks"
import { readHeap } from "../own-process.ts"
import type { Subject, TargetId } from "../scenario.ts"
import { loadTarget } from "../targets/targets.ts"
import type { Counts } from "./counts.ts"
import { getRateScenario } from "./table.ts"

const [, , targetId = "", scenarioId = ""] = process.argv
const warmUp = 100
const operations = 40
const rounds = 5

// as: the program that starts this one names a target.
const open = (await loadTarget(targetId as TargetId))[scenarioId]
assert.ok(open, `${targetId} does not take part in ${scenarioId}`)
const subject = await open()

async function run({ run: operate }: Pick<Subject, "run">, inputs: readonly unknown[]): Promise<unknown> {
  let last: unknown
  for (const input of inputs) last = await operate(input)
  return last
}

const nothing = { run: (): unknown => undefined }

let promises = 0
const hook = createHook({
  init(_, type) {
    if (type === "PROMISE") promises += 1
  },
})

/** Promises of one operation, without those of the loop. */
async function countPromises(): Promise<number> {
  const inputs = await subject.prepare(operations)
  const [empty, full] = [nothing, subject].map((each) => async () => {
    promises = 0
    hook.enable()
    await run(each, inputs)
    hook.disable()
    return promises
  })
  assert.ok(empty && full)
  const loop = await empty()
  return Math.round(((await full()) - loop) / operations)
}

/** Bytes of one operation. The young generation has room for all of them, so that nothing is collected meanwhile. */
async function measureHeap(): Promise<number> {
  const inputs = await subject.prepare(operations)
  const before = readHeap()
  const last = await run(subject, inputs)
  const after = process.memoryUsage().heapUsed
  await getRateScenario(scenarioId).assertDone(last, subject)
  return (after - before) / operations
}

await run(subject, await subject.prepare(warmUp))
const heaps: number[] = []
for (let round = 0; round < rounds; round += 1) heaps.push(await measureHeap())
const counts: Counts = { promises: await countPromises(), heapBytes: heaps.toSorted((a, b) => a - b)[2] ?? 0 }
console.log(JSON.stringify(counts))
