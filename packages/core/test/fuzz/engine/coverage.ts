import { type Profiler, Session } from "node:inspector"

/** The code that ran since the last call of `take`. */
export interface Touched {
  /** Blocks of code that ran, each with the order of magnitude of its count. */
  readonly features: readonly string[]
  /** The sum of all counts. */
  readonly steps: number
}

/** Code coverage from V8, without an instrumented build or an addon. */
export interface Coverage {
  /** Returns the coverage since the last call. */
  take(): Touched
  stop(): void
}

/** @param isOwn Whether the script with this URL counts. */
export function startCoverage(isOwn: (url: string) => boolean): Coverage {
  const session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  return {
    take: () => summarize(takeScripts(session).filter(({ url }) => isOwn(url))),
    stop: () => session.disconnect(),
  }
}

/** A session on the same thread calls back before `post` returns. */
function takeScripts(session: Session): readonly Profiler.ScriptCoverage[] {
  let scripts: readonly Profiler.ScriptCoverage[] = []
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error) throw error
    scripts = result
  })
  return scripts
}

function summarize(scripts: readonly Profiler.ScriptCoverage[]): Touched {
  const features: string[] = []
  let steps = 0
  for (const { scriptId, functions } of scripts) {
    for (const { ranges } of functions) {
      // Skip functions that did not run. In the others V8 lists the blocks whose count differs from the surrounding block,
      // including those with a count of 0, which distinguish the branches.
      if (ranges[0]?.count === 0) continue
      for (const { startOffset, endOffset, count } of ranges) {
        steps += count
        features.push(`${scriptId}:${startOffset}:${endOffset}:${Math.ceil(Math.log2(count + 1))}`)
      }
    }
  }
  return { features, steps }
}
