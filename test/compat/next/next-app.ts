import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { findFreePort } from "@latchkey/testkit/servers"
import { latchkey, type Outcome } from "../../../packages/cli/test/command.js"
import { type RunningApp, runScript, startApp } from "../../examples/running-app.js"

/** An app with a published Next, which stays on its port. */
export interface NextApp {
  readonly origin: string
  /** Writes `.env.local`. */
  setVariables(values: Readonly<Record<string, string>>): void
  /** Builds the app as it is now, and starts it in place of what ran. */
  deploy(environment?: Readonly<Record<string, string>>): Promise<void>
  /** Deploys the app of the other library. Its types are not checked. */
  deployFormer(environment?: Readonly<Record<string, string>>): Promise<void>
  /** Starts the build of the other library again. */
  goBack(): Promise<void>
  /** The lines about errors that the running app has written, without those about session tokens that it rejected. */
  listErrors(): readonly string[]
  /** Replaces text in a file. @throws Error if the file does not have it */
  edit(file: string, ...changes: (readonly [from: string, to: string])[]): void
  write(file: string, text: string): void
  remove(file: string): void
  /** Undoes all changes since the app of the other library. */
  restore(): void
  /** Runs `latchkey move` in its folder. */
  move(...options: string[]): Promise<Outcome>
  stop(): Promise<void>
}

/** The files of `fixtures/<name>.txt`. */
export function readFixture(name: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(import.meta.dirname, "fixtures", `${name}.txt`), "utf8")
  const parts = text.split(/^=== /m).slice(1)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]))
}

function git(folder: string, ...args: string[]): void {
  const done = spawnSync("git", args, { cwd: folder, encoding: "utf8" })
  if (done.status !== 0) throw new Error(`git ${args.join(" ")}\n${done.stdout}${done.stderr}`)
}

/** The configuration of Next, without steps of a build that no test needs: they take half of its time. */
function toConfig(version: string, home: string): string {
  const config = {
    // The lock file above the app is that of the installation.
    outputFileTracingRoot: home,
    turbopack: { root: home },
    // `next start` does not read the lists of the files that each page needs.
    outputFileTracingExcludes: { "*": ["**/*"] },
    ...(version === "15" && { eslint: { ignoreDuringBuilds: true }, experimental: { webpackBuildWorker: false } }),
  }
  const typescript = '{ ignoreBuildErrors: process.env.IS_UNCHECKED === "true" }'
  return `export default { ...${JSON.stringify(config)}, typescript: ${typescript} }\n`
}

interface AppOptions {
  /** The version of Next: a folder here. */
  readonly version: string
  readonly name: string
  readonly files: ReadonlyMap<string, string>
}

/** Writes an app below the packages that it uses. */
export async function createNextApp({ version, name, files }: AppOptions): Promise<NextApp> {
  const home = join(import.meta.dirname, version)
  const folder = join(home, ".apps", name)
  const port = String(await findFreePort())
  const origin = `http://localhost:${port}`
  const example = { name, folder, scripts: ["build", "start"] }
  let running: RunningApp | undefined
  /** Whether the build is that of the former app. */
  let isFormer = false

  const path = (file: string): string => join(folder, file)
  function write(file: string, text: string): void {
    mkdirSync(dirname(path(file)), { recursive: true })
    writeFileSync(path(file), text)
  }
  async function stop(): Promise<void> {
    const former = running
    running = undefined
    await former?.stop()
  }

  rmSync(folder, { recursive: true, force: true })
  for (const [file, text] of files) write(file, text)
  write(".gitignore", "node_modules\n.next*\n.env.local\n")
  write("next.config.mjs", toConfig(version, home))

  /** Keeps the build of the former app, and its cache for the next one. */
  function setAside(): void {
    renameSync(path(".next"), path(".next-former"))
    mkdirSync(path(".next"))
    renameSync(path(".next-former/cache"), path(".next/cache"))
  }
  async function start(environment: Readonly<Record<string, string>>): Promise<void> {
    running = await startApp(example, origin, { ...environment, PORT: port })
  }
  async function deploy(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    await stop()
    if (isFormer) setAside()
    isFormer = false
    await runScript(example, "build", environment)
    await start(environment)
  }
  function commit(): void {
    git(folder, "add", "--all")
    const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    git(folder, ...author, "commit", "--quiet", "--allow-empty", "-m", "The app")
  }

  return {
    origin,
    write,
    stop,
    setVariables(values) {
      const lines = Object.entries(values).map(([key, value]) => `${key}=${value}\n`)
      write(".env.local", lines.join(""))
    },
    listErrors() {
      const output = (running?.output() ?? "").replace(/^\[auth\]\[error\] JWTSessionError.*\n(?:[ \t].*\n)*/gm, "")
      return output.match(/^.*error.*$/gim) ?? []
    },
    remove: (file) => rmSync(path(file)),
    edit(file, ...changes) {
      let text = readFileSync(path(file), "utf8")
      for (const [from, to] of changes) {
        if (!text.includes(from)) throw new Error(`${file} does not have ${from}:\n${text}`)
        text = text.replace(from, () => to)
      }
      writeFileSync(path(file), text)
    },
    deploy,
    async deployFormer(environment = {}) {
      await deploy({ ...environment, IS_UNCHECKED: "true" })
      isFormer = true
      git(folder, "init", "--quiet")
      commit()
      git(folder, "tag", "former")
    },
    async goBack() {
      await stop()
      rmSync(path(".next"), { recursive: true })
      renameSync(path(".next-former"), path(".next"))
      await start({})
    },
    restore() {
      git(folder, "reset", "--quiet", "--hard", "former")
      git(folder, "clean", "--quiet", "-d", "--force")
    },
    async move(...options) {
      commit()
      return await latchkey(["move", "--yes", "--no-install", ...options], folder)
    },
  }
}
