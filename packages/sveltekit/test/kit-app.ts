import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import type { SvelteKitAuthConfig } from "@latchkey/sveltekit"
import type { Handler } from "@latchkey/testkit"
import type { Server } from "@sveltejs/kit"

const root = join(import.meta.dirname, "../../..")
/** Inside the checkout, so that the app can resolve its dependencies. */
const cache = join(root, "node_modules", ".cache", "latchkey-sveltekit")

/** Options of one request. */
export interface AppRequest {
  readonly config: SvelteKitAuthConfig
  /** Whether a hook of the app reads the session before any page does. */
  readonly readsSessionInHook?: boolean
  readonly clientAddress?: string | undefined
}

/** The test app, built by SvelteKit. */
export interface KitApp {
  respond(request: Request, options: AppRequest): Promise<Response>
  /** Returns a handler with these options. */
  toHandler(options: AppRequest): Handler
  /** Returns all scripts of the browser build. */
  readScripts(): string
  /** Returns a prerendered page. */
  readPrerendered(name: string): string
}

type Base = "" | "/shop"

/**
 * Starts SvelteKit's own server for `test/app` in this process, without an adapter. The app is built once for all files and
 * runs, until a source changes.
 */
export async function openApp({ base = "" }: { readonly base?: Base } = {}): Promise<KitApp> {
  const folder = await findBuild(base)
  const server = await loadServer(folder)
  await server.init({ env: { AUTH_SECRET: "a secret from the environment of the test app" } })

  const respond: KitApp["respond"] = (request, { clientAddress = "192.0.2.1", ...platform }) =>
    server.respond(request, { getClientAddress: () => clientAddress, platform })

  return {
    respond,
    toHandler: (options) => (request) => respond(request, options),
    readScripts() {
      const client = join(folder, ".svelte-kit", "output", "client")
      const files = globSync("**/*.js", { cwd: client })
      return files.map((file) => readFileSync(join(client, file), "utf8")).join("\n")
    },
    readPrerendered: (name) =>
      readFileSync(join(folder, ".svelte-kit", "output", "prerendered", "pages", `${name}.html`), "utf8"),
  }
}

/** The folder of the build. Another process may be at work on it, since files of tests run side by side. */
async function findBuild(base: Base): Promise<string> {
  mkdirSync(cache, { recursive: true })
  const folder = join(cache, `${hashSources()}${base.replace("/", "-")}`)
  const [builder, done] = [join(folder, "builder"), join(folder, "done")]
  while (!existsSync(done)) {
    if (claim(folder)) {
      writeFileSync(builder, String(process.pid))
      removeOlderBuilds()
      cpSync(join(import.meta.dirname, "app"), folder, { recursive: true })
      build(folder, base)
      writeFileSync(done, "")
    } else if (isAbandoned(folder, builder)) {
      rmSync(folder, { recursive: true, force: true })
    } else await sleep(100)
  }
  return folder
}

/** Creates a folder. False if it exists. */
function claim(folder: string): boolean {
  return mkdirSync(folder, { recursive: true }) !== undefined
}

/** Whether the process that was building has ended. */
function isAbandoned(folder: string, builder: string): boolean {
  if (!existsSync(builder)) return isOld(folder, 10_000)
  try {
    process.kill(Number(readFileSync(builder, "utf8")), 0)
    return false
  } catch {
    return true
  }
}

function isOld(folder: string, ms: number): boolean {
  const { mtimeMs = Date.now() } = statSync(folder, { throwIfNoEntry: false }) ?? {}
  return Date.now() - mtimeMs > ms
}

/** Of other sources. Tests of another checkout or branch may still use one of the last hour. */
function removeOlderBuilds(): void {
  for (const name of globSync("*", { cwd: cache })) {
    const folder = join(cache, name)
    if (isOld(folder, 3_600_000)) rmSync(folder, { recursive: true, force: true })
  }
}

/** Of everything that ends up in the build. */
function hashSources(): string {
  const sources = "packages/{client,core,sveltekit,testkit,types}/{package.json,src/**/*.{ts,tsx,svelte}}"
  const hash = createHash("sha256").update(process.version)
  for (const file of globSync(
    [sources, "packages/sveltekit/test/app/src/**/*.*", "packages/sveltekit/test/app/*.ts", "package-lock.json"],
    { cwd: root },
  ).sort()) {
    hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.digest("hex").slice(0, 16)
}

/** Builds in a separate process, since SvelteKit's plugin behaves differently in a test runner. */
function build(folder: string, base: string): void {
  const vite = join(root, "node_modules", "vite", "bin", "vite.js")
  const { VITEST: _, NODE_ENV: __, TEST: ___, ...env } = process.env
  const done = spawnSync(process.execPath, [vite, "build"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...env, APP_BASE: base, AUTH_SECRET: "for the build" },
  })
  if (done.status === 0) return
  rmSync(folder, { recursive: true, force: true })
  throw new Error(`The build of the test app failed\n${done.stdout}${done.stderr}`)
}

async function loadServer(folder: string): Promise<Server> {
  const { server } = await import(pathToFileURL(join(folder, "build", "server.js")).href)
  return server
}
