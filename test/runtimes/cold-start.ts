// `npm run test:runtimes` first, then `node test/runtimes/cold-start.ts [rounds]`: import, first session and first sign-in page,
// beside Auth.js. Writes the table of docs/runtimes.md.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EdgeVM } from "@edge-runtime/vm"
import { convertV4MiniflareOptions, Miniflare } from "miniflare"
import { bunProgram, denoFlags, denoProgram, nodeProgram } from "./programs.ts"
import { writeTable } from "./results.ts"
import { bundle, newestCompatibilityDate } from "./runtimes.ts"

const libraries = { ours: "@latchkey/core", theirs: "@auth/core" } as const
type Library = keyof typeof libraries

const rounds = Number(process.argv[2] ?? 15)
const home = mkdtempSync(join(tmpdir(), "latchkey-cold-start-"))

/** One cold start, in milliseconds of the processor: other work on the machine hardly changes them. */
type Start = (library: Library) => Promise<number> | number

interface Measured {
  readonly name: string
  readonly start: Start
  /** The start of the runtime itself, which is subtracted. Absent if `start` does not contain it. */
  readonly idle?: () => Promise<number>
}

const app = (library: Library) => `
  import { Auth } from "${libraries[library]}"
  import GitHub from "${libraries[library]}/providers/github"
  const config = {
    providers: [GitHub({ clientId: "id", clientSecret: "a secret of GitHub" })],
    secret: "a secret that is long enough for this measurement",
    trustHost: true,
    basePath: "/auth",
  }
  async function handle() {
    for (const path of ["session", "signin"]) {
      const response = await Auth(new Request("https://app.test/auth/" + path), config)
      if (response.status !== 200) throw new Error(path + " answered " + response.status)
      await response.text()
    }
    return new Response("done")
  }`

/** As the tools of the platforms bundle an app that they deploy: without the code that only helps in development. */
const production = { define: { "process.env.NODE_ENV": '"production"' } }

async function bundleApp(library: Library, ending: string, options: Parameters<typeof bundle>[2]): Promise<string> {
  const file = join(home, `${library}-${options.format}.js`)
  const source = join(import.meta.dirname, `.cold-${library}.ts`)
  writeFileSync(source, app(library) + ending)
  try {
    await bundle(`.cold-${library}.ts`, file, { ...options, ...production })
  } finally {
    rmSync(source)
  }
  return readFileSync(file, "utf8")
}

function inProgram(program: string, args: readonly string[] = []): Start {
  return (library) => {
    const all = [...args, "app/cold-start.ts", libraries[library]]
    const env = {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      NODE_ENV: "production",
      DENO_NO_UPDATE_CHECK: "1",
    }
    const { stdout, stderr } = spawnSync(program, all, { cwd: import.meta.dirname, encoding: "utf8", env })
    const milliseconds = Number.parseFloat(stdout)
    if (Number.isNaN(milliseconds)) throw new Error(stdout + stderr)
    return milliseconds
  }
}

async function inEdgeVm(): Promise<Start> {
  const ending = `\naddEventListener("fetch", (event) => event.respondWith(handle()))`
  const options = { format: "iife", conditions: ["edge-light", "worker", "browser"] } as const
  const codes = { ours: await bundleApp("ours", ending, options), theirs: await bundleApp("theirs", ending, options) }
  return async (library) => {
    const before = process.cpuUsage()
    const vm = new EdgeVM({ initialCode: codes[library] })
    const response = await vm.dispatchFetch("https://app.test/")
    if ((await response.text()) !== "done") throw new Error("the edge runtime failed")
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
}

/** The whole start of workerd, which is another process: elapsed time. */
async function inWorker(): Promise<Start> {
  const ending = "\nexport default { fetch: handle }"
  const options = { format: "esm", conditions: ["workerd", "worker", "browser"] } as const
  const codes = { ours: await bundleApp("ours", ending, options), theirs: await bundleApp("theirs", ending, options) }
  return (library) => startWorker(codes[library])
}

const startEmptyWorker = () => startWorker('export default { fetch: () => new Response("done") }')

async function startWorker(contents: string): Promise<number> {
  const startedAt = performance.now()
  const server = new Miniflare(
    convertV4MiniflareOptions({
      name: "app",
      cf: false,
      modules: [{ type: "ESModule", path: "worker.mjs", contents }],
      compatibilityDate: newestCompatibilityDate,
    }),
  )
  const text = await (await server.dispatchFetch("https://app.test/")).text()
  const took = performance.now() - startedAt
  await server.dispose()
  if (text !== "done") throw new Error(text)
  return took
}

/** The lower quartile: other work on the machine only adds time. */
function typical(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 4)] ?? Number.NaN
}

/** Interleaved, so that a busy machine slows both libraries down alike. The first pair warms the file cache. */
async function compare({ start, idle }: Measured): Promise<Readonly<Record<Library, number>>> {
  const times: Record<Library | "idle", number[]> = { ours: [], theirs: [], idle: [] }
  for (let round = 0; round <= rounds; round++) {
    const idleTime = idle ? await idle() : 0
    if (round > 0) times.idle.push(idleTime)
    for (const library of ["ours", "theirs"] as const) {
      const time = await start(library)
      if (round > 0) times[library].push(time)
    }
  }
  const base = typical(times.idle)
  return { ours: typical(times.ours) - base, theirs: typical(times.theirs) - base }
}

try {
  const runtimes: readonly Measured[] = [
    { name: "Node 22", start: inProgram(nodeProgram("22")) },
    { name: "Node 24", start: inProgram(process.execPath) },
    { name: "Node 26", start: inProgram(nodeProgram("26")) },
    { name: "Bun", start: inProgram(bunProgram) },
    { name: "Deno", start: inProgram(denoProgram, denoFlags) },
    { name: "Workers", start: await inWorker(), idle: startEmptyWorker },
    { name: "Edge Runtime", start: await inEdgeVm() },
  ]
  const lines = ["| | Latchkey | Auth.js | ratio |", "|---|---|---|---|"]
  for (const runtime of runtimes) {
    const { ours, theirs } = await compare(runtime)
    lines.push(`| ${runtime.name} | ${ours.toFixed(0)} ms | ${theirs.toFixed(0)} ms | ${(ours / theirs).toFixed(2)} |`)
    console.log(lines.at(-1))
  }
  writeTable({ name: "cold-start", lines })
} finally {
  rmSync(home, { recursive: true, force: true })
}
