// Builds packages and installs them in a project, with what they depend on and the types that strict TypeScript needs:
// `npm run add -- ../my-app express kysely-adapter latchkey`. For as long as the packages are in no registry.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { published, workspaces } from "./packages.mjs"

const root = join(import.meta.dirname, "..")
const [folder, ...names] = process.argv.slice(2)
const project = resolve(process.env.INIT_CWD ?? process.cwd(), folder ?? "")
const known = new Map(workspaces.map((workspace) => [workspace.folder, workspace]))
const nodeTypes = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies["@types/node"]

/** How the packages are named here: without the scope. */
const toShort = (path) => known.get(path).manifest.name.replace("@latchkey/", "")
const available = published.map(toShort)
/** By what people type: the name, with or without the scope, or the folder. */
const pathOf = (name) =>
  published.find((path) => [toShort(path), known.get(path).manifest.name, path.replace("packages/", "")].includes(name))

function fail(sentence) {
  console.error(`${sentence}\n\nUsage: npm run add -- <project> <package>...\nPackages: ${available.join(", ")}`)
  process.exit(1)
}

function run(command, args, cwd) {
  const { status, stdout } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  })
  if (status !== 0) {
    console.error(stdout)
    process.exit(status ?? 1)
  }
  return stdout
}

if (folder === undefined || names.length === 0) fail("Name a project and at least one package.")
const unknown = names.filter((name) => pathOf(name) === undefined)
if (unknown.length > 0) fail(`There is no package ${unknown.join(", ")}.`)
if (!existsSync(join(project, "package.json"))) fail(`${project} has no package.json. Run \`npm init -y\` there first.`)

/** The packages, and those of ours that they depend on. */
const wanted = new Set(["packages/core", ...names.map(pathOf)])
for (const path of wanted) {
  const { manifest, dependencies } = known.get(path)
  for (const dependency of dependencies)
    if (manifest.dependencies?.[known.get(dependency).manifest.name]) wanted.add(dependency)
}

const { dependencies: own, devDependencies: ownTools } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
/** What the app has stays in its version. */
const isThere = (name) =>
  [own, ownTools].some((each) => each?.[name] !== undefined) || existsSync(join(project, "node_modules", name))

const manifests = [...wanted].map((path) => known.get(path).manifest)
const peers = manifests.flatMap(({ peerDependencies = {}, peerDependenciesMeta = {} }) =>
  Object.entries(peerDependencies)
    .filter(([name]) => peerDependenciesMeta[name]?.optional !== true)
    .filter(([name]) => !isThere(name))
    .map(([name, range]) => `${name}@${range.split(" || ").at(-1)}`),
)
const types = [{ name: "@types/node", version: nodeTypes }, ...manifests.flatMap(listTypes)]
  .filter(({ name }) => !isThere(name))
  .map(({ name, version }) => `${name}@${version}`)

/** The types of the frameworks that a package needs. */
function listTypes({ devDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  return Object.entries(devDependencies)
    .map(([name, version]) => ({ name, version, typed: name.replace("@types/", "") }))
    .filter(({ name, typed }) => name !== typed && peerDependencies[typed] && !peerDependenciesMeta[typed]?.optional)
}

console.log(`Building ${[...wanted].map(toShort).join(", ")}`)
run("npm", ["run", "build", "--silent"], root)
const target = join(project, "latchkey")
mkdirSync(target, { recursive: true })
const tarballs = [...wanted].map((path) => {
  const [{ filename }] = JSON.parse(
    run("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", target], join(root, path)),
  )
  return `./${relative(project, join(target, filename)).replaceAll("\\", "/")}`
})

console.log(`Installing them in ${project}`)
const quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
run("npm", ["install", ...quiet, ...tarballs, ...peers], project)
if (types.length > 0) run("npm", ["install", "--save-dev", ...quiet, ...types], project)
console.log(
  `Added ${manifests.map(({ name }) => name).join(", ")}${peers.length > 0 ? ` and ${peers.join(", ")}` : ""}.`,
)
