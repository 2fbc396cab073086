import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { atMost, type Report, type Verdict } from "../speed/report/report.ts"
import { formatNumber, median } from "../speed/report/statistics.ts"
import type { Measurement } from "../speed/scenario.ts"

/** Files in `fixtures/type-hosts/`. */
const hosts = ["nothing", "latchkey", "auth-core", "better-auth"] as const
const peers = ["auth-core", "better-auth"] as const
type Host = (typeof hosts)[number]

/** The compiler's diagnostics of one host file. */
interface TypeCost {
  readonly instantiations: number
  readonly types: number
  readonly checkMs: number
}

export const types: Measurement = {
  kind: "measurement",
  id: "types",
  title: "Type check of a host file with three providers",
  async measure({ processes }) {
    const turns = Array.from({ length: processes }, () => hosts.map(checkTypes))
    const costOf = (host: Host): TypeCost => {
      const own = turns.flatMap((turn) => turn[hosts.indexOf(host)] ?? [])
      const middle = (field: keyof TypeCost) => median(own.map((each) => each[field]))
      return { instantiations: middle("instantiations"), types: middle("types"), checkMs: middle("checkMs") }
    }
    return toReport(costOf)
  },
}

const bench = join(import.meta.dirname, "..")
const compiler = join(bench, "..", "node_modules", "typescript-native", "bin", "tsc")
const options = "--ignoreConfig --noEmit --strict --skipLibCheck --target es2023 --module nodenext --types node"

/** @throws when the file has a type error: the diagnostics would mean nothing */
function checkTypes(host: Host): TypeCost {
  const file = join(import.meta.dirname, "fixtures", "type-hosts", `${host}.ts`)
  const args = [compiler, ...options.split(" "), "--extendedDiagnostics", file]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: bench, encoding: "utf8" })
  if (status !== 0) throw new Error(`${host}: ${stdout}${stderr}`)
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, "m").exec(stdout)?.[1])
  return { instantiations: read("Instantiations"), types: read("Types"), checkMs: read("Check time") * 1000 }
}

function toReport(costOf: (host: Host) => TypeCost): Report {
  const over = (host: Host, field: keyof TypeCost) => costOf(host)[field] - costOf("nothing")[field]
  return {
    id: types.id,
    title: types.title,
    columns: ["host file", "instantiations", "types", "check time, ms", "check time over an empty host, ms"],
    rows: hosts.map((host) => {
      const { instantiations, types: count, checkMs } = costOf(host)
      const checkOver = over(host, "checkMs").toFixed(1)
      return [host, instantiations.toFixed(0), count.toFixed(0), formatNumber(checkMs), checkOver]
    }),
    verdicts: peers.flatMap((peer) => [
      toVerdict(`fewer instantiations than ${peer}`, over("latchkey", "instantiations"), over(peer, "instantiations")),
      toVerdict(`less check time (ms) than ${peer}`, over("latchkey", "checkMs"), over(peer, "checkMs")),
    ]),
    notes: [
      "From the compiler's own diagnostics, without checking the libraries' declarations; iron-session has no providers.",
    ],
  }
}

function toVerdict(goal: string, own: number, other: number): Verdict {
  return atMost(other, own, { goal, measured: `${formatNumber(own)} against ${formatNumber(other)}` })
}
