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

const rounds = Number(process.argv[2] ?? 7)
const home = mkdtempSync(join(tmpdir(), "latchkey-cold-start-"))

/** One cold start, in milliseconds. */
type Start = (library: Library) => Promise<number> | number

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

async function bundleApp(library: Library, ending: string, options: Parameters<typeof bundle>[2]): Promise<string> {
  const file = join(home, `${library}-${options.format}.js`)
  const source = join(import.meta.dirname, `.cold-${library}.ts`)
  writeFileSync(source, app(library) + ending)
  try {
    await bundle(`.cold-${library}.ts`, file, options)
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
    const startedAt = performance.now()
    const vm = new EdgeVM({ initialCode: codes[library] })
    const response = await vm.dispatchFetch("https://app.test/")
    if ((await response.text()) !== "done") throw new Error("the edge runtime failed")
    return performance.now() - startedAt
  }
}

/** The whole start of workerd, minus that of a worker that does nothing. */
async function inWorker(): Promise<Start> {
  const ending = "\nexport default { fetch: handle }"
  const options = { format: "esm", conditions: ["workerd", "worker", "browser"] } as const
  const codes = { ours: await bundleApp("ours", ending, options), theirs: await bundleApp("theirs", ending, options) }
  return async (library) => {
    const empty = await startWorker('export default { fetch: () => new Response("done") }')
    return (await startWorker(codes[library])) - empty
  }
}

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

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

try {
  const starts: [string, Start][] = [
    ["Node 22", inProgram(nodeProgram("22"))],
    ["Node 24", inProgram(process.execPath)],
    ["Node 26", inProgram(nodeProgram("26"))],
    ["Bun", inProgram(bunProgram)],
    ["Deno", inProgram(denoProgram, denoFlags)],
    ["Workers", await inWorker()],
    ["Edge Runtime", await inEdgeVm()],
  ]
  const lines = ["| | Latchkey | Auth.js | ratio |", "|---|---|---|---|"]
  for (const [name, start] of starts) {
    const times: Record<Library, number[]> = { ours: [], theirs: [] }
    // Interleaved, so that a busy machine slows both down alike. The first pair warms the file cache.
    for (let round = 0; round <= rounds; round++) {
      for (const library of ["ours", "theirs"] as const) {
        const time = await start(library)
        if (round > 0) times[library].push(time)
      }
    }
    const [ours, theirs] = [median(times.ours), median(times.theirs)]
    lines.push(`| ${name} | ${ours.toFixed(0)} ms | ${theirs.toFixed(0)} ms | ${(ours / theirs).toFixed(2)} |`)
    console.log(lines.at(-1))
  }
  writeTable({ name: "cold-start", lines })
} finally {
  rmSync(home, { recursive: true, force: true })
}
