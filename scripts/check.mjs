// Every check besides the tests. All steps run, so that one run shows every problem.
import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import { join } from "node:path"
import { published } from "./packages.mjs"

const root = join(import.meta.dirname, "..")
const node = process.execPath
const bin = (name) => join(root, "node_modules", ".bin", name)
// By path: `.bin/tsc` is TypeScript 6, which only the layer check needs.
const tsc = join(root, "node_modules", "typescript-native", "bin", "tsc")

const examples = globSync("apps/example-*", { cwd: root }).sort()

/** Of packages whose tests do not compile with the others. */
const ownTestProjects = globSync("packages/*/tsconfig.test.json", { cwd: root }).sort()

const steps = [
  ["format and lint", bin("biome"), "ci", "--error-on-warnings", "--colors=off"],
  ["lock file", node, "scripts/complete-lock.mjs", "--check"],
  ["lock file of the bench", node, "scripts/complete-lock.mjs", "--check", "bench"],
  ["lock file of the compatibility tests", node, "scripts/complete-lock.mjs", "--check", "compat"],
  ["lock file of the comparison", node, "scripts/complete-lock.mjs", "--check", "compare"],
  ["lock file of the documentation", node, "scripts/complete-lock.mjs", "--check", "docs"],
  ...examples.map((path) => [`lock file of ${path}`, node, "scripts/complete-lock.mjs", "--check", path]),
  ["project references", node, "scripts/project-references.mjs", "--check"],
  ["layers", node, "scripts/check-layers.mjs"],
  ["types", node, tsc, "-b"],
  ["types of tests", node, tsc, "-p", "tsconfig.test.json"],
  ...ownTestProjects.map((path) => [`types of tests ${path}`, node, tsc, "-p", path]),
  ["published bundle of core", node, "scripts/bundle-core.mjs"],
  ["figures", node, "scripts/house-figures.mjs"],
  ["workflows", node, "scripts/check-workflows.mjs"],
  ["unused", bin("knip"), "--no-progress"],
  ["unused in production", bin("knip"), "--no-progress", "--production"],
  ...published.map((path) => [`package ${path}`, bin("publint"), path, "--strict"]),
  ...published.map((path) => [
    `package types ${path}`,
    bin("attw"),
    "--pack",
    path,
    "--profile",
    "esm-only",
    "--no-emoji",
  ]),
  ["bundle", node, "scripts/check-bundle.mjs"],
  ["sizes", bin("size-limit")],
]

function run([name, command, ...args]) {
  const startedAt = Date.now()
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32",
  })
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  console.log(`${status === 0 ? "ok    " : "failed"}  ${name} (${seconds} s)`)
  if (status !== 0) console.log(`${stdout}${stderr}${error ?? ""}`.trimEnd().replace(/^/gm, "        "))
  return status === 0
}

const failed = steps.filter((step) => !run(step)).map(([name]) => name)
console.log(failed.length > 0 ? `check: failed: ${failed.join(", ")}` : `check: all ${steps.length} steps passed`)
process.exit(failed.length > 0 ? 1 : 0)
