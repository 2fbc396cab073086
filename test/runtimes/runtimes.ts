import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { build } from "esbuild"
import { convertV4MiniflareOptions, Miniflare } from "miniflare"
import {
  bunProgram,
  denoFlags,
  denoProgram,
  findPlatformPackage,
  nodeProgram,
  readVersion,
  system,
} from "./programs.ts"

const folder = import.meta.dirname

export const newestCompatibilityDate = "2026-11-17"

/** The oldest compatibility date that the Workers guide names. */
const oldestCompatibilityDate = "2024-09-26"

/** A started app. */
export interface Running {
  /** What the app wrote to its log, for failures. */
  log(): string
  close(): Promise<void>
}

export interface Runtime {
  readonly name: string
  /** How the app is installed or bundled, for the table. */
  readonly conditions: string
  /** Runs the command line, if this is a runtime for programs. */
  readonly program?: string
  /** The version that is installed. Null: the registry has no build for this system. */
  version(): string | null
  /** @param home a folder for bundles and caches */
  start(settings: string, port: number, home: string): Promise<Running>
}

function node(release: "22" | "26"): Runtime {
  const name = `node-${release}-${system}`
  return {
    name: `Node ${release}`,
    conditions: "installed",
    program: nodeProgram(release),
    version: () => readVersion(name)?.replace(/^v/, "") ?? null,
    start: (settings, port) => startProgram(nodeProgram(release), ["app/node.ts"], { settings, port }),
  }
}

const currentNode: Runtime = {
  name: `Node ${process.versions.node.split(".")[0]}`,
  conditions: "installed",
  program: process.execPath,
  version: () => process.versions.node,
  start: (settings, port) => startProgram(process.execPath, ["app/node.ts"], { settings, port }),
}

const bun: Runtime = {
  name: "Bun",
  conditions: "installed",
  program: bunProgram,
  version: () => readVersion(findPlatformPackage("@oven")),
  start: (settings, port) => startProgram(bunProgram, ["app/bun.ts"], { settings, port }),
}

const deno: Runtime = {
  name: "Deno",
  conditions: "installed",
  version: () => readVersion(findPlatformPackage("@deno")),
  start: (settings, port, home) =>
    startProgram(denoProgram, [...denoFlags, "app/deno.ts"], {
      settings,
      port,
      env: { DENO_DIR: join(home, "deno"), DENO_NO_UPDATE_CHECK: "1" },
    }),
}

const edgeVm: Runtime = {
  name: "Edge Runtime",
  conditions: "one file, condition edge-light",
  version: () => readVersion("@edge-runtime/vm"),
  async start(settings, port, home) {
    const BUNDLE = join(home, "edge.js")
    await bundle("app/edge.ts", BUNDLE, { format: "iife", conditions: ["edge-light", "worker", "browser"] })
    return startProgram(process.execPath, ["app/edge-server.ts"], { settings, port, env: { BUNDLE } })
  },
}

function worker(label: string, compatibilityDate: string): Runtime {
  return {
    name: `Workers${label}`,
    conditions: `one file, condition workerd, compatibility date ${compatibilityDate}`,
    version: () => readVersion("workerd"),
    start: (settings, port, home) =>
      startWorker("app/worker.ts", { port, home, compatibilityDate, bindings: { RUNTIME_TEST: settings } }),
  }
}

interface WorkerOptions {
  readonly port: number
  readonly home: string
  readonly bindings: Readonly<Record<string, string>>
  /** Default: the newest. */
  readonly compatibilityDate?: string
}

/** Bundles a worker and serves it with workerd. */
export async function startWorker(entry: string, options: WorkerOptions): Promise<Running> {
  const { port, home, bindings, compatibilityDate = newestCompatibilityDate } = options
  const outfile = join(home, "worker.mjs")
  await bundle(entry, outfile, { format: "esm", conditions: ["workerd", "worker", "browser"] })
  const lines: string[] = []
  const server = new Miniflare(
    convertV4MiniflareOptions({
      name: "app",
      host: "127.0.0.1",
      port,
      cf: false,
      modules: [{ type: "ESModule", path: "worker.mjs", contents: readFileSync(outfile, "utf8") }],
      compatibilityDate,
      bindings: { ...bindings },
      handleStructuredLogs: ({ message }) => void lines.push(`${message}\n`),
    }),
  )
  await server.ready
  return { log: () => lines.join(""), close: () => server.dispose() }
}

interface BundleOptions {
  readonly format: "esm" | "iife"
  readonly conditions: readonly string[]
  /** Expressions that the bundler replaces. esbuild's own `NODE_ENV` is `development` without its minifier. */
  readonly define?: Readonly<Record<string, string>>
}

/** Bundles as the tools of the platform do: one file, without the builtin modules of Node. */
export async function bundle(entry: string, outfile: string, options: BundleOptions): Promise<void> {
  await build({
    ...options,
    conditions: [...options.conditions],
    entryPoints: [join(folder, entry)],
    outfile,
    bundle: true,
    platform: "browser",
    target: "es2024",
    logLevel: "error",
    external: ["node:*"],
  })
}

interface Start {
  /** The settings of the scenario's app. */
  readonly settings?: string
  readonly port: number
  readonly env?: Readonly<Record<string, string>>
}

export async function startProgram(
  program: string,
  args: readonly string[],
  { settings = "", port, env }: Start,
): Promise<Running> {
  const { PATH = "", HOME = "" } = process.env
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH, HOME, ...env, RUNTIME_TEST: settings, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => lines.push(String(part)))
  child.on("error", (error) => lines.push(String(error)))
  const running = { log: () => lines.join(""), close: () => stop(child) }
  await waitUntilReady(port, child, running).catch(async (error) => {
    await stop(child)
    throw error
  })
  return running
}

async function waitUntilReady(port: number, child: ChildProcess, { log }: Pick<Running, "log">): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`The app ended:\n${log()}`)
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => null)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`The app does not answer:\n${log()}`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGKILL")
  await ended
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

/** Below the supported versions, the import must fail with one clear sentence. */
export function isImportRefused(): { readonly isRight: boolean; readonly text: string } {
  const program = nodeProgram("20")
  if (!existsSync(program))
    return { isRight: process.env["CI"] !== "true", text: `Node 20 was not tested on ${system}` }
  const script = 'import("@latchkey/core").then(() => console.log("imported"), ({ message }) => console.log(message))'
  const { stdout } = spawnSync(program, ["--input-type=module", "-e", script], { cwd: folder, encoding: "utf8" })
  const isRight = /^Latchkey needs Node 22\.18 or later\. This is Node 20\.[\d.]+: update it\n$/.test(stdout)
  return { isRight, text: `Node 20 is refused at import: ${stdout.trim()}` }
}

export const runtimes: readonly Runtime[] = [
  node("22"),
  currentNode,
  node("26"),
  bun,
  deno,
  worker("", newestCompatibilityDate),
  worker(`, ${oldestCompatibilityDate}`, oldestCompatibilityDate),
  edgeVm,
]
