import type { Run } from "./command-line.ts"
import { runRates } from "./rate/run-rates.ts"
import { type Report, toText } from "./report/report.ts"
import type { Effort, Scenario } from "./scenario.ts"

/**
 * Measures a scenario and prints the report. If it is far below a goal, measures it once more with `repeatEffort`: the
 * short slices of CI may be disturbed, and a real loss is seen again.
 * @returns the report that counts
 */
export async function measureScenario(
  scenario: Scenario,
  { effort, repeatEffort }: Pick<Run, "effort" | "repeatEffort">,
  print: (text: string) => void,
): Promise<Report> {
  const report = await measureOnce(scenario, effort)
  print(toText(report))
  if (!repeatEffort || !report.verdicts.some(({ isFarOff }) => isFarOff)) return report
  print(`   Worse than half of a goal. Measured again for longer; only this second report of ${scenario.id} counts:\n`)
  const second = await measureOnce(scenario, repeatEffort)
  print(toText(second))
  return second
}

function measureOnce(scenario: Scenario, effort: Effort): Promise<Report> {
  return scenario.kind === "rate" ? runRates(scenario, effort) : scenario.measure(effort)
}
