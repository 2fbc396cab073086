import type { InFlight, Subject } from "../scenario.ts"
import { readWaitedUs } from "./waited.ts"

/** What a target did in one slice of time. */
export interface Slice {
  readonly operations: number
  /** Wall time of the operations alone, in microseconds, less what the main thread waited for a processor. */
  readonly elapsedUs: number
  /** Processor time of the whole process meanwhile, in microseconds. */
  readonly cpuUs: number
}

export interface SliceOrder {
  readonly inFlight: InFlight
  readonly milliseconds: number
}

const firstBatch = 64
const largestBatch = 2048
/**
 * A batch of inputs takes about so long: short enough to end a slice in time, long enough to hide what surrounds it.
 */
const batchUs = 10_000

/** Runs operations for so many milliseconds. Inputs are made between batches, while no time is taken. */
export async function runSlice(
  subject: Subject,
  order: SliceOrder,
  batchSize = firstBatch,
): Promise<{ slice: Slice; last: unknown; nextBatchSize: number }> {
  let slice: Slice = { operations: 0, elapsedUs: 0, cpuUs: 0 }
  let last: unknown
  let size = batchSize
  while (slice.elapsedUs < order.milliseconds * 1000) {
    const inputs = await subject.prepare(size)
    const startedWaitingUs = readWaitedUs()
    const startedCpu = process.cpuUsage()
    const startedAt = process.hrtime.bigint()
    last = order.inFlight === 1 ? await actInTurn(subject, inputs) : await actTogether(subject, inputs, order.inFlight)
    const wallUs = Number(process.hrtime.bigint() - startedAt) / 1000
    const cpu = process.cpuUsage(startedCpu)
    const elapsedUs = wallUs - (readWaitedUs() - startedWaitingUs)
    slice = {
      operations: slice.operations + inputs.length,
      elapsedUs: slice.elapsedUs + elapsedUs,
      cpuUs: slice.cpuUs + cpu.user + cpu.system,
    }
    size = Math.round(Math.min(largestBatch, Math.max(order.inFlight * 2, (batchUs * inputs.length) / elapsedUs)))
  }
  return { slice, last, nextBatchSize: size }
}

async function actInTurn(subject: Subject, inputs: readonly unknown[]): Promise<unknown> {
  let last: unknown
  for (const input of inputs) last = await subject.act(input)
  return last
}

/** Keeps so many operations under way until all inputs are used. */
async function actTogether(subject: Subject, inputs: readonly unknown[], inFlight: number): Promise<unknown> {
  let next = 0
  let last: unknown
  async function work(): Promise<void> {
    while (next < inputs.length) {
      const input = inputs[next]
      next += 1
      last = await subject.act(input)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  return last
}
