import type { Effort } from "../effort.ts"
import { formatNumber } from "../report/format.ts"
import type { Report, Verdict } from "../report/report.ts"
import { median } from "../report/statistics.ts"
import { atMost } from "../report/verdict.ts"
import type { Measurement } from "../scenario.ts"
import { checkTypes, type TypeCost } from "../types/check-types.ts"

const hosts = ["nothing", "latchkey", "auth-core", "better-auth"] as const
const peers = ["auth-core", "better-auth"] as const
type Host = (typeof hosts)[number]
type Costs = Readonly<Record<Host, TypeCost>>

export const types: Measurement = {
  kind: "measurement",
  id: "types",
  title: "Type check of a host file with three providers",
  async measure(effort) {
    return toReport(measureAll(effort))
  },
}

function measureAll({ starts }: Effort): Costs {
  const turns = Array.from({ length: starts }, () => hosts.map(checkTypes))
  const cost = (host: Host): TypeCost => {
    const own = turns.flatMap((turn) => turn[hosts.indexOf(host)] ?? [])
    const middle = (field: keyof TypeCost) => median(own.map((each) => each[field]))
    return { instantiations: middle("instantiations"), types: middle("types"), checkMs: middle("checkMs") }
  }
  return {
    nothing: cost("nothing"),
    latchkey: cost("latchkey"),
    "auth-core": cost("auth-core"),
    "better-auth": cost("better-auth"),
  }
}

function toReport(costs: Costs): Report {
  const over = (host: Host, field: keyof TypeCost) => costs[host][field] - costs.nothing[field]
  return {
    id: types.id,
    title: types.title,
    columns: ["host file", "instantiations", "types", "check time, ms", "check time over an empty host, ms"],
    rows: hosts.map((host) => [
      host,
      costs[host].instantiations.toFixed(0),
      costs[host].types.toFixed(0),
      formatNumber(costs[host].checkMs),
      over(host, "checkMs").toFixed(1),
    ]),
    verdicts: peers.flatMap((peer) => [
      toVerdict(`fewer instantiations than ${peer}`, over("latchkey", "instantiations"), over(peer, "instantiations")),
      toVerdict(`less check time (ms) than ${peer}`, over("latchkey", "checkMs"), over(peer, "checkMs")),
    ]),
    notes: ["By the compiler's own diagnostics, libraries' declarations unchecked; iron-session has no providers."],
  }
}

function toVerdict(goal: string, own: number, other: number): Verdict {
  return atMost(other, own, { goal, measured: `${formatNumber(own)} against ${formatNumber(other)}` })
}
