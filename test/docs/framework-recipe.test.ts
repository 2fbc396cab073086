import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { HostConfig, UserAuth } from "@latchkey/core/integration"
import { listen, testGuard, testIntegration, testUserAuth, toWebListener } from "@latchkey/testkit/integration"
import { describe } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const origin = "http://app.test"

/** What the recipe calls `harbour.ts`. */
interface HarbourEvent {
  readonly request: Request
  readonly clientAddress: string
}

type Next = () => Promise<Response>
type Middleware = (event: HarbourEvent, next: Next) => Promise<Response>

/** The face of the package that the recipe writes. */
interface HarbourPackage {
  HarbourAuth(config: HostConfig): Middleware
  getAuth(event: HarbourEvent): UserAuth
  readonly requireAuth: Middleware
}

/** Writes the files of the recipe, and imports them. */
async function readPackage(): Promise<HarbourPackage> {
  const recipe = readFileSync(join(root, "docs", "recipes", "framework.md"), "utf8")
  const files = [...recipe.matchAll(/^```ts\n\/\/ ([\w-]+\.ts)\n(.*?)^```$/gms)]
  // Not below `node_modules`, so that the imports of our packages are those of the other tests.
  mkdirSync(join(root, "test", ".recipes"), { recursive: true })
  const folder = mkdtempSync(join(root, "test", ".recipes", "framework-"))
  try {
    for (const [, name = "", code = ""] of files) writeFileSync(join(folder, name), code)
    // Imported one by one, a module that two of them share could be loaded twice.
    const index = join(folder, "index.ts")
    writeFileSync(index, ["handler", "session", "guard"].map((name) => `export * from "./${name}.ts"\n`).join(""))
    return await import(index)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const { HarbourAuth, getAuth, requireAuth } = await readPackage()

type Route = (event: HarbourEvent) => Promise<Response | null>

/** Runs middlewares as the framework would, and then the route. */
function createApp(middlewares: readonly Middleware[], route: Route) {
  return (request: Request, clientAddress = "192.0.2.1"): Promise<Response> => {
    const event = { request, clientAddress }
    const run = async ([first, ...rest]: readonly Middleware[]): Promise<Response> => {
      if (first) return first(event, () => run(rest))
      return (await route(event)) ?? new Response("the app", { status: 404 })
    }
    return run(middlewares)
  }
}

describe("the recipe for a framework", () => {
  testUserAuth(
    (config, route) => ({
      origin,
      handler: createApp([HarbourAuth(config)], async (event) => {
        return new URL(event.request.url).pathname === "/form" ? route(getAuth(event)) : null
      }),
    }),
    { needsOrigin: false },
  )

  testGuard({
    async start(config) {
      const show: Route = async (event) => Response.json((await getAuth(event).getSession())?.user ?? null)
      const app = createApp([HarbourAuth(config), requireAuth], show)
      const handler = (request: Request) => app(request).catch((error) => new Response(String(error), { status: 500 }))
      return { origin, handler }
    },
    failure: [500, "could not be read"],
  })

  testIntegration({
    name: "Harbour",
    start(config) {
      const app = createApp([HarbourAuth({ basePath: "/auth", ...config })], async () => null)
      return listen(toWebListener((request, { clientAddress }) => app(request, clientAddress)))
    },
    passesOn: true,
    warnsAtStart: true,
  })
})
