// Checks each published package as npm packs it: publint reads its manifest and files, and Are The Types Wrong resolves the
// types of every entry. It runs in one process, because starting npm and the tools for each package takes several times as long.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { published } from "../packages.mjs"

/** The packages are ESM only, so CommonJS and the oldest module resolution of TypeScript do not have to find their types. */
const notSupported = ["node10", "node16-cjs"]

/** @returns the tarball of each package, by folder */
function pack(folder) {
  const workspaces = published.flatMap((path) => ["-w", path])
  const args = ["pack", "--json", "--loglevel=error", "--pack-destination", folder, ...workspaces]
  const output = execFileSync("npm", args, { encoding: "utf8", shell: process.platform === "win32" })
  const files = new Map(Object.values(JSON.parse(output)).map(({ name, filename }) => [name, join(folder, filename)]))
  return published.map((path) => {
    const { name } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"))
    return [path, new Uint8Array(readFileSync(files.get(name)))]
  })
}

async function findFaultsOfFiles(tarball) {
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: tarball.buffer } })
  return messages
    .filter(({ type }) => type === "error")
    .map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)
}

async function findFaultsOfTypes(tarball) {
  const { types, problems = [] } = await checkPackage(createPackageFromTarballData(tarball))
  if (!types) return ["has no types"]
  return problems
    .filter(({ resolutionKind }) => !notSupported.includes(resolutionKind))
    .map((problem) => `types: ${JSON.stringify(problem)}`)
}

const folder = mkdtempSync(join(tmpdir(), "latchkey-packages-"))
try {
  const packages = pack(folder)
  if (packages.length === 0) throw new Error("Found no published packages")
  for (const [path, tarball] of packages)
    for (const fault of [...(await findFaultsOfFiles(tarball)), ...(await findFaultsOfTypes(tarball))]) {
      console.error(`${path}: ${fault}`)
      process.exitCode = 1
    }
} finally {
  rmSync(folder, { recursive: true })
}
