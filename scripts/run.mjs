// Runs a command of package.json: installs what it needs, then takes its steps on a Node that the project supports. Runs on
// the Node of the machine, so it imports only node:* modules.
import { spawn } from "node:child_process"
import { delimiter, dirname } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { ensureDeps } from "./ensure-deps.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

// By path: `.bin/tsc` is TypeScript 6.
const tsc = "node_modules/typescript-native/bin/tsc"
const tools = "scripts/tools"

const pages = ["scripts/generate-page-files.mjs"]
const build = [pages, [tsc, "-b"], ["scripts/bundle-core.mjs"]]
const test = (...suite) => ({ steps: [pages, ["scripts/test.mjs", ...suite]] })

/** What writes each generated file of the repository, by the name that `npm run generate` takes. */
const generators = {
  adapters: { needs: [".", "test/compat", "test/runtimes"], steps: [...build, ["scripts/adapter-promises.mjs"]] },
  frameworks: { steps: [pages, ["scripts/framework-behaviors.mjs"]] },
  languages: { steps: [["scripts/languages.mjs"]] },
  lock: { steps: [["scripts/complete-lock.mjs"]] },
  mistakes: { steps: [pages, ["scripts/planted-mistakes.mjs"]] },
  options: { steps: [["scripts/options.mjs"]] },
  providers: test("provider-table.test.ts", "packages/core/test/config/isolated/exports.test.ts", "-u"),
  references: { steps: [["scripts/project-references.mjs"]] },
  "security-cases": { steps: [["scripts/security-cases.mjs"]] },
}

/**
 * By the name of the npm script: what is installed first (by default the workspace), and the steps, each a file and its
 * arguments. The last step also gets the arguments of the command line.
 */
const commands = {
  start: { needs: ["demo"], steps: [pages, ["apps/demo/build.mjs"], ["apps/demo/bundle/main.js"]] },
  build: { steps: build },
  check: { needs: [".", tools], steps: [pages, ["scripts/check.mjs"]] },
  fix: { steps: [["node_modules/@biomejs/biome/bin/biome", "check", "--write"]] },
  test: test(),
  "test:browser": test("browser"),
  "test:stores": test("stores"),
  "test:packages": test("packages"),
  "test:properties": test("properties"),
  "test:examples": { steps: [pages, ["scripts/test-examples.mjs"]] },
  "test:runtimes": { needs: [".", "test/runtimes"], steps: [...build, ["test/runtimes/run.ts"]] },
  "test:compat": { needs: [".", "test/compat"], steps: [...build, ["scripts/test-compat.mjs"]] },
  "test:all": { steps: [["scripts/test-all.mjs"]] },
  bench: { needs: [".", "bench"], steps: [...build, ["bench/speed/main.ts"]] },
  compare: { needs: [".", "bench"], steps: [...build, ["bench/comparison/main.ts"]] },
  fuzz: { steps: [pages, ["scripts/fuzz.mjs"]] },
  simulate: { steps: [pages, ["scripts/simulate.mjs"]] },
  docs: { needs: [".", "docs"], steps: [pages, ["docs/scripts/build.mjs"]] },
  "docs:check": { needs: [".", "docs"], steps: [pages, ["docs/scripts/check.mjs"]] },
  release: { steps: [...build, ["scripts/release.mjs"]] },
  add: { steps: [["scripts/add.mjs"]] },
  changeset: { needs: [tools], steps: [[`${tools}/node_modules/@changesets/cli/bin.js`]] },
  hooks: { needs: [tools], steps: [[`${tools}/node_modules/lefthook/bin/index.js`, "install"]] },
}

/** Some commands do something else for a first argument. */
const variants = {
  generate: generators,
  "test:compat": {
    next: {
      needs: [".", "test/compat", "test/compat/next/15", "test/compat/next/16"],
      steps: [...build, ["scripts/test-compat.mjs", "next"]],
    },
    "three-processes": { needs: [".", "test/compat"], steps: [...build, ["test/compat/three-processes/main.ts"]] },
  },
}

function readCommandLine([name, ...args]) {
  const [first = "", ...others] = args
  const own = variants[name] ?? {}
  return Object.hasOwn(own, first) ? { command: own[first], args: others } : { command: commands[name], args }
}

/** @returns the exit code */
function take(node, args) {
  const child = spawn(node, args, { cwd: root, stdio: "inherit" })
  const stop = (signal) => child.kill(signal)
  const signals = ["SIGTERM", "SIGHUP"]
  for (const signal of signals) process.on(signal, stop)
  child.on("close", () => {
    for (const signal of signals) process.off(signal, stop)
  })
  return new Promise((resolve) => {
    child.on("close", (code) => resolve(code ?? 1))
    child.on("error", (error) => {
      console.error(error.message)
      resolve(1)
    })
  })
}

async function main() {
  const { command, args } = readCommandLine(process.argv.slice(2))
  if (!command) throw new Error(`Usage: npm run generate -- <${Object.keys(generators).join("|")}>`)
  const { needs = ["."], steps } = command
  const node = await ensureDeps(needs)
  // Scripts start npm and npx by name, which run on the Node that they find first.
  process.env.PATH = `${dirname(node)}${delimiter}${process.env.PATH}`
  // Ctrl-C reaches the step by itself.
  process.on("SIGINT", () => {})
  const last = steps.length - 1
  for (const [index, step] of steps.entries()) {
    const status = await take(node, index === last ? [...step, ...args] : step)
    if (status !== 0) return status
  }
  return 0
}

main().then(
  (status) => process.exit(status),
  (error) => {
    console.error(error.message)
    process.exit(1)
  },
)
