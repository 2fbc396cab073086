import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { atLeast, atMost, type Report } from "../speed/report/report.ts"
import type { Measurement } from "../speed/scenario.ts"

const command = join(import.meta.dirname, "..", "..", "packages", "cli", "dist", "main.js")
/** In a repository of a large app, one file in ten names a package of Auth.js. */
const [files, namedEvery] = [4000, 10]
const goals = { seconds: 10 }

/** `latchkey move` on a repository that is made for it, with its changes written and without an installation. */
export const moveApp: Measurement = {
  kind: "measurement",
  id: "move",
  title: `\`latchkey move\`: a repository of ${files.toLocaleString("en")} files`,
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-move-"))
    try {
      const bytes = writeRepository(folder)
      const begun = performance.now()
      await once(start(folder), "close")
      const seconds = (performance.now() - begun) / 1000
      return toReport({ seconds, bytes, changed: countChanges(folder) })
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

const body = Array.from(
  { length: 20 },
  (_, index) => `
/** Sums what the items of a page cost. */
export async function sum${index}({ id, page = ${index} }: { readonly id: string; page?: number }): Promise<number> {
  const found = await fetch(\`/api/items/\${id}?page=\${page}\`).then((answer) => answer.json())
  return found.items.reduce((total: number, { price }: { price: number }) => total + price, 0)
}
`,
).join("")

/** @returns how large it is */
function writeRepository(folder: string): number {
  const dependencies = { next: "15.1.0", react: "19.0.0", "next-auth": "4.24.11" }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "app", dependencies }, null, 2))
  let bytes = 0
  for (let index = 0; index < files; index += 1) {
    const home = join(folder, "src", `part${index % 80}`)
    mkdirSync(home, { recursive: true })
    const imports = index % namedEvery === 0 ? 'import { useSession } from "next-auth/react"\n' : ""
    const text = `${imports}import { join } from "./join"\n${body}\nexport const View = () => <p>{join()}</p>\n`
    writeFileSync(join(home, `file${index}.tsx`), text)
    bytes += text.length
  }
  git(folder, "init", "-q")
  git(folder, "add", "-A")
  git(folder, "-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-qm", "All")
  return bytes
}

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8" })
}

function start(folder: string): ChildProcess {
  const args = [command, "move", "--yes", "--no-install"]
  return spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
}

function countChanges(folder: string): number {
  return git(folder, "status", "--porcelain").split("\n").filter(Boolean).length
}

function toReport({ seconds, bytes, changed }: { seconds: number; bytes: number; changed: number }): Report {
  return {
    id: moveApp.id,
    title: moveApp.title,
    columns: ["files", "MB", "files that change", "s"],
    rows: [[String(files), (bytes / 1e6).toFixed(0), String(changed), seconds.toFixed(1)]],
    verdicts: [
      atMost(goals.seconds, seconds, { goal: `${goals.seconds} s`, measured: `${seconds.toFixed(1)} s` }),
      atLeast(files / namedEvery + 1, changed, { goal: "every file that names it", measured: String(changed) }),
    ],
    notes: ["The time is of the process with its start, and of `git status` and `git ls-files`, which it runs."],
  }
}
