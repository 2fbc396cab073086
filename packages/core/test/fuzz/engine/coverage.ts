import { type Profiler, Session } from "node:inspector"

/** What one piece of work touched since the last look. */
export interface Touched {
  /** Blocks of code, each with the order of magnitude of how often it was entered, never included. */
  readonly features: readonly string[]
  /** How often blocks were entered, all together. */
  readonly steps: number
}

/** Which code runs, as V8 counts it: no instrumented build and no addon is needed. */
export interface Coverage {
  /** What was touched since the last call. */
  take(): Touched
  stop(): void
}

/** @param isOwn Says by its address whether a script counts. */
export function startCoverage(isOwn: (url: string) => boolean): Coverage {
  const session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  return {
    take: () => summarise(takeScripts(session).filter(({ url }) => isOwn(url))),
    stop: () => session.disconnect(),
  }
}

/** A session of the same thread answers before `post` returns. */
function takeScripts(session: Session): readonly Profiler.ScriptCoverage[] {
  let scripts: readonly Profiler.ScriptCoverage[] = []
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error) throw error
    scripts = result
  })
  return scripts
}

function summarise(scripts: readonly Profiler.ScriptCoverage[]): Touched {
  const features: string[] = []
  let steps = 0
  for (const { scriptId, functions } of scripts) {
    for (const { ranges } of functions) {
      // A function that did not run says nothing. In one that did, V8 names the blocks that ran less or more often than what is
      // around them: those that did not run at all tell one way through from another.
      if (ranges[0]?.count === 0) continue
      for (const { startOffset, endOffset, count } of ranges) {
        steps += count
        features.push(`${scriptId}:${startOffset}:${endOffset}:${Math.ceil(Math.log2(count + 1))}`)
      }
    }
  }
  return { features, steps }
}
