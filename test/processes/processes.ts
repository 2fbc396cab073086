import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, beforeEach } from "vitest"

/** How each process of an app is set up. */
export interface Settings {
  /** The URL of the store. */
  readonly store: string
  readonly strategy: "jwt" | "database"
  readonly checkEvery: number
  readonly secret: string
  /** Where tokens are kept: `redis` stands for a token store in the Redis at `store`, beside no adapter. Default: `account`. */
  readonly keep?: "account" | "cookie" | "redis"
  /** A provider whose tokens the app keeps fresh, and answers at `/token`. Default: none. */
  readonly provider?: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string }
  /** A call of the store at which the process stops for good, as if the machine had: before or after it takes effect. */
  readonly stopAt?: StopPoint
}

export interface StopPoint {
  readonly method: string
  /** 1 for the first call of the method. */
  readonly call: number
  readonly moment: "before" | "after"
}

/** Stops the clock of the process at an instant. Null lets it run again. */
export interface Held {
  readonly clockMs: number | null
}

/** A request, as a message. */
export interface Asked {
  readonly id: number
  readonly url: string
  readonly method: string
  readonly headers: [string, string][]
  readonly body: string | undefined
}

type Message =
  | { readonly isReady: true }
  | { readonly isStopped: true }
  | { readonly link: string; readonly code: string }
  | { readonly id: number; readonly status: number; readonly headers: [string, string][]; readonly body: string }

/** A process that serves the app. */
export interface AppProcess {
  /** Answers a request. Rejects if the process ends before it answers. */
  answer(request: Request): Promise<Response>
  /** The link and the code of the last mail that this process sent. */
  lastMail(): { readonly link: string; readonly code: string }
  /** Resolves when the process has reached the call at which it stops. */
  readonly stopped: Promise<void>
  /** Stops the clock of the process at an instant, for the requests that follow. */
  holdClock(atMs: number): void
  /** Lets the clock run again, and forgets the mails. */
  reset(): void
  /** Whether it was neither killed nor ended. */
  isRunning(): boolean
  /** Kills the process with SIGKILL, whatever it is doing. */
  kill(): Promise<void>
  /** Ends the process. */
  stop(): Promise<void>
}

/** Bundles the service before the first test of a file. Returns the path of its file, for tests. */
export function useService(): () => string {
  let folder: string
  let service: string
  beforeAll(async () => {
    // Within the project, so that the processes find its packages.
    folder = mkdtempSync(join(import.meta.dirname, "..", "..", "node_modules", ".processes-"))
    service = await bundleService(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  return () => service
}

/** Bundles the service from the sources into a folder. Returns the path of its file. */
async function bundleService(folder: string): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, "service.ts"),
    platform: "node",
    external: ["kysely", "kysely/migration", "pg", "mysql2", "ioredis", "nodemailer", "@simplewebauthn/server"],
    resolve: { conditionNames: ["@latchkey/source", "node", "import"], extensionAlias: { ".js": [".ts", ".tsx"] } },
  })
  await build.write({ dir: folder, format: "es", entryFileNames: "service.mjs" })
  await build.close()
  return join(folder, "service.mjs")
}

/** Starts a process of the app. */
export async function startProcess(path: string, settings: Settings): Promise<AppProcess> {
  const env = {
    PATH: process.env["PATH"],
    NODE_PATH: process.env["NODE_PATH"],
    LATCHKEY_PROCESS: JSON.stringify(settings),
  }
  const child = fork(path, { execArgv: ["--disable-warning=ExperimentalWarning"], env })
  const waiting = new Map<number, PromiseWithResolvers<Response>>()
  const mails: { readonly link: string; readonly code: string }[] = []
  const stop = Promise.withResolvers<void>()
  child.on("message", (message: Message) => {
    if ("isStopped" in message) stop.resolve()
    if ("link" in message) mails.push(message)
    if ("status" in message) waiting.get(message.id)?.resolve(new Response(bodyOf(message), message))
  })
  child.on("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error("The process ended before it answered"))
  })
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => Promise.reject(new Error("The process did not start"))),
  ])
  let count = 0
  function setClock(clockMs: number | null): void {
    const held: Held = { clockMs }
    // A process that was killed has no clock.
    if (child.connected) child.send(held)
  }
  return {
    async answer(request) {
      const id = ++count
      const pending = Promise.withResolvers<Response>()
      waiting.set(id, pending)
      const body = request.body === null ? undefined : await request.text()
      const asked: Asked = { id, url: request.url, method: request.method, headers: [...request.headers], body }
      child.send(asked)
      return await pending.promise.finally(() => waiting.delete(id))
    },
    lastMail() {
      const mail = mails.at(-1)
      if (!mail) throw new Error("The process sent no mail")
      return mail
    },
    stopped: stop.promise,
    holdClock: setClock,
    reset() {
      mails.length = 0
      setClock(null)
    },
    isRunning: () => child.connected && child.exitCode === null && child.signalCode === null,
    kill: () => end(child, () => child.kill("SIGKILL")),
    stop: () => end(child, () => child.disconnect()),
  }
}

/**
 * Starts processes for a group of tests: to start one takes longer than most tests. Before each test they are
 * reset, and those that the test before has killed are started again.
 */
export function useProcesses(count: number, start: () => Promise<AppProcess>): () => AppProcess[] {
  const processes: AppProcess[] = []
  beforeEach(async () => {
    for (const one of processes) one.reset()
    const all = Array.from({ length: count }, (_, n) => processes[n])
    processes.splice(0, count, ...(await Promise.all(all.map((one) => (one?.isRunning() ? one : start())))))
  })
  afterAll(async () => {
    await Promise.all(processes.map((one) => one.stop()))
  })
  return () => processes
}

/** A response with such a status has no body. */
function bodyOf({ status, body }: { readonly status: number; readonly body: string }): string | null {
  return status === 204 || status === 304 ? null : body
}

async function end(child: ChildProcess, ask: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  ask()
  await exit
}
