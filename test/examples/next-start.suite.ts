import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { encode } from "@latchkey/core/jwt"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findFreePort } from "../../packages/testkit/src/servers/index.js"
import { type InstalledExample, readStarts, type Start } from "./example.js"
import { type RunningApp, runScript, startApp } from "./running-app.js"

// The app of docs/start/next.md, word for word, with the Next.js of an example: built and started as users do, by the scripts
// of its package.json and without an environment variable besides the port.

const { folder: example, name, starts } = readStarts()
const docs = join(import.meta.dirname, "..", "..", "docs")
const page = readFileSync(join(docs, "start", "next.md"), "utf8")
const guide = readFileSync(join(docs, "guides", "next.md"), "utf8")
const secret = "of the app of the start page, long enough and of no use elsewhere"
const cookieName = "authjs.session-token"

/** The files of a page, each of which begins with its name. */
function readFiles(text: string): ReadonlyMap<string, string> {
  const snippets = [...text.matchAll(/^```tsx?[^\n]*\n(\/\/ (\S+).*?)^```$/gms)]
  return new Map(snippets.map(([, code = "", file = ""]) => [file, code]))
}

const compilerOptions = {
  target: "es2017",
  lib: ["dom", "dom.iterable", "esnext"],
  ...{ strict: true, skipLibCheck: true, noEmit: true, esModuleInterop: true, isolatedModules: true, jsx: "preserve" },
  ...{ module: "esnext", moduleResolution: "bundler", paths: { "@/*": ["./*"] } },
}

/** What the starter of Next.js has created before. */
const created = {
  "tsconfig.json": JSON.stringify({ compilerOptions, include: ["next-env.d.ts", "**/*.ts", "**/*.tsx"] }),
  "app/layout.tsx":
    'export default function Layout({ children }: { children: React.ReactNode }) {\n  return <html lang="en"><body>{children}</body></html>\n}\n',
  "app/page.tsx": "export default function Home() {\n  return <h1>Welcome</h1>\n}\n",
}

/** `proxy.ts`, changed as the page says where `middleware.ts` takes its place. */
function toGuard(code: string, { guard, runtime }: Start): string {
  const own = guard === "middleware.ts" ? code.replace("auth as proxy", "auth as middleware") : code
  return runtime === undefined ? own : own.replace("config = { ", `config = { runtime: "${runtime}", `)
}

/** Writes the app below the example, whose packages it uses. */
function writeApp(folder: string, start: Start, origin: string): void {
  rmSync(folder, { recursive: true, force: true })
  const files = new Map([...Object.entries(created), ...readFiles(page)])
  const guard = files.get("proxy.ts") ?? ""
  files.delete("proxy.ts")
  files.set(start.guard, toGuard(guard, start))
  for (const [file, code] of start.isSplit ? splitFiles(files.get("auth.ts") ?? "") : []) files.set(file, code)
  const build = ["next build", ...(start.bundler ? [`--${start.bundler}`] : [])].join(" ")
  files.set("package.json", JSON.stringify({ private: true, scripts: { build, start: "next start" } }))
  if (start.options) files.set("next.config.ts", `export default ${JSON.stringify(start.options)}\n`)
  const values = { AUTH_SECRET: secret, AUTH_GITHUB_ID: "an-id", AUTH_GITHUB_SECRET: "a-secret", AUTH_URL: origin }
  files.set(
    ".env.local",
    Object.entries(values)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(""),
  )
  for (const [file, code] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), code)
  }
}

/** The files of a split configuration, as the guide has them. The start page's own providers sign users in. */
function splitFiles(authFile: string): readonly (readonly [string, string])[] {
  const [, section = ""] = /^### Split configuration$(.*?)^### /ms.exec(guide) ?? []
  const parts = readFiles(section)
  const whole = authFile
    .replace(/callbacks: .*\n/, "...authConfig,\n")
    .replace(/$/, '\nimport { authConfig } from "./auth.config"\n')
  return [
    ["auth.config.ts", parts.get("auth.config.ts") ?? ""],
    ["auth.ts", whole],
    ["middleware.ts", parts.get("middleware.ts") ?? ""],
  ]
}

const findRuntime = ({ guard, runtime }: Start): string => runtime ?? (guard === "proxy.ts" ? "nodejs" : "edge")

const toTitle = (start: Start): string => {
  const { guard, isSplit, bundler, options = {} } = start
  const how = [...(isSplit ? ["split configuration"] : []), ...(bundler ? [bundler] : []), ...Object.keys(options)]
  return [guard, `runtime ${findRuntime(start)}`, ...how].join(", ")
}

/** The code that Next's build wrote for the edge: that of the middleware alone. */
function readEdgeCode(folder: string): string {
  const server = join(folder, ".next", "server")
  const files = ["middleware.js", "src/middleware.js", "edge/chunks/**/*.js"].flatMap((each) =>
    globSync(each, { cwd: server }),
  )
  return files.map((file) => readFileSync(join(server, file), "utf8")).join("\n")
}

describe.each(starts.map((start) => ({ ...start, title: toTitle(start) })))(
  `${name}, the app of the start page with $title`,
  (start) => {
    const app: InstalledExample = { name, folder: join(example, ".start"), scripts: ["build", "start"] }
    let origin = ""
    let build = ""
    let running: RunningApp | undefined
    let session = ""

    beforeAll(async () => {
      const port = String(await findFreePort())
      origin = `http://localhost:${port}`
      writeApp(app.folder, start, origin)
      build = await runScript(app, "build", {})
      running = await startApp(app, origin, { PORT: port })
      session = await encode({ token: { sub: "1", name: "Ada" }, secret, salt: cookieName })
    })
    afterAll(async () => {
      await running?.stop()
      if (existsSync(app.folder)) rmSync(app.folder, { recursive: true })
    })

    const ask = (path: string, init: RequestInit = {}) => fetch(`${origin}${path}`, { redirect: "manual", ...init })
    const asAda = (path: string) => ask(path, { headers: { cookie: `${cookieName}=${session}` } })

    it("builds without a warning about the edge runtime", () => {
      expect(build).not.toMatch(/Edge Runtime|not supported|UnhandledScheme/i)
    })

    it.runIf(findRuntime(start) === "edge")("bundles code of sign-ins only if the guard can sign users in", () => {
      const code = readEdgeCode(app.folder)
      expect(code).toContain("authjs.session-token")
      expect(code.includes("code_challenge_method")).toBe(!start.isSplit)
    })

    it("serves public pages, and redirects from the private one to the sign-in page", async () => {
      expect(await (await ask("/")).text()).toContain("Welcome")
      const refused = await ask("/private")
      const target = `${origin}/api/auth/signin?callbackUrl=${encodeURIComponent(`${origin}/private`)}`
      // Next makes the addresses of its own host relative.
      expect([refused.status, URL.parse(refused.headers.get("location") ?? "", origin)?.href]).toEqual([307, target])
    })

    it("shows the private page to a signed-in user", async () => {
      const shown = await asAda("/private")
      expect(shown.status).toBe(200)
      expect((await shown.text()).replaceAll("<!-- -->", "")).toContain("Hello Ada")
      expect(await (await asAda("/api/auth/session")).json()).toMatchObject({ user: { name: "Ada" } })
    })

    it("renews the session in front of the pages", async () => {
      const [renewed = ""] = (await asAda("/")).headers.getSetCookie()
      expect(renewed).toMatch(/^authjs\.session-token=[^;]/)
    })

    it("starts a sign-in at the provider", async () => {
      const csrf = await ask("/api/auth/csrf")
      const { csrfToken } = (await csrf.json()) as { csrfToken: string } // as: the contract's response.
      const cookie = csrf.headers
        .getSetCookie()
        .map((value) => value.split(";", 1)[0])
        .join("; ")
      const init = { method: "POST", body: new URLSearchParams({ csrfToken }), headers: { cookie, origin } }
      const sent = await ask("/api/auth/signin/github", init)
      expect([sent.status, sent.headers.get("location")]).toEqual([
        302,
        expect.stringMatching(/^https:\/\/github\.com\//),
      ])
    })

    it("logs no error", async () => {
      await asAda("/private")
      expect(running?.output()).not.toMatch(/error/i)
    })
  },
)
