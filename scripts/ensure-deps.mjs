// Installs missing dependencies. Runs before every npm script that needs them, on the Node of the machine, so it imports only
// node:* modules. `ensure-deps.mjs bench` does the same for a folder with its own lock file.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, process.argv.slice(2).find((arg) => !arg.startsWith("--")) ?? ".")
const lockFile = join(folder, "package-lock.json")
const stamp = join(folder, "node_modules", ".ensure-deps")

const wanted = () => createHash("sha256").update(readFileSync(lockFile)).digest("hex")
const installed = () =>
  existsSync(join(root, "node_modules", ".bin", "node")) &&
  existsSync(stamp) &&
  readFileSync(stamp, "utf8") === wanted()

function npm(...args) {
  const path = process.env.npm_execpath
  const [command, first] = path?.endsWith(".js") ? [process.execPath, [path]] : ["npm", []]
  const run = spawnSync(command, [...first, ...args, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "inherit", "pipe"],
    shell: command === "npm" && process.platform === "win32",
  })
  process.stderr.write(run.stderr ?? "")
  return run
}

/** A registry that serves only some platforms makes `npm ci` fail over packages that this machine never installs. */
function lacksOnlyPlatformPackages(output) {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8"))
  const optional = new Set(Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {})))
  const missing = [...output.matchAll(/Missing: (\S+)@\S* from lock file/g)].map(([, name]) => name)
  return missing.length > 0 && !output.includes("Invalid:") && missing.every((name) => optional.has(name))
}

function install() {
  const run = npm("ci")
  if (run.status === 0) return 0
  if (!lacksOnlyPlatformPackages(run.stderr ?? "")) return run.status ?? 1
  console.error(
    "ensure-deps: the lock file lacks packages for other platforms; installing without them, without changing the lock file",
  )
  return npm("install", "--no-save").status ?? 1
}

// `--done` runs as the postinstall script: the dependencies are installed, also when npm was called directly.
if (process.argv.includes("--done")) {
  writeFileSync(stamp, wanted())
} else if (!installed()) {
  const status = install()
  if (status !== 0) process.exit(status)
  writeFileSync(stamp, wanted())
}
