import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { type AstroSetup, type LatchkeyOptions, latchkey } from "../src/index.js"

/** Runs the hook of the integration. @returns what it has added to the app */
function setUp(
  options: LatchkeyOptions = {},
  { base = "/", command = "build", root = new URL("file:///app/"), trailingSlash = "ignore" } = {},
) {
  const added: { route?: unknown; middleware?: unknown; vite?: Parameters<AstroSetup["updateConfig"]>[0]["vite"] } = {}
  const warnings: string[] = []
  latchkey(options).hooks["astro:config:setup"]({
    command,
    config: { root, base, trailingSlash },
    logger: { warn: (message) => void warnings.push(message) },
    injectRoute: (route) => void Object.assign(added, { route }),
    addMiddleware: (middleware) => void Object.assign(added, { middleware }),
    updateConfig: ({ vite }) => void Object.assign(added, { vite }),
  })
  return { ...added, warnings }
}

describe("latchkey", () => {
  it("adds a route that is not prerendered, and the middleware before those of the app", () => {
    const { route, middleware, vite } = setUp()
    expect(route).toEqual({ pattern: "/api/auth/[...auth]", entrypoint: "@latchkey/astro/route", prerender: false })
    expect(middleware).toEqual({ order: "pre", entrypoint: "@latchkey/astro/middleware" })
    expect(vite?.resolve.noExternal).toEqual(["@latchkey/astro"])
  })

  it.each([
    [{}, "/", "/api/auth"],
    [{}, "/shop/", "/shop/api/auth"],
    [{ basePath: "auth/" }, "/shop", "/shop/auth"],
    // As JavaScript apps write it.
    [{ basePath: null as unknown as string, configFile: null as unknown as string }, "/", "/api/auth"],
  ])("mounts the endpoints with %j below base %s at %s", async (options, base, expected) => {
    const [plugin] = setUp(options, { base }).vite?.plugins ?? []
    expect(plugin?.load("\0latchkey:mount-path")).toBe(`export const mountPath = "${expected}"`)
    expect(plugin?.load("other")).toBeNull()
  })

  it.each(["/caf\u00e9", "/caf%C3%A9", "/caf%c3%a9"])("names the route of %s as Astro routes it", (basePath) => {
    expect(setUp({ basePath }).route).toMatchObject({ pattern: "/caf\u00e9/[...auth]" })
  })

  it("throws if the endpoints are at the root, where the pages of the app are", () => {
    for (const basePath of ["/", ""]) expect(() => setUp({ basePath })).toThrow(/Set basePath/)
  })

  it("warns that sign-ins fail where Astro redirects to a trailing slash", () => {
    expect(setUp({}, { trailingSlash: "always" }).warnings).toEqual([
      expect.stringContaining('trailingSlash to "ignore"'),
    ])
    for (const trailingSlash of ["never", "ignore"]) expect(setUp({}, { trailingSlash }).warnings).toEqual([])
  })

  it("types Astro.locals.auth in the app", () => {
    const injected: { readonly content: string }[] = []
    latchkey().hooks["astro:config:done"]({ injectTypes: (types) => injected.push(types) })
    expect(injected[0]?.content).toContain('auth: import("@latchkey/astro").UserAuth')
  })

  it("finds the configuration from the root of the app, and names the file that is missing", async () => {
    const [plugin] = setUp().vite?.plugins ?? []
    const asked: string[][] = []
    const resolve = (found: { id: string } | null) => ({
      resolve: async (...args: string[]) => {
        asked.push(args)
        return found
      },
    })
    const id = "latchkey:auth-config"
    expect(await plugin?.resolveId.call(resolve({ id: "/app/auth.config.ts" }), id)).toEqual({
      id: "/app/auth.config.ts",
    })
    expect(asked).toEqual([["./auth.config", "/app/astro.config.mjs"]])
    await expect(plugin?.resolveId.call(resolve(null), id)).rejects.toThrow(/Create auth\.config\.ts/)
    expect(await plugin?.resolveId.call(resolve(null), "other")).toBeNull()
  })

  it("sets the variables of .env while the app is developed, and replaces none", () => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-astro-"))
    const root = pathToFileURL(`${folder}/`)
    const names = ["LATCHKEY_TEST_NEW", "LATCHKEY_TEST_SET"]
    onTestFinished(() => {
      rmSync(folder, { recursive: true })
      for (const name of names) delete process.env[name]
    })
    process.env["LATCHKEY_TEST_SET"] = "own"
    writeFileSync(join(folder, ".env"), "LATCHKEY_TEST_NEW=new\nLATCHKEY_TEST_SET=other\n")
    setUp({}, { root })
    expect(names.map((name) => process.env[name])).toEqual([undefined, "own"])
    setUp({}, { root, command: "dev" })
    expect(names.map((name) => process.env[name])).toEqual(["new", "own"])
    setUp({}, { root: new URL("file:///nowhere/"), command: "dev" })
  })
})
