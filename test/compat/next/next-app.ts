import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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
  /** What the running app has written. */
  output(): string
  /** Replaces text in a file. @throws Error if the file does not have it */
  edit(file: string, ...changes: (readonly [from: string, to: string])[]): void
  write(file: string, text: string): void
  remove(file: string): void
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
  write(".gitignore", "node_modules\n.next\n.env.local\n")
  // The lock file above is that of the installation.
  write("next.config.mjs", `export default { outputFileTracingRoot: "${home}", turbopack: { root: "${home}" } }\n`)

  return {
    origin,
    write,
    stop,
    setVariables(values) {
      const lines = Object.entries(values).map(([key, value]) => `${key}=${value}\n`)
      write(".env.local", lines.join(""))
    },
    output: () => running?.output() ?? "",
    remove: (file) => rmSync(path(file)),
    edit(file, ...changes) {
      let text = readFileSync(path(file), "utf8")
      for (const [from, to] of changes) {
        if (!text.includes(from)) throw new Error(`${file} does not have ${from}:\n${text}`)
        text = text.replace(from, () => to)
      }
      writeFileSync(path(file), text)
    },
    async deploy(environment = {}) {
      await stop()
      await runScript(example, "build", environment)
      running = await startApp(example, origin, { ...environment, PORT: port })
    },
    async move(...options) {
      git(folder, "init", "--quiet")
      git(folder, "add", "--all")
      git(folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "-m", "The app")
      return await latchkey(["move", "--yes", "--no-install", ...options], folder)
    },
  }
}
