import { execFileSync } from "node:child_process"
import dns from "node:dns"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findFreePort } from "@latchkey/testkit/servers"
import Provider from "oidc-provider"
import { type AppName, type AppPlan, type AppSettings, type Planted, placed } from "./mistakes.js"
import { createMergingRelay, host, type StartProxy } from "./proxies.js"

export const secret = "only-for-the-tests-of-the-doctor-0"

/** What was started, and is stopped after its test. */
interface Stoppable {
  stop(): Promise<void>
}

/** An app that is started with other variables for each mistake. */
export interface PlantedApp {
  readonly name: AppName
  readonly basePath: string
  /** A base path that is not its own. */
  readonly otherPath: string
  /** @param origin where the app itself listens, over http */
  start(origin: string, env: Readonly<Record<string, string>>): Promise<Stoppable>
  close(): void
}

/** What all tests of an app share. */
export interface Stage {
  readonly folder: string
  readonly app: PlantedApp
  /** Starts a deployment, and returns its origin. */
  deploy(planted: Planted, startProxy: StartProxy): Promise<string>
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

/** The provider knows the client `known`, whose callback URL is that of the site. */
export async function openStage(app: PlantedApp): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-doctor-"))
  createCertificate(folder)
  const restoreNames = redirectNames()
  const redirectUris: string[] = []
  const provider = await startProvider(redirectUris)
  const started: Stoppable[] = []
  const startApp = async (plan: AppPlan, origin: string, isMerged: boolean): Promise<number> => {
    const port = await findFreePort()
    const env = toEnvironment(app, plan, { port, provider: provider.origin, origin })
    started.push(await app.start(`http://127.0.0.1:${port}`, env))
    if (!isMerged) return port
    const relay = createMergingRelay(port)
    const relayPort = await findFreePort()
    await once(relay.listen(relayPort, "127.0.0.1"), "listening")
    started.push({ stop: async () => void relay.close() })
    return relayPort
  }
  const clear = async () => {
    for (const each of started.splice(0).toReversed()) await each.stop()
    redirectUris.length = 0
  }
  return {
    folder,
    app,
    async deploy(planted, startProxy) {
      const port = await findFreePort()
      const origin = `https://${planted.address ?? host}:${port}`
      if (!planted.isUnregistered) redirectUris.push(`${origin}${app.basePath}/callback/demo`)
      const plans = [planted.app ?? {}, ...(planted.second ? [planted.second] : [])]
      const isMerged = planted.isMerged === true
      const apps = await Promise.all(plans.map((plan) => startApp(plan, origin, isMerged)))
      started.push(await startProxy(planted, { folder, port, apps, basePath: app.basePath }))
      return origin
    },
    clear,
    async close() {
      await clear()
      restoreNames()
      await provider.close()
      rmSync(folder, { recursive: true, force: true })
      app.close()
    },
  }
}

interface Place {
  readonly port: number
  readonly provider: string
  /** Of the site, where visitors find it. */
  readonly origin: string
}

function toEnvironment({ otherPath }: PlantedApp, { settings = {}, env = {} }: AppPlan, place: Place) {
  const { port, provider, origin } = place
  const url = env["AUTH_URL"] ?? origin
  const basePath = settings.basePath && { basePath: otherPath }
  const own: AppSettings = { port, provider, trustProxy: "127.0.0.1", ...settings, ...basePath }
  const all = {
    AUTH_SECRET: secret,
    NODE_ENV: "production",
    ...env,
    AUTH_URL: isPlaced(url) ? placed[url](origin, otherPath) : url,
    DOCTOR_APP: JSON.stringify(own),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""))
}

const isPlaced = (text: string): text is keyof typeof placed => Object.hasOwn(placed, text)

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
