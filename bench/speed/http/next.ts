import assert from "node:assert/strict"
import { type ChildProcess, fork, spawnSync } from "node:child_process"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { installPackages } from "../../../test/runtimes/packages.ts"
import type { Measurement } from "../scenario.ts"
import { assertSession } from "./http.ts"
import type { Load } from "./load.ts"
import { startLoad } from "./programs.ts"
import { createRequests, type Library, type UserRequests } from "./requests.ts"
import { libraries, type Server, takeTurns, toHttpReport } from "./turns.ts"

const root = join(import.meta.dirname, "..", "..", "..")
const app = join(root, "bench", "next")
const program = join(app, "node_modules", "next", "dist", "bin", "next")

export const next: Measurement = {
  kind: "measurement",
  id: "next",
  title: "Next.js over HTTP, requests per second of processor time",
  async measure({ sliceMs, ...rest }) {
    // Next takes a millisecond for a request: a shorter slice would have too few between two garbage collections.
    const effort = { ...rest, sliceMs: sliceMs * 4 }
    install()
    for (const library of libraries) build(library)
    const load = startLoad()
    const servers: Server[] = []
    try {
      for (const library of libraries) servers.push(await start(library))
      const proxied = servers.map((server) => ({ ...server, requests: behindProxy(server.requests) }))
      const turns = [
        ...(await takeTurns({ framework: "route handler", servers, assertSession }, load, effort)),
        ...(await takeTurns({ framework: "proxy", servers: proxied, assertSession: assertPassed }, load, effort)),
      ]
      return toHttpReport(turns, { id: next.id, title: next.title, nameOf, notes })
    } finally {
      for (const child of [...servers.map((server) => server.child), load]) child.disconnect()
    }
  },
}

const notes = [
  "Production builds under next start. Route handler: the endpoints. Proxy: it guards a route that answers the same to everyone, and passes the sign-in on to the endpoints.",
  "next-auth and this project renew the session in the proxy; better-auth calls getSession there, as its documentation does on Node.",
]

const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" } as const

/** Installs the locked dependencies and our packages, as a registry delivers them. */
function install(): void {
  run([join(root, "scripts", "ensure-deps.mjs"), "bench/next"], root)
  installPackages(app, ["types", "core", "node", "next"])
}

function build(library: Library): void {
  run([program, "build"], app, { BENCH_LIBRARY: library })
}

function run(args: readonly string[], cwd: string, variables: Readonly<Record<string, string>> = {}): void {
  const done = spawnSync(process.execPath, args, { cwd, encoding: "utf8", env: { ...env, ...variables } })
  if (done.status !== 0) throw new Error(`${args.join(" ")}\n${done.stdout}${done.stderr}`)
}

async function start(library: Library): Promise<Server> {
  const port = await findFreePort()
  const child = fork(program, ["start", "-H", "127.0.0.1", "-p", String(port)], {
    cwd: app,
    env: { ...env, BENCH_LIBRARY: library },
    // Next serves in this process.
    execArgv: ["--import", join(import.meta.dirname, "report-cpu.ts")],
    silent: true,
  })
  try {
    await waitUntilRefused(`http://127.0.0.1:${port}/private`, child)
    return { library, child, port, requests: await createRequests(library, port) }
  } catch (error) {
    child.disconnect()
    throw error
  }
}

const startTimeoutMs = 30_000
const pollMs = 50

/** Waits for the server, whose proxy has to redirect a visitor without a session. */
async function waitUntilRefused(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + startTimeoutMs
  while (Date.now() < deadline && child.exitCode === null) {
    const answered = await fetch(url, { redirect: "manual" }).catch(() => null) // Not listening yet.
    if (answered) return assert.equal(answered.status, 307, "the proxy does not guard its page")
    await wait(pollMs)
  }
  throw new Error("next start does not answer")
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0))
    })
  })
}

/** The same requests through the proxy: of a guarded page, and of the endpoint. */
function behindProxy({ session, signIn }: UserRequests): UserRequests {
  return {
    session: { ...session, path: "/private" },
    signIn: { ...signIn, headers: { ...signIn.headers, "x-behind-proxy": "1" } },
  }
}

/** Throws unless the proxy let the request pass, and renewed the session where it does. */
function assertPassed({ status, cookies, body }: Load["last"], library: Library): void {
  assert.equal(status, 200, body)
  assert.deepEqual(JSON.parse(body), { isPrivate: true })
  if (library === "better-auth") return
  const isRenewed = cookies.some((name) => name.includes("session"))
  assert.ok(isRenewed, "no session cookie")
}

function nameOf(library: Library): string {
  return library === "auth" ? "next-auth" : library
}
