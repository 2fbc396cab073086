import type { Effort } from "../effort.ts"
import { origin, secret } from "../fixtures/host.ts"
import { formatNumber, formatSpread } from "../report/format.ts"
import type { Report } from "../report/report.ts"
import { median } from "../report/statistics.ts"
import { atMost } from "../report/verdict.ts"
import type { Measurement } from "../scenario.ts"
import { measureStart, type Start } from "../startup/measure-start.ts"

const request = `const request = new Request("${origin}/auth/session")`
const answer = (library: string) => `
  const { Auth } = await import("${library}")
  ${request}
  const response = await Auth(request, { providers: [], secret: "${secret}", trustHost: true })
  if ((await response.text()) !== "null") throw new Error("No answer")`

/** What is started, and what it is compared with. */
const starts = {
  "bare Node": { statements: "", bare: "bare Node" },
  "latchkey: import": { statements: `await import("@latchkey/core")`, bare: "bare Node" },
  "auth-core: import": { statements: `await import("@auth/core")`, bare: "bare Node" },
  "better-auth: import": { statements: `await import("better-auth")`, bare: "bare Node" },
  "iron-session: import": { statements: `await import("iron-session")`, bare: "bare Node" },
  "bare Node: a Request and a Response": {
    statements: `${request}\nawait new Response(request.url).text()`,
    bare: "bare Node: a Request and a Response",
  },
  "latchkey: first answer": {
    statements: answer("@latchkey/core"),
    bare: "bare Node: a Request and a Response",
  },
  "auth-core: first answer": { statements: answer("@auth/core"), bare: "bare Node: a Request and a Response" },
} as const

type StartName = keyof typeof starts
// The keys of the table above.
const names = Object.keys(starts) as StartName[]

/** Of a hundred files, each opened by itself, and of `node:crypto`. */
const usualImportMs = 35

export const startup: Measurement = {
  kind: "measurement",
  id: "startup",
  title: "Start-up: import of the core",
  async measure(effort) {
    return toReport(takeTurns(effort))
  },
}

function takeTurns({ starts: repetitions }: Effort): ReadonlyMap<StartName, readonly Start[]> {
  const measured = new Map<StartName, Start[]>(names.map((name) => [name, []]))
  // The first round fills the file system's cache and does not count.
  for (let turn = -1; turn < repetitions; turn += 1) {
    for (const name of names) {
      const start = measureStart(starts[name].statements)
      if (turn >= 0) measured.get(name)?.push(start)
    }
  }
  return measured
}

function toReport(measured: ReadonlyMap<StartName, readonly Start[]>): Report {
  const times = (name: StartName) => (measured.get(name) ?? []).map(({ milliseconds }) => milliseconds)
  const megabytes = (name: StartName) =>
    median((measured.get(name) ?? []).map(({ residentBytes }) => residentBytes / 1e6))
  const overBare = (name: StartName) => median(times(name)) - median(times(starts[name].bare))
  const own = overBare("latchkey: import")
  return {
    id: startup.id,
    title: startup.title,
    columns: ["process", "ms", "spread", "ms over bare Node", "MB over bare Node"],
    rows: names.map((name) => [
      name,
      formatNumber(median(times(name))),
      formatSpread(times(name)),
      overBare(name).toFixed(1),
      (megabytes(name) - megabytes(starts[name].bare)).toFixed(1),
    ]),
    verdicts: [
      atMost(20, own, { goal: "import under 20 ms over bare Node", measured: `${own.toFixed(1)} ms` }, usualImportMs),
    ],
    notes: ["A process of its own each time; resident memory at the end of the statements."],
  }
}
