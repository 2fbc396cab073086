import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bunProgram, denoFlags, denoProgram } from "../../test/runtimes/programs.ts"
import { atMost, type Report, type Verdict } from "../speed/report/report.ts"
import { formatNumber, formatSpread, median } from "../speed/report/statistics.ts"
import type { Measurement } from "../speed/scenario.ts"

export const cold: Measurement = {
  kind: "measurement",
  id: "cold",
  title: "Cold process: first session and first page, bundled",
  async measure({ processes }) {
    // The bundler of Bun reads a file, from where it finds the packages.
    const entries = mkdtempSync(join(bench, "node_modules", ".cold-"))
    const home = mkdtempSync(join(tmpdir(), "latchkey-cold-"))
    try {
      const rows = []
      for (const runtime of runtimes) rows.push(await measureRuntime(runtime, { entries, home, rounds: processes }))
      return toReport(rows, processes)
    } finally {
      for (const folder of [entries, home]) rmSync(folder, { recursive: true, force: true })
    }
  },
}

const bench = join(import.meta.dirname, "..")
const runtimesFolder = join(bench, "..", "test", "runtimes")
const libraries = { latchkey: "@latchkey/core", "auth-core": "@auth/core" } as const
type Target = keyof typeof libraries
const targets: readonly Target[] = ["latchkey", "auth-core"]

interface Command {
  readonly program: string
  readonly args: readonly string[]
}

interface Runtime {
  readonly name: string
  /** The most that ours may take, as a multiple of the time of `@auth/core`. */
  readonly goal: number
  /** The usual result where the goal is not reached yet. */
  readonly usual?: number
  /** Writes the app as this runtime gets it, and returns the file. */
  prepare(entry: string, file: string): Promise<string>
  start(app: string, program: string): Command
}

const runtimes: readonly Runtime[] = [
  {
    name: "Edge Runtime, bundled",
    goal: 1,
    usual: 1.85,
    prepare: (entry, file) =>
      bundleApp(entry, file, { format: "iife", conditions: ["edge-light", "worker", "browser"] }),
    // By the folder that has the package.
    start: (app) => ({ program: process.execPath, args: ["--input-type=module", "--eval", edgeProgram, app] }),
  },
  {
    name: "Bun, bundled",
    goal: 1,
    usual: 2.1,
    async prepare(entry, file) {
      execFileSync(bunProgram, ["build", "--target=bun", "--production", entry, `--outfile=${file}`], { env })
      return file
    },
    start: (app, program) => ({ program: bunProgram, args: [program, app] }),
  },
  {
    name: "Deno, bundled",
    goal: 1,
    usual: 1.8,
    prepare: (entry, file) => bundleApp(entry, file, { format: "esm", conditions: ["deno", "worker", "browser"] }),
    start: (app, program) => ({ program: denoProgram, args: [...denoFlags, program, app] }),
  },
  {
    name: "Node, bundled",
    goal: 1,
    usual: 1.85,
    prepare: (entry, file) => bundleApp(entry, file, { format: "esm", conditions: ["node"] }),
    start: (app, program) => ({ program: process.execPath, args: [program, app] }),
  },
  {
    name: "Node",
    goal: 0.8,
    prepare: async (entry) => entry,
    start: (app, program) => ({ program: process.execPath, args: [program, app] }),
  },
]

const env = {
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  NODE_ENV: "production",
  DENO_NO_UPDATE_CHECK: "1",
}

const appOf = (library: string) => `
  import { Auth } from "${library}"
  import GitHub from "${library}/providers/github"
  const config = {
    providers: [GitHub({ clientId: "id", clientSecret: "a secret of GitHub" })],
    secret: "a secret that is long enough for this measurement",
    trustHost: true,
    basePath: "/auth",
  }
  globalThis.visit = async () => {
    for (const path of ["session", "signin"]) {
      const response = await Auth(new Request("https://app.test/auth/" + path), config)
      if (response.status !== 200) throw new Error(path + " answered " + response.status)
      await response.text()
    }
  }`

/** The runtime loads its own classes on first use, which is not the libraries' time. */
const warmUp = `new Request("https://app.test/", { headers: { accept: "*" } }); await new Response("").text()`

const print = `
  const { user, system } = process.cpuUsage(before)
  console.log((user + system) / 1000)`

const program = `
  import process from "node:process"
  import { pathToFileURL } from "node:url"
  ${warmUp}
  const before = process.cpuUsage()
  await import(pathToFileURL(process.argv.at(-1)).href)
  await globalThis.visit()
  ${print}`

const edgeProgram = `
  import { readFileSync } from "node:fs"
  import { EdgeVM } from "@edge-runtime/vm"
  const code = readFileSync(process.argv.at(-1), "utf8")
  const vm = new EdgeVM()
  await vm.evaluate(${JSON.stringify(`(async () => { ${warmUp} })()`)})
  const before = process.cpuUsage()
  vm.evaluate(code)
  await vm.evaluate("visit()")
  ${print}`

interface BundleOptions {
  readonly format: "esm" | "iife"
  readonly conditions: readonly string[]
}

/** One file, as the tools of the platforms make for production. */
async function bundleApp(entry: string, outfile: string, { format, conditions }: BundleOptions): Promise<string> {
  // Loaded on demand: the process of every target imports this module.
  const { build } = await import("esbuild")
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    format,
    target: "es2024",
    platform: conditions.includes("node") ? "node" : "browser",
    conditions: [...conditions],
    define: { "process.env.NODE_ENV": `"production"` },
    external: ["node:*", "nodemailer", "@simplewebauthn/*"],
    logLevel: "error",
  })
  return outfile
}

interface Place {
  /** A folder from which both libraries are found. */
  readonly entries: string
  readonly home: string
  readonly rounds: number
}

interface Row extends Pick<Runtime, "name" | "goal" | "usual"> {
  /** Milliseconds of processor time of each process. */
  readonly times: Readonly<Record<Target, readonly number[]>>
}

/** Both libraries take turns, so that a busy machine slows them down alike. The first pair fills the file cache. */
async function measureRuntime(runtime: Runtime, { entries, home, rounds }: Place): Promise<Row> {
  const { name, goal, usual } = runtime
  const programFile = join(home, "program.mjs")
  writeFileSync(programFile, program)
  const commands: Partial<Record<Target, Command>> = {}
  for (const target of targets) {
    const entry = join(entries, `${target}.mjs`)
    writeFileSync(entry, appOf(libraries[target]))
    const started = runtime.start("", programFile).program
    if (!existsSync(started)) throw new Error(`${started} is missing. Install it: npm ci --prefix test/runtimes`)
    const file = join(home, `${name.replace(/\W/g, "-")}-${target}.mjs`)
    commands[target] = runtime.start(await runtime.prepare(entry, file), programFile)
  }
  const times: Record<Target, number[]> = { latchkey: [], "auth-core": [] }
  for (let round = -1; round < rounds; round += 1) {
    for (const target of targets) {
      const milliseconds = run(commands[target])
      if (round >= 0) times[target].push(milliseconds)
    }
  }
  return { name, goal, times, ...(usual !== undefined && { usual }) }
}

function run({ program: file, args }: Command = { program: "", args: [] }): number {
  return Number.parseFloat(execFileSync(file, args, { cwd: runtimesFolder, env, encoding: "utf8" }))
}

function toReport(rows: readonly Row[], rounds: number): Report {
  return {
    id: cold.id,
    title: cold.title,
    columns: ["runtime", "latchkey, ms", "spread", "auth-core, ms", "spread", "ratio"],
    rows: rows.map(({ name, times }) => [
      name,
      ...targets.flatMap((target) => [formatNumber(median(times[target])), formatSpread(times[target])]),
      formatNumber(toRatio(times)),
    ]),
    verdicts: rows.map(toVerdict),
    notes: [
      `Medians of the processor time of ${rounds} fresh processes, started in turn: import, first session, first sign-in page with GitHub. Without the start of the runtime.`,
      "Bundled: one minified file for production, by `bun build` for Bun and by esbuild for the others.",
    ],
  }
}

function toRatio(times: Row["times"]): number {
  return median(times.latchkey) / median(times["auth-core"])
}

function toVerdict({ name, goal, usual = goal, times }: Row): Verdict {
  const ratio = toRatio(times)
  const text = { goal: `${name}: at most ${goal} times auth-core's time`, measured: `${formatNumber(ratio)} times` }
  return atMost(goal, ratio, text, usual)
}
