import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pack } from "../../packages/packed-packages.js"

const root = join(import.meta.dirname, "..", "..", "..")

/** What an app with Next installs of ours, and the packages that these need. */
const names = ["types", "core", "node", "next", "client", "react", "import", "adapter-kit", "unstorage-adapter"]
const needs = ["oauth4webapi", "@simplewebauthn/browser"]

/** The folders of the versions, each with an installation of its own. */
export const versions: readonly string[] = ["15", "16"]

/** Packs our packages, and puts them beside each Next: Turbopack follows no link that leaves the folder. */
export function setup(): void {
  const home = mkdtempSync(join(tmpdir(), "latchkey-compat-next-"))
  try {
    const tarballs = pack(names, home)
    for (const version of versions) {
      const modules = join(import.meta.dirname, version, "node_modules")
      for (const [name, tarball] of tarballs) {
        const folder = join(modules, "@latchkey", name)
        rmSync(folder, { recursive: true, force: true })
        mkdirSync(folder, { recursive: true })
        const done = spawnSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", folder], { encoding: "utf8" })
        if (done.status !== 0) throw new Error(done.stderr)
      }
      for (const name of needs) {
        const target = join(modules, name)
        rmSync(target, { recursive: true, force: true })
        cpSync(join(root, "node_modules", name), target, { recursive: true, dereference: true })
      }
    }
  } finally {
    rmSync(home, { recursive: true })
  }
}
