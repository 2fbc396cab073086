import { type ChildProcess, fork } from "node:child_process"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { findAppFolder, readEnvironment, readText } from "./app-files.js"
import { CannotLook, createFinding, type DoctorInput, type Examination, type Source } from "./finding.js"
import type { LiveSource, LiveTask } from "./live-configuration.js"
import type { LiveMessage, Misdeed } from "./live-process.js"

/** How long a configuration may take to load, and all checks of what it names. */
const limits = { loadMs: 10_000, checkMs: 60_000 }

type Outcome =
  | { readonly kind: "found"; readonly results: Partial<Record<LiveSource, Examination>> }
  /** The file threw an error. */
  | { readonly kind: "failed"; readonly sentence: string }
  /** The file did something that a configuration must not do. */
  | { readonly kind: "refused"; readonly sentence: string }

const misdeeds: Readonly<Record<Misdeed, string>> = {
  exit: "ends the process (process.exit)",
  server: "starts a server. Name the file that has the configuration alone",
  spawn: "starts another program",
  terminal: "waits for input from a terminal",
}

const sources: readonly LiveSource[] = ["configuration", "store", "mail", "providers"]

/** One process for all sources of a command. */
const running = new WeakMap<DoctorInput, Promise<Outcome>>()

/**
 * A source that needs the configuration itself. It is loaded in a process of its own, which is ended with its children, and
 * whose output is not shown.
 */
export function liveSource(name: LiveSource): Source {
  return async (input) => {
    const { loadMilliseconds: loadMs = limits.loadMs } = input.context
    const outcome = running.get(input) ?? inspect(input, { ...limits, loadMs })
    running.set(input, outcome)
    return toExamination(name, await outcome, input)
  }
}

function toExamination(name: LiveSource, outcome: Outcome, { config = "", context, asked }: DoctorInput): Examination {
  if (outcome.kind === "found") return outcome.results[name] ?? { findings: [], unchecked: [] }
  const file = relative(context.folder, config)
  const isTold = asked?.has("configuration") ?? true
  if (name !== "configuration" && !isTold) throw new CannotLook(`${file} could not be loaded.`)
  if (name !== "configuration")
    return { findings: [], unchecked: [{ code: name, reason: "The configuration could not be loaded." }] }
  if (outcome.kind === "refused") throw new CannotLook(`${file} ${outcome.sentence}.`)
  const sentence = `The configuration could not be loaded: ${outcome.sentence.trimEnd().replace(/\.$/, "")}.`
  const fixes = [
    { where: "config" as const, text: "Set what it needs, as in production, or mend the line that throws.", file },
    { where: "config" as const, text: "If only a build can load it, check the running site instead: --url." },
  ]
  return { findings: [createFinding("config-unloaded", { sentence, fixes })], unchecked: [] }
}

/**
 * Loads the configuration and looks at it.
 * @internal Exported for its tests.
 */
export async function inspect(
  { config = "", url, sendMail, dnsServer, context, asked }: DoctorInput,
  { loadMs, checkMs }: typeof limits,
): Promise<Outcome> {
  if (readText(config) === null) throw new CannotLook(`${relative(context.folder, config)} cannot be read.`)
  const folder = findAppFolder(config)
  const environment = readEnvironment(folder, context.folder, context.environment)
  const task: LiveTask = {
    file: config,
    shownFile: relative(context.folder, config),
    url: url?.href ?? null,
    sendMail: sendMail ?? null,
    dnsServer: dnsServer ?? null,
    environment,
    sources: sources.filter((source) => asked?.has(source) ?? true),
  }
  const child = start(folder, task)
  const ignoreSignals = endWithSignals(child)
  try {
    return await new Promise<Outcome>((resolve) => listen(child, { loadMs, checkMs }, resolve))
  } finally {
    ignoreSignals()
    endGroup(child)
  }
}

/** Starts the process in a group of its own, so that what it starts ends with it, and without a terminal. */
function start(cwd: string, task: LiveTask): ChildProcess {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."))
  const script = fileURLToPath(new URL(`./live-process${extension}`, import.meta.url))
  const env = { NODE_ENV: "production", ...task.environment.variables }
  const child = fork(script, [], { cwd, env, detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] })
  child.send(task, () => {}) // An error ends the process, which is told below.
  return child
}

function listen(child: ChildProcess, { loadMs, checkMs }: typeof limits, resolve: (outcome: Outcome) => void): void {
  let did: Misdeed | null = null
  const refuse = (sentence: string) => resolve({ kind: "refused", sentence })
  let timer = setTimeout(
    () => refuse(did === null ? `did not finish loading within ${loadMs / 1000} seconds` : misdeeds[did]),
    loadMs,
  )
  const end = (outcome: Outcome) => {
    clearTimeout(timer)
    resolve(outcome)
  }
  child.on("message", (message: LiveMessage) => {
    if (message.kind === "found" || message.kind === "failed") return end(message)
    if (message.kind === "loaded") {
      clearTimeout(timer)
      timer = setTimeout(() => refuse("names services that did not answer within a minute"), checkMs)
      return
    }
    did = message.misdeed
    // Many packages look at the terminal without waiting for it.
    if (did !== "terminal") end({ kind: "refused", sentence: misdeeds[did] })
  })
  child.once("error", () => end({ kind: "refused", sentence: "cannot be loaded: no process could be started" }))
  child.once("exit", (code) => {
    // Node ends a process that has nothing left to do.
    const sentence = code === 0 ? "waits for something that never comes" : misdeeds.exit
    end({ kind: "refused", sentence: did === null ? sentence : misdeeds[did] })
  })
}

/** What ends the command reaches no other group. @returns a function that takes it back */
function endWithSignals(child: ChildProcess): () => void {
  const end = (signal: NodeJS.Signals) => {
    endGroup(child)
    process.kill(process.pid, signal)
  }
  for (const signal of signals) process.once(signal, end)
  return () => {
    for (const signal of signals) process.off(signal, end)
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Ends the process and everything it started. */
function endGroup(child: ChildProcess): void {
  // Not all listeners: Bun has its own, and would wait forever for the process.
  child.removeAllListeners("message")
  child.on("error", () => {})
  if (child.connected) child.disconnect()
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
  } catch {
    child.kill("SIGKILL") // Windows has no groups, and a group may be over.
  }
}
