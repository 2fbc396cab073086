// A registry that serves only some platforms makes npm write a lock file without the native builds of the others, which
// `npm ci` then refuses. This script adds the missing entries. `--check` only reports them. An argument names the folder of
// another lock file.
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"

const [folder = "."] = process.argv.slice(2).filter((arg) => !arg.startsWith("--"))
const lockFile = new URL(`../${folder}/package-lock.json`, import.meta.url)
const exactVersion = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/
const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"]
const processors = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64"]
const aliases = { windows: "win32", 64: "x64", aarch64: "arm64" }

/** The places where Node looks for `name` from `from`, nearest first. */
function places(from, name) {
  const parents = from.split(/(?:^|\/)node_modules\//).filter(Boolean)
  const found = []
  for (let depth = parents.length; depth >= 0; depth -= 1) {
    const above = parents.slice(0, depth).map((parent) => `node_modules/${parent}`)
    found.push([...above, `node_modules/${name}`].join("/"))
  }
  return found
}

function findMissing(packages) {
  const missing = new Map()
  for (const [from, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const nearest = places(from, name).find((place) => packages[place])
      if (nearest && (!exactVersion.test(version) || packages[nearest].version === version)) continue
      if (!exactVersion.test(version))
        throw new Error(`${from} needs ${name}@${version}. Only exact versions can be added`)
      missing.set(nearest ? `${from}/node_modules/${name}` : `node_modules/${name}`, { name, version })
    }
  }
  return missing
}

function platformFromName(name) {
  const words = name.split(/[^a-z0-9]+/).map((word) => aliases[word] ?? word)
  if (words.includes("wasm32")) return { cpu: ["wasm32"] }
  const os = systems.find((system) => words.includes(system))
  const cpu = processors.find((processor) => words.includes(processor))
  if (!os || !cpu) throw new Error(`${name}: the name contains no platform`)
  const last = words.at(-1) ?? ""
  const libc = last.startsWith("musl") ? ["musl"] : last.startsWith("gnu") ? ["glibc"] : undefined
  return { cpu: [cpu], ...(libc && { libc }), os: [os] }
}

/** Empty when the registry does not serve the package: npm then installs it without verifying its integrity. */
function publishedFacts(name, version) {
  const run = spawnSync("npm", ["view", `${name}@${version}`, "--json"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  })
  if (run.status !== 0) return {}
  const { dist, license, engines, cpu, os, libc } = JSON.parse(run.stdout)
  return JSON.parse(JSON.stringify({ integrity: dist?.integrity, license, engines, cpu, os, libc }))
}

function createEntry({ name, version }) {
  const { integrity, license, engines, ...platform } = publishedFacts(name, version)
  const { cpu, libc, os } = { ...platformFromName(name), ...platform }
  const entry = { version, cpu, integrity, libc, license, optional: true, os, engines }
  return JSON.parse(JSON.stringify(entry))
}

const lock = JSON.parse(readFileSync(lockFile, "utf8"))
const missing = findMissing(lock.packages)

if (process.argv.includes("--check")) {
  for (const { name, version } of missing.values()) console.error(`missing from package-lock.json: ${name}@${version}`)
  const fromHosts = Object.entries(lock.packages).filter(([, entry]) => /^https?:/.test(entry.resolved ?? ""))
  for (const [place] of fromHosts) console.error(`package-lock.json contains the address of a registry: ${place}`)
  process.exit(missing.size + fromHosts.length > 0 ? 1 : 0)
}

for (const [place, wanted] of missing) lock.packages[place] = createEntry(wanted)
for (const entry of Object.values(lock.packages)) if (/^https?:/.test(entry.resolved ?? "")) delete entry.resolved
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en")))
writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`)
const unverified = [...missing.keys()].filter((place) => !lock.packages[place].integrity)
console.log(`added ${missing.size} entries, ${unverified.length} of them without integrity`)
