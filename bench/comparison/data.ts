// results.json: what was measured, with versions and date. The pages are made from it.
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { cpus, release, type } from "node:os"
import { join } from "node:path"
import { type PeerId, peerIds } from "../attacks/app.ts"
import type { Row } from "../attacks/attack.ts"
import { type RulePeerId, rulePeerIds } from "../attacks/rules/app.ts"
import type { RuleRow } from "../attacks/rules/rule.ts"
import { rulePeers } from "../attacks/rules/table.ts"
import { peers } from "../attacks/table.ts"
import type { Report } from "../speed/report/report.ts"

export interface Results {
  readonly attacks: Part & { readonly rows: readonly Row[] }
  /** The attacks of the rules about passwords and second factors. */
  readonly rules: Part<RulePeerId> & { readonly rows: readonly RuleRow[] }
  readonly measurements: Part & { readonly reports: readonly Report[] }
}

/** The circumstances of a part, which may have run on different days. */
export interface Part<Id extends string = PeerId> {
  /** Such as `2026-11-22`. */
  readonly date: string
  readonly machine: string
  readonly versions: Readonly<Record<Id, string>>
  /** Whether the registry had a newer version of a library. Null: it could not be asked. */
  readonly isNewest: boolean | null
}

const bench = join(import.meta.dirname, "..")
const file = join(import.meta.dirname, "results.json")

/** @throws when nothing has been measured yet */
export function readResults(): Results {
  // as: written by this file
  return JSON.parse(readFileSync(file, "utf8")) as Results
}

export function writeResults(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}

export const describePart = (): Part => describe(peerIds, peers)
export const describeRules = (): Part<RulePeerId> => describe(rulePeerIds, rulePeers)

type Packages<Id extends string> = Readonly<Record<Id, { readonly packageName: string }>>

function describe<Id extends string>(ids: readonly Id[], packages: Packages<Id>): Part<Id> {
  const names = ids.map((id) => [id, packages[id].packageName] as const)
  const versions = names.map(([id, name]) => [id, readVersion(id, name)] as const)
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown processor"}, ${type()} ${release().split("-")[0]}, Node ${process.versions.node}`,
    // as: one version for each id
    versions: Object.fromEntries(versions) as Record<Id, string>,
    isNewest: findIsNewest(
      names.filter(([id]) => id !== "latchkey").map(([id, name]) => [name, readVersion(id, name)]),
    ),
  }
}

function readVersion(id: string, packageName: string): string {
  const folder = id === "latchkey" ? join(bench, "..", "packages", "core") : join(bench, "node_modules", packageName)
  return readManifestVersion(folder)
}

function readManifestVersion(folder: string): string {
  // npm installs nothing without a version.
  return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version
}

/** @param installed The name and the version of each package. */
function findIsNewest(installed: readonly (readonly [name: string, version: string])[]): boolean | null {
  const answers = installed.map(([name, version]) => {
    const { status, stdout } = spawnSync("npm", ["view", name, "version"], {
      encoding: "utf8",
      timeout: 20_000,
      shell: process.platform === "win32",
    })
    if (status !== 0) return null
    if (stdout.trim() !== version) console.log(`${name} ${stdout.trim()} is out; ${version} is installed`)
    return stdout.trim() === version
  })
  if (answers.includes(false)) return false
  return answers.includes(null) ? null : true
}
