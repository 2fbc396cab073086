// Speed, size, start and type cost: the bench's own scenarios, in its own processes.
import { runRates } from "../speed/rate/run-rates.ts"
import { describeMachine, type Report, toText } from "../speed/report/report.ts"
import type { Effort } from "../speed/scenario.ts"
import { scenarios } from "../speed/scenarios/table.ts"

/** Enough for a table; `npm run bench` measures longer. */
const effort: Effort = { slices: 13, sliceMs: 50, warmUpMs: 2000, processes: 7, isShort: false }

/** They need no quiet machine. */
export const sizes: readonly string[] = ["bundle", "install", "types"]

/** Those with at least one peer besides `@auth/core`, and the two ends of a sign-in with a provider. */
const chosen: readonly string[] = [
  "session-stateless",
  "session-anonymous",
  "session-memory",
  "session-sqlite",
  "credentials",
  "oauth-start",
  "oidc-callback",
  "startup",
  ...sizes,
]

export async function measureAll(ids = chosen): Promise<readonly Report[]> {
  const reports: Report[] = []
  console.log(`${describeMachine().join("\n")}\n`)
  for (const scenario of scenarios.filter(({ id }) => ids.includes(id))) {
    const report = await (scenario.kind === "rate" ? runRates(scenario, effort) : scenario.measure(effort))
    console.log(toText(report))
    reports.push(report)
  }
  return reports
}
