// results.json: what was measured, with versions and date. The pages are made from it.
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { cpus, release, type } from "node:os"
import { join } from "node:path"
import type { Report } from "../../bench/src/report/report.ts"
import { type PeerId, peerIds } from "./app.ts"
import type { Row } from "./attack.ts"
import { peers } from "./attacks/table.ts"

export interface Results {
  readonly attacks: Part & { readonly rows: readonly Row[] }
  readonly measurements: Part & { readonly reports: readonly Report[] }
}

/** The circumstances of a part, which may have run on different days. */
export interface Part {
  /** Such as `2026-11-22`. */
  readonly date: string
  readonly machine: string
  readonly versions: Readonly<Record<PeerId, string>>
  /** Whether the registry had a newer version of a library. Null: it could not be asked. */
  readonly isNewest: boolean | null
}

const compare = join(import.meta.dirname, "..")
const file = join(compare, "results.json")

/** @throws when nothing has been measured yet */
export function readResults(): Results {
  // as: written by this file
  return JSON.parse(readFileSync(file, "utf8")) as Results
}

export function writeResults(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}

export function describePart(): Part {
  const versions = Object.fromEntries(peerIds.map((id) => [id, readVersion(id)]))
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown processor"}, ${type()} ${release().split("-")[0]}, Node ${process.versions.node}`,
    // as: one version for each id
    versions: versions as Record<PeerId, string>,
    isNewest: findIsNewest(versions),
  }
}

function readVersion(id: PeerId): string {
  const folder =
    id === "latchkey" ? join(compare, "..", "packages", "core") : join(compare, "node_modules", peers[id].packageName)
  return readManifestVersion(folder)
}

/** @throws when the bench measures other versions than the attacks run against */
export function assertSameVersions(): void {
  for (const id of peerIds.filter((each) => each !== "latchkey")) {
    const inBench = readManifestVersion(join(compare, "..", "bench", "node_modules", peers[id].packageName))
    if (inBench !== readVersion(id))
      throw new Error(
        `bench has ${peers[id].packageName} ${inBench}, compare has ${readVersion(id)}. Install the same version in both folders`,
      )
  }
}

function readManifestVersion(folder: string): string {
  // npm installs nothing without a version.
  return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version
}

function findIsNewest(versions: Readonly<Record<string, string>>): boolean | null {
  const answers = peerIds
    .filter((id) => id !== "latchkey")
    .map((id) => {
      const { status, stdout } = spawnSync("npm", ["view", peers[id].packageName, "version"], {
        encoding: "utf8",
        timeout: 20_000,
        shell: process.platform === "win32",
      })
      if (status !== 0) return null
      if (stdout.trim() !== versions[id])
        console.log(`${peers[id].packageName} ${stdout.trim()} is out; ${versions[id]} is installed`)
      return stdout.trim() === versions[id]
    })
  if (answers.includes(false)) return false
  return answers.includes(null) ? null : true
}
