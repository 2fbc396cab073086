import { spawnSync } from "node:child_process"
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createContext, Script } from "node:vm"
import { build, type Metafile } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createNodeListener } from "../../packages/node/src/index.js"
import { listen, testIntegration } from "../../packages/testkit/src/integration/index.js"
import { createHome, createProject, link, pack, root } from "./packed-packages.js"

// Bundles the packed packages without configuration for them.

const packages = ["types", "core", "client", "node", "express", "fastify", "hono"] as const
const home = createHome()
const project = join(home, "project")

/** The part of a worker that this test calls. */
interface Worker {
  fetch(request: Request, env: Readonly<Record<string, string>>): Promise<Response>
}

const workerSource = `
  import { HonoAuth, fromBindings } from "@latchkey/hono"
  import { Hono } from "hono"
  const app = new Hono()
  app.use(HonoAuth(fromBindings((env) => ({ ...globalThis.hostConfig, secret: env.AUTH_SECRET }))))
  globalThis.worker = app
`

const serverSource = `
  import { toNodeHandler } from "@latchkey/node"
  import { ExpressAuth } from "@latchkey/express"
  import { authPlugin } from "@latchkey/fastify"
  import GitHub from "@latchkey/core/providers/github"
  import { createServer } from "node:http"
  const config = { providers: [GitHub({ clientId: "a", clientSecret: "b" })], secret: "of the bundled server, long enough and of no use", trustHost: true }
  const server = createServer(toNodeHandler(config)).listen(0, "127.0.0.1", async () => {
    const answer = await fetch("http://127.0.0.1:" + server.address().port + "/auth/providers")
    console.log(Object.keys(await answer.json()).join(), typeof ExpressAuth, typeof authPlugin)
    server.close()
  })
`

/** What the tools of platforms set, which select static imports in place of every `import()`. `wrangler` sets those of Cloudflare. */
const workers = [["worker"], ["workerd", "worker", "browser"]] as const

async function bundleWorker(
  conditions: readonly string[],
): Promise<{ readonly code: string; readonly metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: workerSource, resolveDir: project, loader: "js" },
    bundle: true,
    format: "iife",
    platform: "browser",
    conditions: [...conditions],
    metafile: true,
    write: false,
    logLevel: "silent",
  })
  return { code: outputFiles[0]?.text ?? "", metafile }
}

/** The globals of a worker: neither `process` nor `require`. */
const workerGlobals = [
  "AbortController",
  "AbortSignal",
  "Blob",
  "FormData",
  "Headers",
  "ReadableStream",
  "Request",
  "Response",
  "TextDecoder",
  "TextEncoder",
  "TransformStream",
  "URL",
  "URLSearchParams",
  "atob",
  "btoa",
  "clearTimeout",
  "console",
  "crypto",
  "fetch",
  "performance",
  "queueMicrotask",
  "setTimeout",
  "structuredClone",
] as const

function startWorker(code: string, hostConfig: object): Worker {
  const globals = workerGlobals.map((name) => [name, Reflect.get(globalThis, name)])
  const sandbox = createContext({ ...Object.fromEntries(globals), Uint8Array, ArrayBuffer, hostConfig })
  new Script(code).runInContext(sandbox)
  return Reflect.get(sandbox, "worker")
}

beforeAll(() => {
  createProject(project, pack(packages, home))
  for (const name of ["vite", "hono"]) link(project, name)
}, 120_000)

afterAll(() => rmSync(home, { recursive: true, force: true }), 60_000)

describe("esbuild", () => {
  it.each(workers)("bundles a worker without Node modules, with the condition %s", async (...conditions) => {
    const { code, metafile } = await bundleWorker(conditions.flatMap((name) => name ?? []))
    const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
    // Only passkeys load it, so an app without them need not install it.
    expect(outside.filter((path) => !path.startsWith("@simplewebauthn/server"))).toEqual([])
    expect(code).not.toMatch(/["']node:/)
    // An `import()` in one file wraps every constant of what it imports.
    expect(code).not.toMatch(/\b__esm\b/)
  })

  it("bundles a Node server", async () => {
    const outfile = join(project, "server.cjs")
    await build({
      stdin: { contents: serverSource, resolveDir: project, loader: "js" },
      bundle: true,
      format: "cjs",
      platform: "node",
      outfile,
      logLevel: "silent",
    })
    const done = spawnSync(process.execPath, [outfile], { cwd: home, encoding: "utf8" })
    expect([done.stdout.trim(), done.stderr]).toEqual(["github function function", ""])
  })

  it("leaves the stories of failures out of a Node server for production", async () => {
    const listStories = async (define: Readonly<Record<string, string>>) => {
      const { metafile } = await build({
        stdin: { contents: serverSource, resolveDir: project, loader: "js" },
        bundle: true,
        format: "esm",
        platform: "node",
        define,
        metafile: true,
        write: false,
        logLevel: "silent",
      })
      const sources = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
      return sources.filter((path) => path.endsWith("/shared/stories.js"))
    }
    expect(await listStories({})).toHaveLength(1)
    expect(await listStories({ "process.env.NODE_ENV": '"production"' })).toEqual([])
  })
})

describe("Vite", () => {
  const vite = join(root, "node_modules", "vite", "bin", "vite.js")
  const runVite = (...args: string[]) =>
    spawnSync(process.execPath, [vite, "build", ...args], { cwd: project, encoding: "utf8" })

  it("bundles a Node server without configuration", () => {
    writeFileSync(join(project, "server.js"), serverSource)
    const done = runVite("--ssr", "server.js", "--outDir", "server")
    expect([done.status, done.stderr]).toEqual([0, ""])
    const ran = spawnSync(process.execPath, [join(project, "server", "server.js")], { cwd: project, encoding: "utf8" })
    expect([ran.stdout.trim(), ran.stderr]).toEqual(["github function function", ""])
  })

  it("bundles a page without configuration and without server code", () => {
    writeFileSync(join(project, "index.html"), '<!doctype html><script type="module" src="./page.js"></script>')
    writeFileSync(
      join(project, "page.js"),
      'import { signIn } from "@latchkey/client/webauthn"\nglobalThis.go = signIn\n',
    )
    const done = runVite("--outDir", "page")
    expect([done.status, done.stderr]).toEqual([0, ""])
    const [asset = ""] = /assets\/[\w-]+\.js/.exec(readFileSync(join(project, "page", "index.html"), "utf8")) ?? []
    const read = (file: string) => readFileSync(join(project, "page", file), "utf8")
    // The code for passkeys is loaded when one is used.
    expect(read(asset)).not.toContain("webauthn-options")
    const scripts = globSync("assets/*.js", { cwd: join(project, "page") }).map(read)
    expect(scripts.join()).toContain("webauthn-options")
    expect(scripts.join()).not.toMatch(/A256CBC-HS512|node:crypto/)
  })
})

for (const conditions of workers) {
  testIntegration({
    name: `Hono as a worker with the condition ${conditions[0]}, bundled and without Node`,
    start: async (given) => {
      const { code } = await bundleWorker(conditions)
      const { secret, ...config } = given
      const worker = startWorker(code, config)
      return await listen(createNodeListener((request) => worker.fetch(request, { AUTH_SECRET: String(secret) })))
    },
  })
}
