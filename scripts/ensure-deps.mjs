// Installs missing dependencies. Runs before every npm script that needs them, on the Node of the machine, so it imports only
// node:* modules. `ensure-deps.mjs bench` does the same for a folder with its own lock file.
import { spawn } from "node:child_process"
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

/** Runs npm, which prints nothing for a minute without a terminal of its own, and reports that it is still at work. */
async function npm(...args) {
  const path = process.env.npm_execpath
  const [command, first] = path?.endsWith(".js") ? [process.execPath, [path]] : ["npm", []]
  const run = spawn(command, [...first, ...args, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "pipe"],
    shell: command === "npm" && process.platform === "win32",
  })
  let stderr = ""
  run.stderr.on("data", (chunk) => {
    stderr += chunk
    process.stderr.write(chunk)
  })
  const start = Date.now()
  const report = () => console.log(`  still installing, ${Math.round((Date.now() - start) / 1000)} seconds so far`)
  const timer = setInterval(report, 10_000)
  const status = await new Promise((resolve) => {
    run.on("close", (code) => resolve(code ?? 1))
    run.on("error", (error) => {
      console.error(`npm cannot be started: ${error.message}`)
      resolve(1)
    })
  })
  clearInterval(timer)
  return { status, stderr }
}

/** A registry that serves only some platforms makes `npm ci` fail over packages that this machine never installs. */
function lacksOnlyPlatformPackages(output) {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8"))
  const optional = new Set(Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {})))
  const missing = [...output.matchAll(/Missing: (\S+)@\S* from lock file/g)].map(([, name]) => name)
  return missing.length > 0 && !output.includes("Invalid:") && missing.every((name) => optional.has(name))
}

async function install() {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8"))
  console.log(
    `Installing ${Object.keys(packages).length} packages. This takes a minute or two, and only the first time.`,
  )
  const { status, stderr } = await npm("ci")
  if (status === 0 || !lacksOnlyPlatformPackages(stderr)) return status
  console.error(
    "ensure-deps: the lock file lacks packages for other platforms; installing without them, without changing the lock file",
  )
  return (await npm("install", "--no-save")).status
}

// `--done` runs as the postinstall script: the dependencies are installed, also when npm was called directly.
if (process.argv.includes("--done")) {
  writeFileSync(stamp, wanted())
} else if (!installed()) {
  const status = await install()
  if (status !== 0) process.exit(status)
  writeFileSync(stamp, wanted())
}
