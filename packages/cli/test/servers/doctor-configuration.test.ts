import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import { inspect } from "../../src/doctor/load-config.js"
import { createProgress } from "../../src/terminal.js"
import { startLatchkey } from "../command.js"
import { diagnose, production, removeApps, writeApp } from "../doctor/app.js"

const config = "{ providers: [] }"
const secret = "s3cr3t-canary-0123456789"

afterAll(removeApps)

/** Loads a configuration that may take this long. */
function load(
  text: string,
  { loadMs = 60_000, environment = production as Readonly<Record<string, string | undefined>> } = {},
) {
  const folder = writeApp({ "auth.tsx": text })
  const context = { folder, environment, print: () => {}, printError: () => {} }
  const input = { config: join(folder, "auth.tsx"), insecure: false, context, progress: createProgress(context) }
  return inspect(input, { loadMs, checkMs: 60_000 })
}

describe("a configuration that latchkey doctor loads", () => {
  it("DOC-04: creates no database of sqlite(), and no folder or file beside it", async () => {
    const text = `import { sqlite } from "@latchkey/kysely-adapter/sqlite"
      export default { providers: [], adapter: sqlite("app.db"), session: { strategy: "jwt" } }`
    const folder = writeApp({ "auth.ts": text })
    const before = readdirSync(folder)
    const { code, findings } = await diagnose(folder)
    expect([code, findings]).toEqual([0, []])
    expect(readdirSync(folder)).toEqual(before)
  })

  it("names a folder that is missing, where sqlite() cannot create its file", async () => {
    const text = `import { sqlite } from "@latchkey/kysely-adapter/sqlite"
      export default { providers: [], adapter: sqlite("nowhere/app.db"), session: { strategy: "jwt" } }`
    const { code, findings } = await diagnose(writeApp({ "auth.ts": text }))
    expect([code, findings]).toMatchObject([1, [{ code: "config-unloaded" }]])
    expect(findings[0]?.sentence).toContain("nowhere/app.db cannot be opened")
  })

  it("names an AUTH_URL that is a callback URL", async () => {
    const environment = { ...production, AUTH_URL: "https://app.example/auth/callback/github" }
    const { code, findings } = await diagnose(writeApp({ "auth.ts": "export default { providers: [] }" }), environment)
    const fixes = [{ where: "environment", text: "AUTH_URL=https://app.example" }]
    expect([code, findings]).toMatchObject([1, [{ code: "auth-url-path", fixes }]])
  })

  it.each([
    ["the default export", `export default ${config}`],
    ["an export by one of the usual names", `export const other = 1\nexport const authOptions = ${config}`],
    [
      "what an integration is called with",
      `import { warnAtStart } from "@latchkey/core/integration"\nwarnAtStart(${config})\nexport const handlers = {}`,
    ],
    [
      "what a function returns for a request",
      `export const config = async (request: Request) => request.url.startsWith("https:") && ${config}`,
    ],
    ["a promise", `export default Promise.resolve(${config})`],
    ["a file with JSX", `export const Mail = () => <p>Hello</p>\nexport default ${config}`],
    [
      "a file that imports what only a framework has",
      `import "server-only"
       import { cookies } from "next/headers"
       import { SECRET } from "$env/static/private"
       import { env } from "$env/dynamic/private"
       import { building } from "$app/environment"
       import { getSecret } from "astro:env/server"
       import { useRuntimeConfig } from "#imports"
       void [cookies, SECRET, env.SECRET, building, getSecret("SECRET"), useRuntimeConfig().secret]
       export default ${config}`,
    ],
    [
      "what QwikAuth$ is called with",
      `import { QwikAuth$ } from "@latchkey/qwik"\nexport const { onRequest } = QwikAuth$(() => (${config}))`,
    ],
  ])("may be %s", async (_, text) => {
    expect(await load(text)).toMatchObject({ kind: "found", results: { configuration: { findings: [] } } })
  })

  it("finds files by paths and baseUrl of tsconfig.json, with comments, and an extends that a build makes", async () => {
    const tsconfig = `{ // the app
      "extends": "./.svelte-kit/tsconfig.json",
      "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["./src/*"], "~config": ["./src/options.ts"], }, },
    }`
    const folder = writeApp({
      "tsconfig.json": tsconfig,
      "src/name.ts": `export const name: string = "a"`,
      "src/options.ts": `import { name } from "@/name"\nexport const options = { providers: [], theme: { name } }`,
      "src/lib/extra.ts": "export {}",
      "auth.ts": `import "src/name"\nimport "$lib/extra"\nexport { options } from "~config"`,
    })
    expect(await diagnose(folder)).toMatchObject({ code: 0, findings: [] })
  })

  it("is found by its name, if none is given and it imports our packages", async () => {
    const imported = `import type { AuthConfig } from "@latchkey/core"\nexport default ${config}`
    const folder = writeApp({
      "auth.ts": `export default ${config}`,
      "src/lib/auth.ts": imported,
      "src/main.ts": imported,
    })
    expect(JSON.parse((await diagnose(folder, production, [])).text).config).toBe(join("src", "lib", "auth.ts"))
    expect(await diagnose(writeApp({ "src/main.ts": imported }), production, [])).toMatchObject({ code: 2 })
  })

  it("reads the environment files in the order of frameworks, and shows names only", async () => {
    const folder = writeApp({
      ".env": `AUTH_SECRET=short\nAUTH_URL=\${HOST}/\nHOST=http://app.example\n`,
      ".env.local": "AUTH_SECRET=tiny-canary\n",
      ".env.production": `# one\nexport AUTH_SECRET="also-${"short"}"\n`,
      "auth.ts": `export default ${config}`,
    })
    const { PATH, NODE_OPTIONS } = production
    const { findings, text } = await diagnose(folder, { PATH, NODE_OPTIONS })
    expect(findings.map(({ code, fixes }) => [code, fixes[0]?.file, fixes[0]?.line])).toEqual([
      ["secret-weak", ".env.local", 1],
      ["auth-url", ".env", 2],
    ])
    expect(text).not.toContain("tiny-canary")
  })

  it("that throws is a finding with its message, without secrets", async () => {
    const text = `throw new Error("EMAIL_SERVER is missing: " + process.env.AUTH_SECRET + " postgres://u:" + process.env.DB_PASSWORD + "@h/db")`
    const folder = writeApp({ "auth.ts": text })
    const { code, findings, unchecked, text: shown } = await diagnose(folder, { ...production, DB_PASSWORD: secret })
    const sentence =
      "The configuration could not be loaded: EMAIL_SERVER is missing: [withheld] postgres://u:[withheld]@h/db."
    expect([code, findings[0]?.sentence, findings[0]?.fixes[0]?.file]).toEqual([1, sentence, "auth.ts"])
    expect(unchecked.map(({ code: source }) => source)).toEqual(["providers", "store", "mail"])
    expect(shown).not.toMatch(new RegExp(`${secret}|${production.AUTH_SECRET}`))
  })

  it("DOC-07: exits, starts a server or a program: is refused with that sentence and exit code 2", async () => {
    const misdeeds = {
      "ends the process": "process.exit(0)",
      "ends the process (": "process.kill(process.pid)",
      "starts a server": `import { createServer } from "node:http"\ntry { createServer().listen(0) } catch {}`,
      "starts another program": `import { execSync } from "node:child_process"\ntry { execSync("touch ran") } catch {}`,
      "starts another program ": `import { spawn } from "node:child_process"\nspawn("touch", ["ran"])`,
    }
    for (const [sentence, text] of Object.entries(misdeeds)) {
      const folder = writeApp({ "auth.ts": `${text}\nexport default ${config}` })
      const { code, findings, unchecked } = await diagnose(folder)
      expect([code, findings, existsSync(join(folder, "ran"))]).toEqual([2, [], false])
      expect(unchecked.find(({ code: source }) => source === "configuration")?.reason).toContain(
        `auth.ts ${sentence.trim()}`,
      )
    }
  })

  it.each([
    ["hangs", "while (true) {}", "did not finish loading within 4 seconds"],
    ["waits for ever", "await new Promise(() => {})", "waits for something that never comes"],
    [
      "hangs while a timer runs",
      "while (true) await new Promise((next) => setTimeout(next, 100))",
      "did not finish loading within 4 seconds",
    ],
    [
      "needs a terminal",
      `import { createInterface } from "node:readline/promises"
       await createInterface(process.stdin).question("Password: ")`,
      "waits for input from a terminal",
    ],
  ])("DOC-07: %s: is ended, and refused with that sentence", async (_, text, sentence) => {
    const outcome = await load(`${text}\nexport default ${config}`, text.startsWith("while") ? { loadMs: 4000 } : {})
    expect(outcome).toEqual({ kind: "refused", sentence })
  })

  it("is asked only for what --only names, and cannot be left unsaid", async () => {
    const text = `const checkStore = async () => { throw new Error("asked") }
      export default { providers: [], adapter: { checkStore, getUser: () => null }, session: { strategy: "jwt" } }`
    const only = (codes: string, app: string) =>
      diagnose(writeApp({ "auth.ts": app }), production, ["--config", "auth.ts", "--only", codes])
    expect(await only("secret-missing", text)).toMatchObject({ code: 0, findings: [] })
    expect(await only("store-unreachable", text)).toMatchObject({ code: 1, findings: [{ code: "store-unreachable" }] })
    expect(await only("store-unreachable", "throw new Error()")).toMatchObject({ code: 2, findings: [] })
  })

  it("DOC-07: prints secrets: nothing of it is shown", async () => {
    const text = `console.log(process.env.DB_PASSWORD)\nconsole.error(process.env.DB_PASSWORD)\nexport default ${config}`
    const print = vi.spyOn(process.stdout, "write")
    const { text: shown } = await diagnose(writeApp({ "auth.ts": text }), { ...production, DB_PASSWORD: secret })
    expect([shown, ...print.mock.calls.map(String)].join()).not.toContain(secret)
    print.mockRestore()
  })

  it("DOC-07: starts a program while its store is checked: it ends with the command", async () => {
    const text = `import { spawn } from "node:child_process"
      import { writeFileSync } from "node:fs"
      const checkStore = async () => {
        const child = spawn("sleep", ["600"], { stdio: "ignore" })
        writeFileSync("started", String(child.pid))
      }
      export default { providers: [], adapter: { checkStore, getUser: () => null }, session: { strategy: "jwt" } }`
    const folder = writeApp({ "auth.ts": text })
    await diagnose(folder)
    const pid = Number(readFileSync(join(folder, "started"), "utf8"))
    await expect.poll(() => isRunning(pid)).toBe(false)
  })
})

describe("a process that loads a configuration", () => {
  it.each([
    ["SIGINT", "while (true) {}"],
    ["SIGTERM", "while (true) {}"],
    ["SIGKILL", "setInterval(() => {}, 1000)\nawait new Promise(() => {})"],
  ] as const)("DOC-07: ends with a command that gets %s", async (signal, text) => {
    const noted = `import { writeFileSync } from "node:fs"\nwriteFileSync("started", String(process.pid))`
    const folder = writeApp({ "auth.ts": `${noted}\n${text}\nexport default ${config}` })
    const command = startLatchkey(["doctor", "--config", "auth.ts"], folder, production)
    const started = join(folder, "started")
    await expect.poll(() => existsSync(started) && readFileSync(started, "utf8"), { timeout: 60_000 }).toBeTruthy()
    const pid = Number(readFileSync(started, "utf8"))
    command.kill(signal)
    try {
      await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false)
      expect(command.signalCode).toBe(signal)
    } finally {
      if (isRunning(pid)) process.kill(pid, "SIGKILL")
    }
  })
})

const examples = join(import.meta.dirname, "..", "..", "..", "..", "apps")

/** The file of each example that configures the service. Null: the app has no service of its own. */
const files: Readonly<Record<string, string | null>> = {
  astro: "auth.config.ts",
  electron: null,
  elysia: "src/auth.ts",
  expo: null,
  express: "src/auth.ts",
  fastify: "src/auth.ts",
  hono: "src/auth.ts",
  koa: "src/auth.ts",
  nestjs: "src/auth.ts",
  next: "auth.ts",
  // Made of the files of the other one when it is tested.
  "next-15": null,
  node: "src/auth.ts",
  nuxt: "server/auth.config.ts",
  qwik: "src/routes/plugin@auth.ts",
  "react-router": "app/auth.server.ts",
  "solid-start": "src/auth.ts",
  sveltekit: "src/hooks.server.ts",
  "tanstack-start": "src/auth.ts",
  vue: "src/auth.ts",
}

describe("the configuration of each example", () => {
  it("is listed here", () => {
    const names = readdirSync(examples).flatMap((name) => /^example-(.+)$/.exec(name)?.[1] ?? [])
    expect(names.toSorted()).toEqual(Object.keys(files).toSorted())
  })

  const loaded = Object.entries(files).flatMap(([name, file]) => (file === null ? [] : [[name, file] as const]))
  it.each(loaded)("is loaded by latchkey doctor: %s", async (name, file) => {
    const environment = {
      ...production,
      DATA_FILE: ":memory:",
      EMAIL_SERVER: "smtp://127.0.0.1:9",
      AUTH_DEMO_ISSUER: "http://127.0.0.1:9",
      AUTH_DEMO_ID: "demo",
      AUTH_DEMO_SECRET: "secret-of-the-client",
    }
    const { findings, unchecked } = await diagnose(join(examples, `example-${name}`), environment, ["--config", file])
    const away = new Set(["provider-unreachable", "mail-unreachable"])
    expect([findings.filter(({ code }) => !away.has(code)), unchecked]).toEqual([[], []])
    expect(findings.map(({ code }) => code)).toContain("provider-unreachable")
  })
})

/** A process that was killed and not yet collected runs no more. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}
