// Every check besides the tests. All steps run, so that one run shows every problem.
import { spawn } from "node:child_process"
import { globSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const node = process.execPath
const bin = (name) => join(root, "node_modules", ".bin", name)
const tool = (name) => join(root, "scripts", "tools", "node_modules", ".bin", name)
// By path: `.bin/tsc` is TypeScript 6, which only the layer check needs.
const tsc = join(root, "node_modules", "typescript-native", "bin", "tsc")

const examples = globSync("apps/example-*", { cwd: root }).sort()

/** Of packages whose tests do not compile with the others. */
const ownTestProjects = globSync("packages/*/tsconfig.test.json", { cwd: root }).sort()

/** The steps of a group run side by side, the longest first. They need what the groups before have built. */
const groups = [
  [
    ["types", node, tsc, "-b"],
    ["layers", node, "scripts/tools/check-layers.mjs"],
    ["format and lint", bin("biome"), "ci", "--error-on-warnings", "--colors=off"],
    ["unused", tool("knip"), "--no-progress"],
    ["unused in production", tool("knip"), "--no-progress", "--production"],
    ["published bundle of core", node, "scripts/bundle-core.mjs"],
    ["regular expressions", node, "scripts/tools/check-patterns.mjs"],
    ["emails", node, "scripts/tools/check-emails.mjs"],
    ["options that refuse undefined", node, "scripts/tools/check-undefined-options.mjs"],
    ["workflows", node, "scripts/tools/check-workflows.mjs"],
    ["age of the last full test", node, "scripts/test-all.mjs", "--check"],
    ["common passwords", node, "scripts/common-passwords.mjs", "--check"],
    ["security cases", node, "scripts/security-cases.mjs", "--check"],
    ["reference of options", node, "scripts/options.mjs", "--check"],
    ["stale translations", node, "scripts/languages.mjs", "--check"],
    ["project references", node, "scripts/project-references.mjs", "--check"],
    ["lock file", node, "scripts/complete-lock.mjs", "--check"],
    ["lock file of the tools", node, "scripts/complete-lock.mjs", "--check", "scripts/tools"],
    ["lock file of Node", node, "scripts/complete-lock.mjs", "--check", "scripts/node"],
    ["lock file of the bench", node, "scripts/complete-lock.mjs", "--check", "bench"],
    ["lock file of the compatibility tests", node, "scripts/complete-lock.mjs", "--check", "test/compat"],
    ...["15", "16"].map((version) => [
      `lock file of Next ${version}`,
      node,
      "scripts/complete-lock.mjs",
      "--check",
      `test/compat/next/${version}`,
    ]),
    ["lock file of the documentation", node, "scripts/complete-lock.mjs", "--check", "docs"],
    ...examples.map((path) => [`lock file of ${path}`, node, "scripts/complete-lock.mjs", "--check", path]),
  ],
  [
    ["types of tests", node, tsc, "-p", "tsconfig.test.json"],
    ["package contents and types", node, "scripts/tools/check-packages.mjs"],
    ...ownTestProjects.map((path) => [`types of tests ${path}`, node, tsc, "-p", path]),
    ["figures", node, "scripts/house-figures.mjs"],
    ["bundle", node, "scripts/check-bundle.mjs"],
    ["sizes", tool("size-limit")],
  ],
]

function run([name, command, ...args]) {
  const startedAt = Date.now()
  return new Promise((done) => {
    const child = spawn(command, args, {
      // size-limit looks for its plugins in the manifest of the folder.
      cwd: name === "sizes" ? join(root, "scripts", "tools") : root,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
      shell: process.platform === "win32",
      stdio: ["ignore", "pipe", "pipe"],
    })
    const parts = []
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => parts.push(part))
    child.once("error", (error) => parts.push(Buffer.from(String(error))))
    child.once("close", (status) => {
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
      console.log(`${status === 0 ? "ok    " : "failed"}  ${name} (${seconds} s)`)
      const output = Buffer.concat(parts).toString()
      if (status !== 0 || /^warning:/m.test(output)) console.log(output.trimEnd().replace(/^/gm, "        "))
      done(status === 0)
    })
  })
}

/** Runs as many steps at once as there are processors. @returns the names of those that failed */
async function runGroup(steps) {
  const failed = []
  const waiting = [...steps]
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) if (!(await run(step))) failed.push(step[0])
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return failed
}

const failed = []
for (const group of groups) failed.push(...(await runGroup(group)))
const count = groups.flat().length
console.log(failed.length > 0 ? `check: failed: ${failed.join(", ")}` : `check: all ${count} steps passed`)
process.exit(failed.length > 0 ? 1 : 0)
