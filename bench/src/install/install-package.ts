import { type SpawnSyncReturns, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Installed {
  readonly packages: number
  readonly megabytes: number
}

/**
 * Installs a package into an empty folder, from the registry that npm is configured for.
 * @param packed Folder of a package that is packed first, as it would be published
 */
export function installPackage(wanted: { readonly packed: string } | { readonly spec: string }): Installed {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-install-"))
  try {
    const spec = "spec" in wanted ? wanted.spec : pack(wanted.packed, folder)
    const host = join(folder, "host")
    mkdirSync(host)
    writeFileSync(join(host, "package.json"), JSON.stringify({ private: true }))
    npm(host, ["install", spec, "--prefer-offline", "--ignore-scripts"])
    return measure(host)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function pack(source: string, folder: string): string {
  npm(source, ["pack", "--pack-destination", folder])
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"))
  if (tarball === undefined) throw new Error("npm packed nothing")
  return join(folder, tarball)
}

function measure(host: string): Installed {
  // As npm writes it.
  const { packages } = JSON.parse(readFileSync(join(host, "package-lock.json"), "utf8")) as { packages: object }
  const modules = join(host, "node_modules")
  const bytes = readdirSync(modules, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith("."))
    .map((name) => statSync(join(modules, name)))
    .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0)
  const installed = Object.keys(packages).filter((place) => place !== "")
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
