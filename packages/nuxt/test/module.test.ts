import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import latchkey, { type LatchkeyOptions, type NitroConfig, type Nuxt } from "../src/index.js"

type Middleware = { readonly name: string; readonly path: string; readonly global: boolean }
type Import = { readonly name: string; readonly from: string }

/** Runs the module and its hooks. @returns what it has added to the app */
function setUp(given: LatchkeyOptions = {}, baseURL = "/", routeRules: NonNullable<NitroConfig["routeRules"]> = {}) {
  const nitro: NitroConfig = { plugins: ["own"], routeRules }
  const middleware: Middleware[] = []
  const imports: Import[] = []
  const runs: Readonly<Record<string, (run: (argument: never) => void) => void>> = {
    "nitro:config": (run) => run(nitro as never),
    "app:resolve": (run) => run({ middleware } as never),
    "imports:extend": (run) => run(imports as never),
  }
  const options: Nuxt["options"] = {
    rootDir: "/app",
    app: { baseURL },
    alias: {},
    build: { transpile: [] },
    runtimeConfig: { public: {} },
    serverHandlers: [{ middleware: true, handler: "own" }],
    plugins: [{ src: "own" }],
  }
  latchkey(given, { options, hook: (name: string, run: (argument: never) => void) => runs[name]?.(run) })
  return { options, nitro, middleware, imports }
}

describe("the module", () => {
  it("adds the endpoints, the plugins and the route middleware, before those of the app", () => {
    const { options, nitro, middleware, imports } = setUp()
    expect(options.serverHandlers.map((one) => one.middleware)).toEqual([true, true])
    expect([options.serverHandlers[1]?.handler, options.plugins[1]?.src, nitro.plugins?.[0]]).toEqual([
      "own",
      "own",
      "own",
    ])
    expect([middleware[0]?.name, middleware[0]?.global, imports[0]?.name]).toEqual(["auth", false, "useSession"])
    const files = [options.serverHandlers[0]?.handler, options.plugins[0]?.src, nitro.plugins?.[1], middleware[0]?.path]
    for (const file of [...files, imports[0]?.from]) expect(existsSync(file?.replace(/\.js$/, ".ts") ?? "")).toBe(true)
    expect(files[0]).toBe(fileURLToPath(new URL("../src/middleware/index.js", import.meta.url)))
    expect(options.build.transpile).toEqual(["@latchkey/nuxt"])
  })

  it.each([
    [{}, "/", "/api/auth"],
    [{}, "/shop/", "/shop/api/auth"],
    [{ basePath: "auth/" }, "/shop", "/shop/auth"],
    // As JavaScript apps write it.
    [{ basePath: null as unknown as string, configFile: null as unknown as string }, "/", "/api/auth"],
  ])("mounts the endpoints with %j below base %s at %s", (given, baseURL, expected) => {
    const { options, nitro } = setUp(given, baseURL)
    expect(nitro.virtual?.["#latchkey/mount-path"]).toBe(`export const mountPath = "${expected}"`)
    expect(options.runtimeConfig.public["latchkey"]).toEqual({ basePath: expected })
  })

  it("keeps the endpoints out of the cache of a platform, whatever the rules of the app", () => {
    const rules = { "/api/**": { isr: 60 }, "/api/auth/**": { isr: true, headers: { "x-own": "1" } } }
    expect(setUp({}, "/shop/", rules).nitro.routeRules).toEqual({
      "/api/**": { isr: 60 },
      "/api/auth/**": { isr: false, headers: { "x-own": "1" } },
    })
    expect(setUp({ basePath: "auth/" }).nitro.routeRules).toEqual({ "/auth/**": { isr: false } })
  })

  it("throws if the endpoints are at the root, where the pages of the app are", () => {
    for (const basePath of ["/", ""]) expect(() => setUp({ basePath })).toThrow(/Set basePath/)
  })

  it("finds the configuration from the root of the app", () => {
    expect(setUp().options.alias["#latchkey/auth-config"]).toBe("/app/server/auth.config")
    expect(setUp({ configFile: "auth.ts" }).options.alias["#latchkey/auth-config"]).toBe("/app/auth.ts")
  })
})
