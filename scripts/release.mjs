// Packs every package and shows what would be published: `npm run release -- --dry-run`. Checks the contents of each tarball,
// then installs all of them in an empty project with npm, pnpm and yarn, and resolves every entry there. `-- --dry-run npm`
// uses one package manager. Writes the software bill of materials to release/sbom.cdx.json. Without `--dry-run` it also
// publishes the tarballs that it has checked.
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { published } from "./packages.mjs"
import { findReadmeFaults, missingAddresses, writeAddresses } from "./published-addresses.mjs"

const root = join(import.meta.dirname, "..")
const given = process.argv.slice(2)
const isDryRun = given.includes("--dry-run")

/** How each package manager installs the dependencies of package.json, without scripts. */
const managers = {
  npm: ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--legacy-peer-deps"],
  pnpm: ["npx", "--yes", "pnpm@10", "install", "--ignore-scripts", "--silent", "--config.auto-install-peers=false"],
  yarn: ["npx", "--yes", "yarn@1.22.22", "install", "--ignore-scripts", "--silent", "--non-interactive"],
}
const asked = given.filter((arg) => !arg.startsWith("--"))
const unknown = asked.filter((name) => !Object.hasOwn(managers, name))
if (unknown.length > 0) throw new Error(`Unknown package manager: ${unknown.join(", ")}. Use npm, pnpm or yarn`)

function run([command, ...args], cwd) {
  const done = spawnSync(command, args, { cwd, encoding: "utf8", shell: process.platform === "win32" })
  if (done.status === 0) return done.stdout
  throw new Error(`${command} ${args.join(" ")} failed in ${cwd}:\n${done.stdout}${done.stderr}${done.error ?? ""}`)
}

const packFolder = (folder, target) => {
  const args = ["npm", "pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", target]
  return JSON.parse(run(args, folder))[0]
}

/** Packs a package, writes the addresses of the project into its files, and packs those. */
function pack(folder, target) {
  const first = packFolder(join(root, folder), target)
  const unpacked = mkdtempSync(join(target, "unpacked-"))
  run(["tar", "-xzf", join(target, first.filename), "-C", unpacked], target)
  writeAddresses(join(unpacked, "package"), folder)
  const packed = packFolder(join(unpacked, "package"), target)
  const manifest = JSON.parse(readFileSync(join(unpacked, "package", "package.json"), "utf8"))
  return { folder, manifest, tarball: join(target, packed.filename), files: packed.files, packed }
}

/** Every file that `exports` and `bin` name. Entries with `*` name folders. */
function listTargets(value) {
  if (typeof value === "string") return [value]
  return Object.values(value ?? {}).flatMap(listTargets)
}

/** Bytes of an unpacked package. The core has a module for each provider and language, twice: as source and as bundle. */
const largestPackage = 7 * 1024 * 1024

const unwanted =
  /(?:^|\/)(?:node_modules|coverage|\.data|test|tests|fixtures)\/|\.(?:test|test-d|tsbuildinfo|log|env)(?:\.|$)|tsconfig/

function findFaults({ folder, manifest, files, packed }) {
  const paths = new Set(files.map(({ path }) => path))
  const required = ["LICENSE", "README.md", "package.json"].filter((path) => !paths.has(path))
  const targets = [...listTargets(manifest.exports), ...listTargets(manifest.bin)].map((path) =>
    path.replace(/^\.\//, ""),
  )
  const missing = targets.filter((path) => !path.includes("*") && !paths.has(path))
  const { private: isPrivate, license, engines, publishConfig, dependencies = {} } = manifest
  const ranges = Object.entries(dependencies).filter(([, range]) => /^(?:workspace|file|link|https?|git)/.test(range))
  return [
    ...required.map((path) => `lacks ${path}`),
    ...missing.map((path) => `exports ${path}, which it does not contain`),
    ...[...paths].filter((path) => unwanted.test(path)).map((path) => `contains ${path}`),
    ...ranges.map(([name, range]) => `depends on ${name}@${range}`),
    ...findReadmeFaults(folder, manifest.name),
    ...(isPrivate ? ["is private"] : []),
    ...(license === "MIT" ? [] : ["does not name its license"]),
    ...(engines?.node ? [] : ["does not name the versions of Node"]),
    ...(publishConfig?.access === "public" ? [] : ['lacks publishConfig.access "public"']),
    ...(packed.unpackedSize > largestPackage ? [`has ${packed.unpackedSize} bytes`] : []),
  ].map((fault) => `${manifest.name} ${fault}`)
}

/** The entries that an app can resolve: without those that are a pattern. */
const entriesOf = ({ manifest }) =>
  Object.keys(manifest.exports ?? {})
    .filter((path) => !path.includes("*"))
    .map((path) => `${manifest.name}${path.slice(1)}`)

/** Installs all tarballs in an empty project, and resolves every entry of every package from there. */
function install(manager, packages, home) {
  const project = join(home, manager)
  mkdirSync(project)
  const dependencies = Object.fromEntries(packages.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]))
  // The registry does not have these versions yet, so the dependencies among them are named too.
  const own = { overrides: dependencies, resolutions: dependencies, pnpm: { overrides: dependencies } }
  const manifest = {
    name: "latchkey-release",
    version: "0.0.0",
    private: true,
    type: "module",
    dependencies,
    ...(manager === "npm" ? {} : own),
  }
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest, null, 2))
  // Yarn would take a tarball with the same name and version from its cache, as it was in an earlier run.
  const cache = manager === "yarn" ? ["--cache-folder", join(home, "yarn-cache")] : []
  run([...managers[manager], ...cache], project)
  const entries = packages.flatMap(entriesOf)
  const script = `
    import { existsSync } from "node:fs"
    import { fileURLToPath } from "node:url"
    const lost = ${JSON.stringify(entries)}.filter((name) => !existsSync(fileURLToPath(import.meta.resolve(name))))
    if (lost.length > 0) throw new Error("not found: " + lost.join(", "))
    const { Auth } = await import("@latchkey/core")
    const config = { providers: [], secret: "a secret of the release, for this check", trustHost: true }
    const response = await Auth(new Request("https://app.example.com/auth/providers"), config)
    if (response.status !== 200) throw new Error("Auth answered with status " + response.status)`
  run([process.execPath, "--input-type=module", "--eval", script], project)
  console.log(`${manager}: installed ${packages.length} packages, ${entries.length} entries resolve`)
}

/** Everything that an app installs with the packages, as CycloneDX, from the project that npm has installed. */
function writeBillOfMaterials(packages, home) {
  const text = run(
    ["npm", "sbom", "--sbom-format=cyclonedx", "--loglevel=error", "--legacy-peer-deps"],
    join(home, "npm"),
  )
  const { components } = JSON.parse(text)
  const names = new Set(components.map(({ name, group }) => (group ? `${group}/${name}` : name)))
  const forgotten = packages.filter(({ manifest }) => !names.has(manifest.name))
  if (forgotten.length > 0) throw new Error(`sbom: lacks ${forgotten.map(({ manifest }) => manifest.name).join(", ")}`)
  const unlicensed = components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => name)
  if (unlicensed.length > 0) throw new Error(`sbom: no license is known of ${unlicensed.join(", ")}`)
  mkdirSync(join(root, "release"), { recursive: true })
  writeFileSync(join(root, "release", "sbom.cdx.json"), text)
  console.log(`sbom: ${components.length} components in release/sbom.cdx.json`)
}

/** A release that failed halfway is finished by running it again. */
function publish({ name, version }, tarball) {
  const found = spawnSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8" })
  if (found.status === 0 && found.stdout.trim() === version)
    return console.log(`${name}@${version} is published already`)
  console.log(run(["npm", "publish", tarball, "--access", "public"], root))
}

const home = mkdtempSync(join(tmpdir(), "latchkey-release-"))
try {
  const packages = published.map((folder) => pack(folder, home))
  for (const { manifest, packed, files } of packages)
    console.log(
      `${manifest.name}@${manifest.version}: ${files.length} files, ${Math.ceil(packed.size / 1024)} KiB packed`,
    )
  const faults = packages.flatMap(findFaults)
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) throw new Error(`${faults.length} faults. Nothing was published`)
  if (missingAddresses.length > 0) {
    console.log(
      `The project has no ${missingAddresses.join(", ")}. Set them in \`publishing\` of package.json before you publish`,
    )
    if (!isDryRun) throw new Error("Nothing was published")
  }
  const chosen = asked.length > 0 ? asked : Object.keys(managers)
  for (const manager of chosen) install(manager, packages, home)
  if (chosen.includes("npm")) writeBillOfMaterials(packages, home)
  if (isDryRun) console.log(`${packages.length} packages would be published`)
  else for (const { manifest, tarball } of packages) publish(manifest, tarball)
} finally {
  rmSync(home, { recursive: true, force: true })
}
