import type { Effort } from "../effort.ts"
import type { Report } from "../report/report.ts"
import { type InFlight, inFlightCounts, type RateScenario, type TargetId } from "../scenario.ts"
import { type Rates, toRateReport } from "./rate-report.ts"
import { type RemoteTarget, startTarget } from "./remote-target.ts"
import type { Slice } from "./slice.ts"

/**
 * Every target in its own process, taking turns slice by slice, so that what disturbs the machine disturbs all of them.
 */
export async function runRates(scenario: RateScenario, effort: Effort): Promise<Report> {
  const targets: RemoteTarget[] = []
  try {
    for (const id of chooseTargets(scenario, effort)) targets.push(await startTarget(scenario.id, id))
    return toRateReport(scenario, await takeTurns(targets, effort))
  } finally {
    await Promise.all(targets.map((target) => target.close()))
  }
}

async function takeTurns(targets: readonly RemoteTarget[], effort: Effort): Promise<Rates> {
  const rates = new Map<TargetId, Record<InFlight, Slice[]>>(targets.map(({ id }) => [id, { 1: [], 32: [] }]))
  for (const inFlight of inFlightCounts) {
    for (const target of targets) await target.run({ inFlight, milliseconds: effort.warmUpMs })
    for (let turn = 0; turn < effort.slices; turn += 1) {
      for (const target of targets) {
        const slice = await target.run({ inFlight, milliseconds: effort.sliceMs })
        rates.get(target.id)?.[inFlight].push(slice)
      }
    }
  }
  return rates
}

function chooseTargets({ targets, goals }: RateScenario, { isShort }: Effort): readonly TargetId[] {
  const named = new Set(goals.flatMap(({ than, who = "latchkey" }) => [than, who]))
  return isShort ? targets.filter((id) => named.has(id)) : targets
}
