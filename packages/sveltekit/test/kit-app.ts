import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
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
  remove(): void
}

/** Builds `test/app` and starts SvelteKit's own server in this process, without an adapter. */
export async function buildApp({ base = "" }: { readonly base?: "" | "/shop" } = {}): Promise<KitApp> {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "app-"))
  cpSync(join(import.meta.dirname, "app"), folder, { recursive: true })
  build(folder, base)
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
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
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
  if (done.status !== 0) throw new Error(`The build of the test app failed\n${done.stdout}${done.stderr}`)
}

async function loadServer(folder: string): Promise<Server> {
  const { server } = await import(pathToFileURL(join(folder, "build", "server.js")).href)
  return server
}
