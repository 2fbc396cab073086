import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "..", "..")

function run(args: readonly string[], cwd: string): string {
  const done = spawnSync("npm", args, { cwd, encoding: "utf8", shell: process.platform === "win32" })
  if (done.status !== 0) throw new Error(`npm ${args.join(" ")}\n${done.stdout}${done.stderr}`)
  return done.stdout
}

/**
 * Packs built packages, and installs them beside the locked dependencies of a project unless the same ones are installed.
 * @param names Folders in `packages`: what the project imports, and what those packages need.
 */
export function installPackages(folder: string, names: readonly string[]): void {
  const stamp = join(folder, "node_modules", ".latchkey-packages")
  const home = mkdtempSync(join(tmpdir(), "latchkey-packages-"))
  try {
    const workspaces = names.flatMap((name) => ["-w", `packages/${name}`])
    const packed = run(["pack", "--json", "--loglevel=error", "--pack-destination", home, ...workspaces], root)
    const files = Object.values<{ filename: string }>(JSON.parse(packed)).map(({ filename }) => join(home, filename))
    const wanted = createHash("sha256")
    for (const file of files.sort()) wanted.update(readFileSync(file))
    const digest = wanted.digest("hex")
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return
    run(["install", "--no-save", "--no-package-lock", "--loglevel=error", ...files], folder)
    writeFileSync(stamp, digest)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
