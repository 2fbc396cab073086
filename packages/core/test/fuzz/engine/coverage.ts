import { type Profiler, Session } from "node:inspector"

/** Coverage since the last call. */
export interface Touched {
  /** Blocks that ran, each with the order of magnitude of its count. */
  readonly features: readonly string[]
  /** The sum of all counts. */
  readonly steps: number
}

/** Block coverage from V8, without an instrumented build or an addon. */
export interface Coverage {
  /** Returns the coverage since the last call, and resets it. */
  take(): Touched
  stop(): void
}

/** @param isOwn whether the script at a URL counts */
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
      // In a function that ran, V8 lists the blocks whose count differs from the surrounding block. Blocks with a count of zero
      // distinguish one path through the function from another.
      if (ranges[0]?.count === 0) continue
      for (const { startOffset, endOffset, count } of ranges) {
        steps += count
        features.push(`${scriptId}:${startOffset}:${endOffset}:${Math.ceil(Math.log2(count + 1))}`)
      }
    }
  }
  return { features, steps }
}
