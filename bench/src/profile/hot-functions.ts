/** The part of a V8 processor profile that is read here. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** Ids of nodes, one a sample. */
  readonly samples?: readonly number[]
  /** Microseconds before each sample. */
  readonly timeDeltas?: readonly number[]
}

export interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  /** Ids of what it calls. */
  readonly children?: readonly number[]
}

export interface HotFunction {
  readonly place: string
  /** Part of all samples that were not idle. */
  readonly part: number
}

const idle: ReadonlySet<string> = new Set(["(idle)", "(root)", "(program)"])

/**
 * Where the time went, longest first. What a function calls of the platform is its own; what it calls of other packages
 * is theirs.
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

/** The nearest caller whose source is a file; the function itself where there is none. */
function findOwner(node: ProfileNode, callers: ReadonlyMap<number, ProfileNode>): ProfileNode {
  for (let each: ProfileNode | undefined = node; each; each = callers.get(each.id)) {
    if (each.callFrame.url.startsWith("file:")) return each
  }
  return node
}

/** The function, and its file below the nearest folder that says whose it is. */
function toPlace({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const name = functionName === "" ? "(anonymous)" : functionName
  if (!url.startsWith("file:")) return name
  const [file] = /(?:packages|node_modules|bench)\/(?!.*\/(?:packages|node_modules)\/).*$/.exec(url) ?? [url]
  return `${name} ${file}:${lineNumber + 1}`
}
