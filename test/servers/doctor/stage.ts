import { type ChildProcess, execFileSync, fork } from "node:child_process"
import dns from "node:dns"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findFreePort, type RunningProgram, startProgram } from "@latchkey/testkit/servers"
import Provider from "oidc-provider"
import { rolldown } from "rolldown"
import type { AppSettings } from "./app.js"

/** The host of the site. It leads to this machine, and no rule for the own machine applies to it. */
export const host = "app.example"
export const secret = "only-for-the-tests-of-the-doctor-0"

/** An app and its process. */
export interface AppPlan {
  readonly settings?: Partial<AppSettings>
  readonly env?: Readonly<Record<string, string>>
  readonly nodeArgs?: readonly string[]
}

/** What all tests share. */
export interface Stage {
  readonly folder: string
  /** The provider knows the client `known`, whose callback URL is that of the site at a port. */
  readonly provider: string
  register(origin: string): void
  startApp(plan: AppPlan, origin: string): Promise<number>
  startNginx(config: string, port: number): Promise<void>
  startCaddy(config: string, port: number): Promise<void>
  /** Stops what was started since the last call. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Lets names that end with `.example` lead to this machine. Returns a function that undoes it. */
function redirectNames(): () => void {
  const { lookup } = dns
  const own = (name: string, options: object, done: (error: null, found: object) => void) =>
    name.endsWith(".example")
      ? done(null, [{ address: "127.0.0.1", family: 4 }])
      : Reflect.apply(lookup, dns, [name, options, done])
  Object.assign(dns, { lookup: own })
  syncBuiltinESMExports()
  return () => {
    Object.assign(dns, { lookup })
    syncBuiltinESMExports()
  }
}

export async function openStage(): Promise<Stage> {
  const root = join(import.meta.dirname, "..", "..", "..")
  // Within the project, so that the processes find its packages.
  const bundled = mkdtempSync(join(root, "node_modules", ".doctor-"))
  const folder = mkdtempSync(join(tmpdir(), "latchkey-doctor-"))
  const app = await bundle(bundled)
  createCertificate(folder)
  const restoreNames = redirectNames()
  const redirectUris: string[] = []
  const { origin: provider, close: closeProvider } = await startProvider(redirectUris)
  const stops: (() => Promise<void>)[] = []
  const run = async (start: Promise<RunningProgram>) => {
    const program = await start
    stops.push(() => program.stop())
  }
  const clear = async () => {
    for (const stop of stops.splice(0).toReversed()) await stop()
    redirectUris.length = 0
  }
  return {
    folder,
    provider,
    register: (origin) => redirectUris.push(`${origin}/auth/callback/demo`),
    async startApp(plan, origin) {
      const port = await findFreePort()
      const child = await startApp(app, { port, provider, ...plan.settings }, plan, origin)
      stops.push(() => end(child))
      return port
    },
    async startNginx(config, port) {
      const file = join(folder, `nginx-${port}.conf`)
      writeFileSync(file, config)
      await run(
        startProgram({
          name: "nginx",
          args: ["-c", file, "-e", "stderr", "-g", "daemon off; master_process off;"],
          port,
        }),
      )
    },
    async startCaddy(config, port) {
      const file = join(folder, `Caddyfile-${port}`)
      writeFileSync(file, config)
      await run(startProgram({ name: "caddy", args: ["run", "--adapter", "caddyfile", "--config", file], port }))
    },
    clear,
    async close() {
      await clear()
      restoreNames()
      await closeProvider()
      for (const each of [folder, bundled]) rmSync(each, { recursive: true, force: true })
    },
  }
}

async function bundle(folder: string): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, "app.ts"),
    platform: "node",
    external: ["express", "nodemailer", "@simplewebauthn/server"],
    resolve: { conditionNames: ["@latchkey/source", "node", "import"], extensionAlias: { ".js": [".ts", ".tsx"] } },
  })
  await build.write({ dir: folder, format: "es", entryFileNames: "app.mjs" })
  await build.close()
  return join(folder, "app.mjs")
}

function createCertificate(folder: string): void {
  const names = `subjectAltName=DNS:${host},IP:127.0.0.1`
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "certificate.pem")]
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
  execFileSync("openssl", ["req", "-x509", ...key, ...files, "-days", "2", "-subj", `/CN=${host}`, "-addext", names], {
    stdio: "pipe",
  })
}

/** The published provider, with one client. */
async function startProvider(redirectUris: readonly string[]) {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const server = createServer((request, response) => {
    const client = {
      client_id: "known",
      client_secret: "s3cret-of-the-client",
      redirect_uris: redirectUris.length > 0 ? [...redirectUris] : ["https://other.example/callback"],
    }
    // A new one for each request: its clients are fixed.
    void new Provider(origin, { clients: [client] }).callback()(request, response)
  }).listen(port, "127.0.0.1")
  await once(server, "listening")
  return { origin, close: async () => void server.close() }
}

async function startApp(
  file: string,
  settings: AppSettings,
  { env, nodeArgs = [] }: AppPlan,
  origin: string,
): Promise<ChildProcess> {
  const own = Object.entries({ AUTH_SECRET: secret, AUTH_URL: origin, NODE_ENV: "production", ...env })
  const child = fork(file, {
    execArgv: ["--disable-warning=ExperimentalWarning", ...nodeArgs],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: {
      PATH: process.env["PATH"],
      DOCTOR_APP: JSON.stringify(settings),
      ...Object.fromEntries(own.filter(([, value]) => value !== "")),
    },
  })
  const ended = once(child, "exit").then(() => Promise.reject(new Error("The app did not start")))
  await Promise.race([once(child, "message"), ended])
  ended.catch(() => {}) // It ends after the test, too.
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}
