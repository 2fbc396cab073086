// The process that loads an app's configuration and looks at it. The command ends it and all of its children.
import childProcess, { ChildProcess } from "node:child_process"
import { Server as HttpServer } from "node:http"
import { Server as HttpsServer } from "node:https"
import { syncBuiltinESMExports } from "node:module"
import { Server } from "node:net"
import { examine } from "@latchkey/core/diagnosis"
import type { AuthConfig } from "@latchkey/core/types"
import { readText } from "./app-files.js"
import { checkConfiguration } from "./configuration.js"
import type { Examination } from "./finding.js"
import type { LiveConfiguration, LiveSource, LiveTask } from "./live-configuration.js"
import { loadConfiguration } from "./load-module.js"
import { checkMail } from "./mail.js"
import { checkProviders } from "./providers.js"
import { createRedaction } from "./redaction.js"
import { checkStore } from "./store.js"

/** What a configuration must not do while it is loaded. */
export type Misdeed = "exit" | "server" | "spawn" | "terminal"

/** What the process tells the command. */
export type LiveMessage =
  | { readonly kind: "did"; readonly misdeed: Misdeed }
  | { readonly kind: "loaded" }
  /** The configuration could not be read. */
  | { readonly kind: "failed"; readonly sentence: string }
  | { readonly kind: "found"; readonly results: Partial<Record<LiveSource, Examination>> }

const checks: Readonly<Record<LiveSource, (live: LiveConfiguration) => Promise<Examination>>> = {
  configuration: checkConfiguration,
  store: checkStore,
  mail: checkMail,
  providers: checkProviders,
}

// Saved before the app's code can replace them.
const { exit } = process
const send = process.send?.bind(process)
let isLoading = true

function tell(message: LiveMessage, then = () => {}): void {
  send?.(message, undefined, undefined, then)
}

/** Reports the misdeed and exits. The error stops the app's code in the meantime. */
function refuse(misdeed: Misdeed): never {
  tell({ kind: "did", misdeed }, () => exit(1))
  throw new Error("latchkey doctor does not allow this while it loads a configuration")
}

/** Replaces a function by one that works only once the configuration is loaded. */
function forbid(owner: object, name: string, misdeed: Misdeed): void {
  const original: unknown = Reflect.get(owner, name)
  if (typeof original !== "function") return
  function guarded(this: unknown, ...given: readonly unknown[]): unknown {
    return isLoading ? refuse(misdeed) : Reflect.apply(original as () => unknown, this, given) // as: just tested.
  }
  Reflect.set(owner, name, Object.setPrototypeOf(guarded, original)) // The original may have methods.
}

/** The functions of Bun that do it, also those below the modules of Node. */
const bunMisdeeds = [
  ["$", "spawn"],
  ["serve", "server"],
  ["listen", "server"],
  ["spawn", "spawn"],
  ["spawnSync", "spawn"],
] as const

/** Prevents the app's code from exiting, starting processes or opening servers while it is loaded. */
function guard(): void {
  // `sqlite(file)` creates no database then. The other commands that load a configuration may write to its database.
  Reflect.set(globalThis, Symbol.for("latchkey.onlyLooking"), true)
  process.exit = () => refuse("exit")
  // In Bun, HTTP servers do not extend those of `node:net`.
  for (const { prototype } of [Server, HttpServer, HttpsServer]) forbid(prototype, "listen", "server")
  forbid(ChildProcess.prototype, "spawn", "spawn")
  for (const name of ["spawnSync", "execSync", "execFileSync"]) forbid(childProcess, name, "spawn")
  const bun: unknown = Reflect.get(globalThis, "Bun")
  for (const [name, misdeed] of bunMisdeeds) forbid(Object(bun), name, misdeed)
  syncBuiltinESMExports()
  const { stdin } = process
  Object.defineProperty(process, "stdin", {
    configurable: true,
    get() {
      if (isLoading) tell({ kind: "did", misdeed: "terminal" })
      return stdin
    },
  })
}

async function run(task: LiveTask): Promise<void> {
  // Ends if the command is killed. Listening for that does not keep an idle process alive.
  process.once("disconnect", () => exit(1))
  process.channel?.unref()
  const { variables } = task.environment
  const redact = createRedaction(variables)
  const fail = (thrown: unknown) => {
    const [message = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).trim().split("\n")
    tell({ kind: "failed", sentence: redact(message).slice(0, 300) }, () => exit(0))
  }
  // Also errors of code that the configuration left running.
  process.on("uncaughtException", (error) => isLoading && fail(error))
  process.on("unhandledRejection", (error) => isLoading && fail(error))
  try {
    const given = await loadConfiguration(task.file, createRequest(task))
    isLoading = false
    tell({ kind: "loaded" })
    const results = await look(given, task)
    tell({ kind: "found", results: createRedaction(variables, given)(results) }, () => exit(0))
  } catch (error) {
    fail(error)
  }
}

/** A request with the names that frameworks give to its parts. */
function createRequest({ url, environment }: LiveTask): Request {
  const request = new Request(url ?? "https://localhost/auth")
  const { variables } = environment
  return Object.assign(request, { request, req: request, env: variables, locals: {}, platform: { env: variables } })
}

async function look(given: AuthConfig, task: LiveTask): Promise<Partial<Record<LiveSource, Examination>>> {
  const { environment, shownFile, sendMail, dnsServer, sources } = task
  // Checks the configuration as it would run in production, even on a developer's machine.
  const env = { ...environment.variables, NODE_ENV: "production" }
  const { examined, config } = await examine(given, env)
  const address = task.url ?? environment.variables["AUTH_URL"] ?? environment.variables["NEXTAUTH_URL"] ?? ""
  const base = URL.parse(address)
  const text = readText(task.file) ?? ""
  const live = { environment, shownFile, sendMail, dnsServer, examined, config, base, text }
  const results = await Promise.all(
    sources.map(async (source): Promise<[LiveSource, Examination]> => [source, await checks[source](live)]),
  )
  return Object.fromEntries(results)
}

guard()
process.once("message", (task: LiveTask) => void run(task))
