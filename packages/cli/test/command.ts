import { type ChildProcess, type ChildProcessWithoutNullStreams, type StdioOptions, spawn } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { CommandContext } from "../src/config.js"
import { run } from "../src/run.js"

const main = join(import.meta.dirname, "..", "src", "main.ts")
const hooks = join(import.meta.dirname, "..", "..", "kysely-adapter", "test", "racer", "typescript-sources.mjs")

/** The exit code and the output of a command. */
export interface Outcome {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** Starts `latchkey` in a child process. */
export function startLatchkey(
  args: readonly string[],
  folder: string,
  env?: NodeJS.ProcessEnv,
): ChildProcessWithoutNullStreams
export function startLatchkey(
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
  stdio: StdioOptions,
): ChildProcess
export function startLatchkey(
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv = {},
  stdio: StdioOptions = "pipe",
): ChildProcess {
  const sources = ["--conditions=@latchkey/source", "--disable-warning=ExperimentalWarning"]
  const command = [...sources, "--import", pathToFileURL(hooks).href, main, ...args]
  return spawn(process.execPath, command, { cwd: folder, stdio, env: { PATH: process.env["PATH"], ...env } })
}

/**
 * Runs `latchkey` in a child process.
 * @param input What it gets on its standard input.
 */
export function latchkey(
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv = {},
  input = "",
): Promise<Outcome> {
  const child = startLatchkey(args, folder, env)
  // It may end before it has read everything.
  child.stdin.on("error", () => {})
  child.stdin.end(input)
  const texts = { output: "", errors: "" }
  child.stdout.on("data", (chunk) => {
    texts.output += String(chunk)
  })
  child.stderr.on("data", (chunk) => {
    texts.errors += String(chunk)
  })
  return new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, ...texts }))
  })
}

/** Runs `latchkey` in this process. */
export async function runHere(
  args: readonly string[],
  context: Pick<CommandContext, "folder"> & Partial<CommandContext>,
): Promise<Outcome> {
  const texts = { output: "", errors: "" }
  const code = await run(args, {
    environment: {},
    print: (text) => {
      texts.output += text
    },
    printError: (text) => {
      texts.errors += text
    },
    ...context,
  })
  return { code, ...texts }
}
