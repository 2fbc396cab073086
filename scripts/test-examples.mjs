// Tests every `apps/example-*`, or the named ones, with our packages as a registry delivers them: packed, installed beside the
// dependencies of the example, built and started. The suite in test/examples then drives the app in a browser.
// `--short` builds the app of the start page of Next.js once instead of in each way, and plants one mistake of each kind.
// `--screenshots <folder>` saves the pages that the suite visits. `--update` writes docs/frameworks.md from the results, and
// without `--short` docs/planted-mistakes.md.
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, delimiter, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { chromiumPath } from "./chromium.ts"

const root = join(import.meta.dirname, "..")
const node = process.execPath
const bin = join(root, "node_modules", ".bin")
const path = `${bin}${delimiter}${process.env.PATH}`
const isStrict = process.env.CI === "true"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: "boolean", default: false },
    screenshots: { type: "string" },
    update: { type: "boolean", default: false },
  },
})

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"))
const hash = (content) => createHash("sha256").update(content).digest("hex")

function findExamples() {
  const all = globSync("apps/example-*/package.json", { cwd: root }).map((file) => resolve(root, file, ".."))
  const named = positionals.map((name) => name.replace(/^(?:apps\/)?(?:example-)?/, "example-"))
  const unknown = named.filter((name) => !all.some((folder) => basename(folder) === name))
  if (unknown.length > 0) throw new Error(`Unknown examples: ${unknown.join(", ")}`)
  return all.filter((folder) => named.length === 0 || named.includes(basename(folder))).sort()
}

const listedPackages = (folder) => readJson(join(folder, "package.json")).latchkey ?? []

/**
 * An example is an app for the Web, a phone or a desktop, each with its suite. Others have the start page of Next.js, the
 * mistakes that the doctor finds, and the components that `latchkey add` copies.
 */
function findSuites(folder) {
  const { kind = "web", starts, hasMistakes, hasOwnForms } = readJson(join(folder, "package.json")).latchkeyExample
  const names = new Set([
    kind,
    ...(starts ? ["next-start"] : []),
    ...(hasMistakes ? ["doctor"] : []),
    ...(hasOwnForms ? ["copied"] : []),
  ])
  return [...names].map((name) => `${name}.suite.ts`)
}

/** An example lists all of our packages that it needs, because npm would ask the registry for a missing one. */
function assertComplete(folder) {
  const listed = listedPackages(folder)
  for (const name of listed) {
    const { dependencies = {} } = readJson(join(root, "packages", name, "package.json"))
    const needed = Object.keys(dependencies).filter((dependency) => dependency.startsWith("@latchkey/"))
    const missing = needed.map((dependency) => dependency.slice("@latchkey/".length)).filter((n) => !listed.includes(n))
    if (missing.length > 0)
      throw new Error(`${basename(folder)}: package.json#latchkey lacks ${missing}, needed by ${name}`)
  }
}

function runOnce(command, args, cwd = root) {
  const options = { cwd, encoding: "utf8", env: { ...process.env, PATH: path }, shell: process.platform === "win32" }
  const { status, stdout, stderr, error } = spawnSync(command, args, options)
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}${error ?? ""}`)
  return stdout
}

/** Builds and packs the packages. @returns the tarball of each, by folder name */
function pack(names, folder) {
  const folders = names.map((name) => `packages/${name}`)
  runOnce(node, [join(root, "node_modules", "typescript-native", "bin", "tsc"), "-b", ...folders])
  runOnce(node, ["scripts/bundle-core.mjs"])
  const workspaces = folders.flatMap((workspace) => ["-w", workspace])
  const output = runOnce("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", folder, ...workspaces])
  const packed = Object.values(JSON.parse(output))
  return new Map(packed.map(({ name, filename }) => [name.slice("@latchkey/".length), join(folder, filename)]))
}

/** Runs a command without blocking. @returns its status and output */
function run(command, args, { cwd = root, env = {} } = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, PATH: path, ...env },
      shell: process.platform === "win32",
      stdio: ["ignore", "pipe", "pipe"],
    })
    const parts = []
    child.stdout.on("data", (part) => parts.push(part))
    child.stderr.on("data", (part) => parts.push(part))
    child.once("error", (error) => parts.push(Buffer.from(String(error))))
    child.once("close", (status) => done({ status: status ?? 1, output: Buffer.concat(parts).toString() }))
  })
}

/** Installs the locked dependencies, then our packages, unless both are installed already. */
async function install(folder, tarballs) {
  const files = listedPackages(folder).map((name) => tarballs.get(name))
  const wanted = hash(files.map((file) => hash(readFileSync(file))).join(" "))
  const locked = await run(node, [join(root, "scripts", "ensure-deps.mjs"), join("apps", basename(folder))])
  const stamp = join(folder, "node_modules", ".latchkey-packages")
  if (locked.status !== 0 || (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted)) return locked
  // Without the lock file, npm would choose other versions of what is installed. It writes our packages into it.
  const [lockFile, options] = [join(folder, "package-lock.json"), ["--no-save", "--no-audit", "--no-fund"]]
  const lock = readFileSync(lockFile)
  const added = await run("npm", ["install", ...options, "--loglevel=error", ...files], { cwd: folder })
  writeFileSync(lockFile, lock)
  if (added.status === 0) writeFileSync(stamp, wanted)
  return added
}

function count(report) {
  const tally = { passed: 0, failed: 0, skipped: 0 }
  for (const { status, assertionResults } of existsSync(report) ? readJson(report).testResults : []) {
    if (status === "failed" && !assertionResults.some((test) => test.status === "failed")) tally.failed += 1
    for (const test of assertionResults) tally[test.status in tally ? test.status : "skipped"] += 1
  }
  return tally
}

async function drive(folder, report) {
  const env = { LATCHKEY_EXAMPLE: folder, LATCHKEY_SHORT: String(values.short) }
  if (values.screenshots) env.LATCHKEY_SCREENSHOTS = join(resolve(values.screenshots), basename(folder))
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const config = join(root, "test", "examples", "vitest.config.ts")
  const args = [
    vitest,
    "run",
    ...findSuites(folder),
    "--config",
    config,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ]
  const { status, output } = await run(node, args, { env })
  return { status, output, tally: count(report) }
}

async function testExample(folder, installing, report) {
  const startedAt = Date.now()
  const installed = await installing
  const { status, output, tally } = installed.status === 0 ? await drive(folder, report) : { ...installed, tally: null }
  const isRight = status === 0 && tally.passed > 0 && !(isStrict && tally.skipped > 0)
  const counts = tally ? `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped` : "not installed"
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  console.log(`${isRight ? "ok    " : "failed"}  ${basename(folder)}: ${counts} (${seconds} s)`)
  if (!isRight) console.log(output.trimEnd().replace(/^/gm, "        "))
  return isRight
}

/** Tests one example at a time, and installs the next one meanwhile. */
async function testExamples(folders, tarballs, home) {
  const failed = []
  let installing = install(folders[0], tarballs)
  for (const [index, folder] of folders.entries()) {
    const installed = installing
    await installed
    const next = folders[index + 1]
    if (next) installing = install(next, tarballs)
    const isRight = await testExample(folder, installed, join(home, `${basename(folder)}.json`))
    if (!isRight) failed.push(basename(folder))
  }
  return failed
}

/** Whether the pages that are written from the results say the same as the tests. `--update` writes them. */
function comparePages(folders, home) {
  const reports = folders.map((folder) => join(home, `${basename(folder)}.json`))
  const compare = (script, isUpdate) => {
    const args = [join(root, "scripts", script), ...(isUpdate ? [] : ["--check"]), ...reports]
    return spawnSync(node, args, { cwd: root, stdio: "inherit" }).status === 0
  }
  const isSame = compare("framework-behaviors.mjs", values.update)
  return compare("planted-mistakes.mjs", values.update && !values.short) && isSame
}

if (!chromiumPath) {
  console.log("!!! EXAMPLES NOT TESTED: no Chromium. Install it or set CHROMIUM_PATH to its executable. !!!")
  process.exit(isStrict ? 1 : 0)
}

const home = mkdtempSync(join(tmpdir(), "latchkey-examples-"))
try {
  const folders = findExamples()
  for (const folder of folders) assertComplete(folder)
  const tarballs = pack([...new Set(folders.flatMap(listedPackages))].sort(), home)
  const failed = await testExamples(folders, tarballs, home)
  console.log(failed.length > 0 ? `examples: failed: ${failed.join(", ")}` : `examples: all ${folders.length} passed`)
  process.exitCode = failed.length > 0 || !comparePages(folders, home) ? 1 : 0
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(home, { recursive: true, force: true })
}
