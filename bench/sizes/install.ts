import { type SpawnSyncReturns, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { atMost, readVersion } from "../speed/report/report.ts"
import type { Measurement } from "../speed/scenario.ts"

const packages = join(import.meta.dirname, "..", "..", "packages")
/** The core and its one dependency of this repository. */
const ownFolders = ["core", "types"].map((name) => join(packages, name))
const peers = ["@auth/core", "better-auth", "iron-session"] as const

export const install: Measurement = {
  kind: "measurement",
  id: "install",
  title: "Installation",
  async measure() {
    const own = installPackage({ foldersToPack: ownFolders })
    const others = peers.map((name) => [name, installPackage({ spec: `${name}@${readVersion(name)}` })] as const)
    return {
      id: install.id,
      title: install.title,
      columns: ["package", "packages", "MB"],
      rows: [["@latchkey/core", own] as const, ...others].map(([name, { packages, megabytes }]) => [
        name,
        packages.toString(),
        megabytes.toFixed(2),
      ]),
      verdicts: [
        atMost(5, own.packages, {
          goal: "at most 5 packages by npm i @latchkey/core, its types included",
          measured: `${own.packages} packages`,
        }),
      ],
      notes: ["Ours is installed from the packed tarballs; MB are file sizes, not disk blocks."],
    }
  },
}

interface Installed {
  readonly packages: number
  readonly megabytes: number
}

/**
 * Installs a package into an empty folder, from the registry that npm is configured for.
 * @param wanted A registry spec, or folders to pack first, as they would be published.
 */
function installPackage(wanted: { readonly foldersToPack: readonly string[] } | { readonly spec: string }): Installed {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-install-"))
  try {
    const specs = "spec" in wanted ? [wanted.spec] : wanted.foldersToPack.map((source) => pack(source, folder))
    const host = join(folder, "host")
    mkdirSync(host)
    writeFileSync(join(host, "package.json"), JSON.stringify({ private: true }))
    npm(host, ["install", ...specs, "--prefer-offline", "--ignore-scripts"])
    return measureFolder(host)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function pack(source: string, folder: string): string {
  const before = readdirSync(folder)
  npm(source, ["pack", "--pack-destination", folder])
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz") && !before.includes(name))
  if (tarball === undefined) throw new Error("npm pack wrote no tarball")
  return join(folder, tarball)
}

function measureFolder(host: string): Installed {
  // npm wrote this file.
  const { packages } = JSON.parse(readFileSync(join(host, "package-lock.json"), "utf8")) as { packages: object }
  const modules = join(host, "node_modules")
  const bytes = readdirSync(modules, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith("."))
    .map((name) => statSync(join(modules, name)))
    .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0)
  const installed = Object.keys(packages).filter((path) => path !== "")
  return { packages: installed.length, megabytes: bytes / 1e6 }
}

function npm(folder: string, args: readonly string[]): void {
  const path = process.env["npm_execpath"]
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
  const run: SpawnSyncReturns<string> = path?.endsWith(".js")
    ? spawnSync(process.execPath, [path, ...args, ...quiet], { cwd: folder, encoding: "utf8" })
    : spawnSync("npm", [...args, ...quiet], { cwd: folder, encoding: "utf8", shell: process.platform === "win32" })
  if (run.status !== 0) throw new Error(`npm ${args[0]} failed: ${run.stderr}`)
}
