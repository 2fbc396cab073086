import assert from "node:assert/strict"
import type { ChildProcess } from "node:child_process"
import { atLeast, type Report, type Verdict } from "../report/report.ts"
import { formatNumber, formatSpread, median } from "../report/statistics.ts"
import type { Effort } from "../scenario.ts"
import type { Load } from "./load.ts"
import { connections, measureLoad, warmUpServer } from "./programs.ts"
import type { Library, UserRequests } from "./requests.ts"

/** Ours first: the others are compared with it. */
export const libraries: readonly Library[] = ["latchkey", "auth", "better-auth"]

const actions = ["session", "signIn"] as const
type Action = (typeof actions)[number]

/** A framework with one of the libraries, in a process of its own. */
export interface Server {
  readonly library: Library
  readonly child: ChildProcess
  readonly port: number
  readonly requests: UserRequests
}

/** What is measured in one framework, or in one of its ways to serve. */
export interface Course {
  /** Name of the framework in the report. */
  readonly framework: string
  /** The servers, which take turns. */
  readonly servers: readonly Server[]
  /** Throws unless the session check was answered as it has to be. */
  assertSession(last: Load["last"], library: Library): void
}

/** One slice of one server. */
export interface Turn {
  readonly framework: string
  readonly library: Library
  readonly action: Action
  /** Of the server process, for each request. */
  readonly cpuUs: number
}

/** Measures the servers of a framework. */
export async function takeTurns(course: Course, load: ChildProcess, effort: Effort): Promise<readonly Turn[]> {
  const { framework, servers } = course
  const turns: Turn[] = []
  for (const action of actions) {
    for (const { child, port, requests } of servers)
      await warmUpServer(load, { child, port, request: requests[action] })
    for (let slice = 0; slice < effort.slices; slice += 1) {
      for (const { child, port, requests, library } of servers) {
        const loaded = { child, port, request: requests[action] }
        const { cpuUs, last } = await measureLoad(load, loaded, effort.sliceMs * 2)
        if (action === "session") course.assertSession(last, library)
        else assertSignedIn(last, library)
        turns.push({ framework, library, action, cpuUs })
      }
    }
  }
  return turns
}

function assertSignedIn({ status, cookies, body }: Load["last"], library: Library): void {
  assert.equal(status, library === "better-auth" ? 200 : 302, body)
  const isSet = cookies.some((name) => name.includes("session"))
  assert.ok(isSet, "no session cookie")
}

/** What a report says about the libraries. */
export interface HttpReportOptions extends Pick<Report, "id" | "title"> {
  /** What a report calls a library that is used in a framework. */
  nameOf(library: Library, framework: string): string
  readonly notes: readonly string[]
}

/** Reports requests for each second of processor time. */
export function toHttpReport(turns: readonly Turn[], options: HttpReportOptions): Report {
  const { id, title, nameOf, notes } = options
  const frameworks = [...new Set(turns.map(({ framework }) => framework))]
  const cpu = (framework: string, library: Library, action: Action) =>
    turns
      .filter((turn) => turn.framework === framework && turn.library === library && turn.action === action)
      .map(({ cpuUs }) => cpuUs)
  const cells = (framework: string, library: Library, action: Action) => {
    const own = cpu(framework, library, action)
    const ratio = median(own) / median(cpu(framework, "latchkey", action))
    return [Math.round(1e6 / median(own)).toString(), formatSpread(own), formatNumber(ratio)]
  }
  const columns = ["session checks", "spread", "times ours", "sign-ins", "spread", "times ours"]
  return {
    id,
    title,
    columns: ["framework and library", ...columns],
    rows: frameworks.flatMap((framework) =>
      libraries.map((library) => [
        `${framework}, ${nameOf(library, framework)}`,
        ...actions.flatMap((action) => cells(framework, library, action)),
      ]),
    ),
    verdicts: frameworks.flatMap((framework) =>
      actions.flatMap((action) =>
        libraries.slice(1).map((peer): Verdict => {
          const times = median(cpu(framework, peer, action)) / median(cpu(framework, "latchkey", action))
          const what = action === "session" ? "a session check" : "a sign-in with credentials"
          const goal = `${what} in ${framework} takes no more processor time than with ${nameOf(peer, framework)}`
          return atLeast(1, times, { goal, measured: `${formatNumber(times)} times less` })
        }),
      ),
    ),
    notes: [
      `${connections} keep-alive connections from a separate process; the processor time is the server process's. Session checks and sign-ins are requests for each second of it; times ours compares processor time.`,
      ...notes,
      "Sessions are stateless; better-auth reads its encrypted cookie cache, does not renew it, and stores the session of a sign-in in memory. Passwords are compared as they are.",
    ],
  }
}
