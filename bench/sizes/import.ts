import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { atLeast, atMost, type Report, type Verdict } from "../speed/report/report.ts"
import type { Measurement } from "../speed/scenario.ts"
import { peakKilobytes } from "./peak-memory.ts"

const repository = join(import.meta.dirname, "..", "..")
const command = join(repository, "packages", "cli", "dist", "main.js")
const users = Number(process.env["IMPORT_USERS"] ?? 100_000)
const goals = { perSecond: 5000, bytes: 200e6 }

/** `latchkey import` to stores that are new, killed after a third, and resumed. */
export const importUsers: Measurement = {
  kind: "measurement",
  id: "import",
  title: `\`latchkey import\`: ${users.toLocaleString("en")} users with an account and a password`,
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-import-"))
    try {
      await writeUsers(join(folder, "users.jsonl"))
      symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"))
      writeFileSync(join(folder, "package.json"), "{}")
      writeFileSync(join(folder, "rss.mjs"), peak)
      const runs = [await importToSqlite(folder)]
      if (hasProgram("postgres")) runs.push(await importToPostgres(folder))
      return toReport(runs)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

interface Run {
  readonly store: string
  readonly seconds: number
  readonly peakBytes: number
  /** Users in the store after the kill, and at the end. */
  readonly killedAt: number
  readonly stored: number
}

interface Store {
  readonly name: string
  /** The module and the expression of the adapter in the app's configuration. */
  readonly adapter: readonly [module: string, text: string]
  count(): Promise<number>
}

/** Notes the largest size of each process, in kilobytes. */
const peak = `import { appendFileSync } from "node:fs"
process.on("exit", () => appendFileSync("rss.txt", ${peakKilobytes} + "\\n"))
`

async function writeUsers(path: string): Promise<void> {
  const file = createWriteStream(path)
  for (let index = 0; index < users; index += 1) {
    const salt = `${index.toString(36).padStart(21, "A")}u`
    const account = {
      provider: "github",
      providerAccountId: String(index),
      access_token: `gho_${index}`,
      scope: "read:user",
    }
    const user = {
      id: `user-${index}`,
      name: `User ${index}`,
      email: `User.${index}@Example.com`,
      emailVerified: "2026-01-01T00:00:00Z",
      accounts: [account],
      password: `$2b$10$${salt}IjZAgcfl7p92ldGxad68LJZdL17lhWy`,
    }
    if (!file.write(`${JSON.stringify(user)}\n`)) await once(file, "drain")
  }
  file.end()
  await once(file, "finish")
}

async function importToSqlite(folder: string): Promise<Run> {
  const path = join(folder, "app.db")
  const adapter = sqlite(path)
  try {
    const count = async () => Number(adapter.database.prepare('select count(*) as n from "User"').get()?.["n"])
    return await measureStore(folder, {
      name: "SQLite",
      adapter: ['import { sqlite } from "@latchkey/kysely-adapter/sqlite"', `sqlite(${JSON.stringify(path)})`],
      count,
    })
  } finally {
    adapter.close()
  }
}

async function importToPostgres(folder: string): Promise<Run> {
  const server = await startPostgres()
  const adapter = postgres(server.url)
  try {
    await adapter.migrate()
    const count = async () => {
      const counted = adapter.db.selectFrom("User").select(({ fn }) => fn.countAll().as("n"))
      return Number((await counted.executeTakeFirstOrThrow()).n)
    }
    return await measureStore(folder, {
      name: "PostgreSQL",
      adapter: [
        'import { postgres } from "@latchkey/kysely-adapter/postgres"',
        `postgres(${JSON.stringify(server.url)})`,
      ],
      count,
    })
  } finally {
    await adapter.close()
    await server.stop()
  }
}

async function measureStore(folder: string, { name, adapter: [module, text], count }: Store): Promise<Run> {
  writeFileSync(join(folder, "auth.mjs"), toConfiguration(module, text))
  writeFileSync(join(folder, "rss.txt"), "")
  const begun = performance.now()
  const killed = start(folder)
  const ended = once(killed, "close")
  while (killed.exitCode === null && (await count()) < users / 3) await new Promise((next) => setTimeout(next, 500))
  killed.kill("SIGKILL")
  await ended
  const killedAt = await count()
  await once(start(folder, "--resume"), "close")
  const seconds = (performance.now() - begun) / 1000
  const sizes = readFileSync(join(folder, "rss.txt"), "utf8").split("\n").map(Number)
  return { store: name, seconds, peakBytes: Math.max(...sizes) * 1024, killedAt, stored: await count() }
}

function toConfiguration(module: string, adapter: string): string {
  return `${module}
import GitHub from "@latchkey/core/providers/github"
import Passwords from "@latchkey/core/providers/passwords"
import Resend from "@latchkey/core/providers/resend"
import { bcrypt } from "@latchkey/core/passwords"

export const config = {
  adapter: ${adapter},
  secret: "3lGkUQH0c9Ie2nQm7WwZt5xYv8Ra4Pb1",
  trustHost: true,
  session: { strategy: "jwt" },
  providers: [
    GitHub({ clientId: "id", clientSecret: "secret" }),
    Passwords({ mail: Resend({ apiKey: "key", from: "a@app.example" }), accept: [bcrypt()] }),
  ],
}
`
}

function start(folder: string, ...more: readonly string[]): ChildProcess {
  const args = ["--import", "./rss.mjs", command, "import", "json", "users.jsonl", "--config", "auth.mjs", "--yes"]
  return spawn(process.execPath, [...args, ...more], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
}

function toReport(runs: readonly Run[]): Report {
  const perSecond = ({ seconds }: Run) => users / seconds
  return {
    id: importUsers.id,
    title: importUsers.title,
    columns: ["store", "s", "users a second", "MB at most", "users after kill -9", "users at the end"],
    rows: runs.map((run) => [
      run.store,
      run.seconds.toFixed(1),
      perSecond(run).toFixed(0),
      (run.peakBytes / 1e6).toFixed(0),
      String(run.killedAt),
      String(run.stored),
    ]),
    verdicts: runs.flatMap((run): Verdict[] => [
      atLeast(goals.perSecond, perSecond(run), {
        goal: `${goals.perSecond} users a second, ${run.store}`,
        measured: `${perSecond(run).toFixed(0)} a second`,
      }),
      atMost(goals.bytes, run.peakBytes, {
        goal: `${goals.bytes / 1e6} MB, ${run.store}`,
        measured: `${(run.peakBytes / 1e6).toFixed(0)} MB`,
      }),
      atLeast(users, run.stored, { goal: `all users, ${run.store}`, measured: String(run.stored) }),
    ]),
    notes: [
      "The time is of both processes, with their starts, the pass that counts the users, and the kill in between. `IMPORT_USERS=1000000` imports a million.",
    ],
  }
}
