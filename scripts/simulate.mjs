// Runs simulated worlds: `npm run simulate -- --minutes 10 --seed 1 --workers 2`. Sources and libraries become one bundle, so
// that edits do not affect a run of hours. With `--mutants` it breaks the service in many ways, one after the other, and
// checks that the simulation notices. docs/decisions/simulation.md says what a world is.
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative, sep } from "node:path"
import { promisify } from "node:util"
import { build } from "esbuild"

const root = join(import.meta.dirname, "..")
const sources = join(root, "packages/core/src")
const folder = mkdtempSync(join(tmpdir(), "latchkey-simulation-"))
const flags = ["--disable-warning=ExperimentalWarning"]

/** Bundles the program, with the edits of a mutant applied to the sources. */
async function bundle(name, edits = []) {
  const outfile = join(folder, name)
  const loaded = new Set()
  await build({
    absWorkingDir: root,
    entryPoints: ["test/simulation/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    conditions: ["@latchkey/source", "node"],
    jsx: "automatic",
    jsxImportSource: "preact",
    // Optional peers: loaded only by apps that use them.
    external: ["nodemailer", "rate-limiter-flexible"],
    banner: { js: 'import { createRequire } from "node:module"\nconst require = createRequire(import.meta.url)' },
    logLevel: "warning",
    plugins: [mutate(edits, loaded)],
  })
  const unused = edits.find(({ file }) => !loaded.has(file))
  if (unused) throw new Error(`${unused.file} is not part of the program. Update test/simulation/mutants`)
  return outfile
}

/** @param loaded Gets the files that were edited. */
function mutate(edits, loaded) {
  const toName = (path) => relative(sources, path).split(sep).join("/")
  const files = new Set(edits.map(({ file }) => file))
  return {
    name: "mutate",
    setup(context) {
      context.onLoad({ filter: /[\\/]core[\\/]src[\\/].*[.]tsx?$/ }, ({ path }) => {
        if (!files.has(toName(path))) return undefined
        const own = edits.filter(({ file }) => file === toName(path))
        loaded.add(toName(path))
        return { contents: own.reduce(apply, readFileSync(path, "utf8")), loader: path.endsWith("x") ? "tsx" : "ts" }
      })
    },
  }
}

function apply(source, { file, find, replace }) {
  const count = source.split(find).length - 1
  if (count === 1) return source.replace(find, () => replace)
  throw new Error(`${file} has ${JSON.stringify(find)} ${count} times, not once. Update test/simulation/mutants`)
}

/** The first world that notices a mutant. */
async function findMutant(mutant, index) {
  const file = await bundle(`mutant-${index}.mjs`, mutant.edits)
  const args = [...flags, file, "--first", "--minutes", "30", "--runs", String(mutant.within)]
  if (mutant.setting) args.push("--setting", JSON.stringify(mutant.setting))
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root }).catch((error) => error)
  const line = String(stdout)
    .split("\n")
    .find((each) => each.startsWith("{"))
  return line ? JSON.parse(line) : null
}

async function findMutants(only, workers) {
  const files = readdirSync(join(root, "test/simulation/mutants"))
  const modules = await Promise.all(files.map((file) => import(`../test/simulation/mutants/${file}`)))
  const mutants = modules.flatMap((module) => module.mutants)
  const chosen = mutants.filter(({ name }) => new RegExp(only).test(name)).map((mutant, index) => ({ mutant, index }))
  // Before hours of work, not in the middle of it.
  for (const { file, ...edit } of chosen.flatMap(({ mutant }) => mutant.edits)) {
    apply(readFileSync(join(sources, file), "utf8"), { file, ...edit })
  }
  const missed = []
  async function work() {
    for (let next = chosen.shift(); next; next = chosen.shift()) {
      const { mutant, index } = next
      const found = await findMutant(mutant, index)
      if (!found) missed.push(mutant.name)
      const outcome = found ? `found by world ${found.runs}: ${found.rule}. ${found.sentence}` : "NOT FOUND"
      console.log(`${mutant.name} (within ${mutant.within}): ${outcome}`)
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  console.log(missed.length === 0 ? "All mutants were found." : `${missed.length} mutants were not found.`)
  return missed.length === 0 ? 0 : 1
}

const optionOf = (name, otherwise) => {
  const at = process.argv.indexOf(name)
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise)
}

try {
  if (process.argv.includes("--mutants")) {
    process.exitCode = await findMutants(optionOf("--only", ""), Number(optionOf("--workers", "1")))
  } else {
    const args = [...flags, await bundle("simulation.mjs"), ...process.argv.slice(2)]
    process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
