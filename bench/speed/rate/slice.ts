import { readFileSync } from "node:fs"
import { platform } from "node:os"
import type { InFlight, Subject } from "../scenario.ts"

/** The work of a target in one slice of time. */
export interface Slice {
  readonly operations: number
  /** Wall time of the operations alone, in microseconds, without the time that this thread waited for a processor. */
  readonly elapsedUs: number
  /** Processor time of the whole process over the same time, in microseconds. */
  readonly cpuUs: number
}

export interface SliceOrder {
  readonly inFlight: InFlight
  readonly milliseconds: number
}

const firstBatch = 64
const largestBatch = 2048
/** Short enough to end a slice in time, long enough to make the cost of a batch negligible. */
const batchUs = 10_000

/** Runs operations for the ordered time. The inputs of each batch are made before its clock starts. */
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
    const waitedBeforeUs = readWaitedUs()
    const startedCpu = process.cpuUsage()
    const startedAt = process.hrtime.bigint()
    last = order.inFlight === 1 ? await runInTurn(subject, inputs) : await runTogether(subject, inputs, order.inFlight)
    const wallUs = Number(process.hrtime.bigint() - startedAt) / 1000
    const cpu = process.cpuUsage(startedCpu)
    // The system may report a wait only after the batch that it delayed; a negative time would keep the slice from ending.
    const elapsedUs = Math.max(0, wallUs - (readWaitedUs() - waitedBeforeUs))
    slice = {
      operations: slice.operations + inputs.length,
      elapsedUs: slice.elapsedUs + elapsedUs,
      cpuUs: slice.cpuUs + cpu.user + cpu.system,
    }
    size = Math.round(Math.min(largestBatch, Math.max(order.inFlight * 2, (batchUs * inputs.length) / elapsedUs)))
  }
  return { slice, last, nextBatchSize: size }
}

async function runInTurn(subject: Subject, inputs: readonly unknown[]): Promise<unknown> {
  let last: unknown
  for (const input of inputs) last = await subject.run(input)
  return last
}

/** Keeps `inFlight` operations in flight until all inputs are used. */
async function runTogether(subject: Subject, inputs: readonly unknown[], inFlight: number): Promise<unknown> {
  let next = 0
  let last: unknown
  async function work(): Promise<void> {
    while (next < inputs.length) {
      const input = inputs[next]
      next += 1
      last = await subject.run(input)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  return last
}

/**
 * Microseconds that this thread was ready to run while other threads had the processors. Linux reports it; elsewhere it
 * is zero. The process's own file is about the main thread: in a worker, a slice would not end while that one waits.
 */
export function readWaitedUs(): number {
  if (platform() !== "linux") return 0
  try {
    return parseWaitedUs(readFileSync("/proc/thread-self/schedstat", "utf8"))
  } catch {
    // The kernel was built without these statistics; subtract nothing.
    return 0
  }
}

/** @param schedstat Nanoseconds on a processor, nanoseconds waiting for one, number of time slices. */
export function parseWaitedUs(schedstat: string): number {
  const waitedNs = Number(schedstat.split(" ")[1])
  return Number.isFinite(waitedNs) ? waitedNs / 1000 : 0
}
