import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { origin, secret, sessionCookieName, tenProviders, toClaims, user } from "../speed/fixtures/host.ts"
import { parseWaitedUs } from "../speed/rate/slice.ts"
import { atMost, type Report, type Verdict } from "../speed/report/report.ts"
import { formatNumber, formatSpread, median } from "../speed/report/statistics.ts"
import type { Measurement } from "../speed/scenario.ts"

/** In each round every process starts once. The short form has fewer rounds. */
const fullRounds = 21

export const startup: Measurement = {
  kind: "measurement",
  id: "startup",
  title: "Start-up: cold process",
  async measure({ isShort, processes }) {
    const cacheFolder = mkdtempSync(join(tmpdir(), "latchkey-compile-cache-"))
    try {
      const rounds = isShort ? processes : fullRounds
      return toReport(runRounds(await listRows(cacheFolder), rounds), rounds)
    } finally {
      rmSync(cacheFolder, { recursive: true, force: true })
    }
  },
}

/** A program that is run in a fresh process. */
interface Row {
  readonly name: string
  readonly statements: string
  /** The row that is subtracted. Default: `bare Node`. */
  readonly bare?: string
  /** The row of ours that this one is compared with. */
  readonly ours?: string
}

const bareNode = "bare Node"
const bareWeb = "bare Node: a Request and a Response"
const libraries = { latchkey: "@latchkey/core", "auth-core": "@auth/core" } as const

async function listRows(cacheFolder: string): Promise<readonly Row[]> {
  const { firstAnswer, firstSession, firstPage } = await listPrograms()
  const importOf = (library: string) => `await import("${library}")`
  const cached = (program: (library: string) => string) => (library: string) =>
    `process.getBuiltinModule("node:module").enableCompileCache(${JSON.stringify(cacheFolder)})\n${program(library)}`
  return [
    { name: bareNode, statements: "" },
    ...compare("import", importOf),
    { name: "better-auth: import", statements: importOf("better-auth"), ours: "latchkey: import" },
    { name: "iron-session: import", statements: importOf("iron-session"), ours: "latchkey: import" },
    { name: bareWeb, statements: `${toRequest("session")}\nawait new Response(request.url).text()`, bare: bareWeb },
    ...compare("first answer", firstAnswer).map((row) => ({ ...row, bare: bareWeb })),
    ...compare("first session check", firstSession),
    ...compare("first sign-in page", firstPage),
    ...compare("import, compile cache", cached(importOf)),
    ...compare("first session check, compile cache", cached(firstSession)),
    ...compare("first sign-in page, compile cache", cached(firstPage)),
  ]
}

/** A row of ours and a row of the peer that run the same program. */
function compare(what: string, program: (library: string) => string): readonly Row[] {
  return Object.entries(libraries).map(([target, library]) => ({
    name: `${target}: ${what}`,
    statements: program(library),
    ours: `latchkey: ${what}`,
  }))
}

/** Each program throws when the response is not the expected one. */
async function listPrograms() {
  // Loaded on demand: the process of every target imports this module.
  const { sealClaims } = await import("../speed/targets/limit/session.ts")
  const cookie = `${sessionCookieName}=${sealClaims(toClaims(user))}`
  const call = (library: string, providers: readonly object[]) => `
    const { Auth } = await import("${library}")
    const config = { providers: ${JSON.stringify(providers)}, secret: "${secret}", trustHost: true }
    const text = await (await Auth(request, config)).text()`
  return {
    firstAnswer: (library: string) => `
      ${toRequest("session")}
      ${call(library, [])}
      if (text !== "null") throw new Error(text)`,
    firstSession: (library: string) => `
      ${toRequest("session", cookie)}
      ${call(library, [])}
      if (JSON.parse(text).user.email !== "${user.email}") throw new Error(text)`,
    firstPage: (library: string) => `
      ${toRequest("signin")}
      ${call(library, tenProviders)}
      if (text.match(/name="csrfToken"/g).length !== ${tenProviders.length}) throw new Error(text)`,
  }
}

function toRequest(action: string, cookie?: string): string {
  const init = cookie === undefined ? {} : { headers: { cookie } }
  return `const request = new Request("${origin}/auth/${action}", ${JSON.stringify(init)})`
}

interface Start {
  /** From the start of the process to the end of its statements, without the time waited for a processor. */
  readonly milliseconds: number
  /** At the end of the statements. */
  readonly residentBytes: number
}

interface MeasuredRow extends Row {
  readonly starts: readonly Start[]
}

function runRounds(rows: readonly Row[], rounds: number): readonly MeasuredRow[] {
  const measured = rows.map((row) => ({ ...row, starts: [] as Start[] }))
  // The first round is not counted: it fills the file system's cache and the compile cache.
  for (let round = -1; round < rounds; round += 1) {
    for (const { statements, starts } of measured) {
      const start = runProcess(statements)
      if (round >= 0) starts.push(start)
    }
  }
  return measured
}

const bench = join(import.meta.dirname, "..")
const printStart = `
  const milliseconds = performance.now()
  const residentBytes = process.memoryUsage.rss()
  const { existsSync, readFileSync } = process.getBuiltinModule("node:fs")
  const file = "/proc/self/schedstat"
  const schedstat = existsSync(file) ? readFileSync(file, "utf8") : ""
  console.log(JSON.stringify({ milliseconds, residentBytes, schedstat }))`

function runProcess(statements: string): Start {
  const args = ["--input-type=module", "--eval", `${statements}\n${printStart}`]
  const env = { ...process.env, NODE_ENV: "production" }
  const output = execFileSync(process.execPath, args, { cwd: bench, env, encoding: "utf8" })
  // Printed by the lines above.
  const { milliseconds, residentBytes, schedstat } = JSON.parse(output) as Start & { readonly schedstat: string }
  return { milliseconds: milliseconds - parseWaitedUs(schedstat) / 1000, residentBytes }
}

function toReport(measured: readonly MeasuredRow[], rounds: number): Report {
  const rows = new Map(measured.map((row) => [row.name, row]))
  const times = (name: string) => (rows.get(name)?.starts ?? []).map(({ milliseconds }) => milliseconds)
  const megabytes = (name: string) => median((rows.get(name)?.starts ?? []).map((each) => each.residentBytes / 1e6))
  const overBare = (name: string) => median(times(name)) - median(times(rows.get(name)?.bare ?? bareNode))
  return {
    id: startup.id,
    title: startup.title,
    columns: ["process", "ms", "spread", "ms over bare Node", "times ours", "MB over bare Node"],
    rows: measured.map(({ name, bare = bareNode, ours }) => [
      name,
      formatNumber(median(times(name))),
      formatSpread(times(name)),
      overBare(name).toFixed(1),
      ours === undefined ? "" : formatNumber(overBare(name) / overBare(ours)),
      (megabytes(name) - megabytes(bare)).toFixed(1),
    ]),
    verdicts: toVerdicts(overBare, (name) => median(times(name)) - median(times(bareWeb))),
    notes: [
      `Medians of ${rounds} fresh processes, started in turn; resident memory at the end of the statements.`,
      "first answer: a session request without a cookie, over a bare Node that makes a Request and a Response. first session check and first sign-in page: from the start of the process to the response's text, over bare Node alone.",
      "The goals of the first session check and page leave out the time that Node takes to load its own Request and Response.",
      "compile cache: the same after enableCompileCache() of node:module, with a cache that an earlier process filled.",
    ],
  }
}

type OverBare = (row: string) => number

/** Node itself loads its `Request` and `Response` in every one of these processes, which takes half of their time. */
function toVerdicts(overBare: OverBare, overWeb: OverBare): readonly Verdict[] {
  const ownMs = overBare("latchkey: import")
  const msText = { goal: "import under 14 ms over bare Node", measured: `${ownMs.toFixed(1)} ms` }
  const compareWith = (what: string, over: OverBare, most: number, usual?: number) => {
    const [ours, theirs] = [over(`latchkey: ${what}`), over(`auth-core: ${what}`)]
    const times = ours / theirs
    const goal = `${what} in at most ${most} times auth-core's time`
    // On a busy machine, bare Node may take longer than a row: then the run says nothing about the goal.
    if (!(ours > 0 && theirs > 0))
      return { goal, measured: "nothing, since bare Node took longer", isReached: false, isFarOff: false }
    return atMost(most, times, { goal, measured: `${formatNumber(times)} times` }, usual)
  }
  return [
    // Milliseconds depend on the machine: only a ratio can be far off.
    { ...atMost(14, ownMs, msText), isFarOff: false },
    compareWith("import", overBare, 0.3),
    compareWith("first session check", overWeb, 0.5),
    compareWith("first sign-in page", overWeb, 0.6, 0.8),
  ]
}
