import { join } from "node:path"
import { type Installed, installPackage } from "../install/install-package.ts"
import { readVersion } from "../report/machine.ts"
import { atMost } from "../report/verdict.ts"
import type { Measurement } from "../scenario.ts"

const core = join(import.meta.dirname, "..", "..", "..", "packages", "core")
const peers = ["@auth/core", "better-auth", "iron-session"] as const

export const install: Measurement = {
  kind: "measurement",
  id: "install",
  title: "Installation",
  async measure() {
    const own = installPackage({ packed: core })
    const others = peers.map((name): [string, Installed] => [
      name,
      installPackage({ spec: `${name}@${readVersion(name)}` }),
    ])
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
        atMost(4, own.packages, {
          goal: "at most 4 packages by npm i @latchkey/core",
          measured: `${own.packages} packages`,
        }),
      ],
      notes: ["Ours from the packed tarball; sizes are those of the files, not of the blocks they take."],
    }
  },
}
