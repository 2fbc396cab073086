import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startTarget } from "./rate/run-rates.ts"
import type { RateScenario } from "./scenario.ts"

/** The fields read from a V8 CPU profile. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** A node id for each sample. */
  readonly samples?: readonly number[]
  /** Microseconds before each sample. */
  readonly timeDeltas?: readonly number[]
}

export interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  /** Ids of the functions that it calls. */
  readonly children?: readonly number[]
}

export interface HotFunction {
  readonly place: string
  /** Part of all samples that were not idle. */
  readonly part: number
}

const milliseconds = 3000
const idle: ReadonlySet<string> = new Set(["(idle)", "(root)", "(program)"])

/** Profiles our own target in a scenario, after a warm-up of the same length. */
export async function profileScenario({ id, targets }: RateScenario): Promise<readonly HotFunction[]> {
  const [ours] = targets
  if (ours === undefined) return []
  const folder = mkdtempSync(join(tmpdir(), "latchkey-profile-"))
  try {
    const target = await startTarget(id, ours, ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=200"])
    for (let turn = 0; turn < 2; turn += 1) await target.run({ inFlight: 1, milliseconds })
    await target.close()
    const [file = ""] = readdirSync(folder)
    // V8 wrote this file.
    return findHotFunctions(JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The functions that took the most time, longest first. Time in the platform counts toward the function that called it;
 * time in another package counts toward that package.
 */
export function findHotFunctions(
  { nodes, samples = [], timeDeltas = [] }: CpuProfile,
  most = 30,
): readonly HotFunction[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)))
  const times = new Map<string, number>()
  let total = 0
  for (const [index, id] of samples.entries()) {
    const node = byId.get(id)
    if (!node || idle.has(node.callFrame.functionName)) continue
    const time = timeDeltas[index] ?? 0
    const place = toPlace(findOwner(node, callers))
    times.set(place, (times.get(place) ?? 0) + time)
    total += time
  }
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([place, time]) => ({ place, part: time / total }))
}

/** The nearest caller whose source is a file, or the function itself. */
function findOwner(node: ProfileNode, callers: ReadonlyMap<number, ProfileNode>): ProfileNode {
  for (let each: ProfileNode | undefined = node; each; each = callers.get(each.id)) {
    if (each.callFrame.url.startsWith("file:")) return each
  }
  return node
}

/** The function's name, and its file relative to the folder of its package. */
function toPlace({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const name = functionName === "" ? "(anonymous)" : functionName
  if (!url.startsWith("file:")) return name
  const [file] = /(?:packages|node_modules|bench)\/(?!.*\/(?:packages|node_modules)\/).*$/.exec(url) ?? [url]
  return `${name} ${file}:${lineNumber + 1}`
}
