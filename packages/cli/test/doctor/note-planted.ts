import type { TestContext } from "vitest"

/** A mistake that was planted, and what the doctor said. */
export interface PlantedResult {
  /** Begins with the number of the mistake. */
  readonly mistake: string
  /** The app, the proxy or the database: a column of docs/planted-mistakes.md. */
  readonly place: string
  /** The code of the first finding. Undefined: nothing was found. */
  readonly found: string | undefined
  readonly seconds: number
}

/** Leaves a result in the report of the test run, from which docs/planted-mistakes.md is written. */
export function notePlanted({ task }: TestContext, { found = "", ...result }: PlantedResult): void {
  const { planted: earlier = [] }: { planted?: readonly object[] } = Object(task.meta)
  Object.assign(task.meta, { planted: [...earlier, { ...result, found }] })
}

/** Takes the time of a command, in seconds with one decimal. */
export async function takeTime<T>(command: () => Promise<T>): Promise<readonly [result: T, seconds: number]> {
  const startedAt = performance.now()
  const result = await command()
  return [result, Math.round((performance.now() - startedAt) / 100) / 10]
}
