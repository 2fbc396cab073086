// Installs missing dependencies, on the Node of the machine, so it imports only node:* modules. Each argument names what a
// command needs: `.` for the workspace, `demo` for the part of it that the demo needs, or a folder with its own lock file.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { argv, env, execPath, exit, kill, pid, platform, versions } from "node:process"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** The arguments for npm, by the part of the workspace. */
const workspaceParts = { all: ["--include=dev"], demo: ["--workspace=apps/demo", "--omit=dev"] }

/** @returns where npm runs, with which arguments, and what the stamp says once that is installed */
function resolveTarget(name) {
  const isWorkspace = name === "." || name === "demo"
  const folder = isWorkspace ? root : join(root, name)
  const lockFile = join(folder, "package-lock.json")
  const stampFile = join(folder, "node_modules", ".ensure-deps")
  const hash = createHash("sha256").update(readFileSync(lockFile)).digest("hex")
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : ""
  const all = isWorkspace ? `all ${hash}` : hash
  // A part never replaces the whole.
  const isPart = name === "demo" && (stamp === "" || stamp.startsWith("demo "))
  const wanted = isPart ? `demo ${hash}` : all
  return { name, folder, lockFile, stampFile, stamp, all, wanted, args: workspaceParts[isPart ? "demo" : "all"] }
}

/** Runs npm, which prints nothing for a minute without a terminal of its own, and reports that it is still at work. */
async function npm(folder, ...args) {
  const path = env.npm_execpath
  const [command, first] = path?.endsWith(".js") ? [execPath, [path]] : ["npm", []]
  const run = spawn(command, [...first, ...args, "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    shell: command === "npm" && platform === "win32",
  })
  let output = ""
  for (const stream of [run.stdout, run.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk
    })
  }
  const start = Date.now()
  const report = () => console.log(`  still installing, ${Math.round((Date.now() - start) / 1000)} seconds so far`)
  const timer = setInterval(report, 10_000)
  const status = await new Promise((resolve) => {
    run.on("close", (code) => resolve(code ?? 1))
    run.on("error", (error) => {
      output += `npm cannot be started: ${error.message}\n`
      resolve(1)
    })
  })
  clearInterval(timer)
  if (status !== 0) console.error(output)
  return { status, output }
}

/** A registry that serves only some platforms makes `npm ci` fail over packages that this machine never installs. */
function lacksOnlyPlatformPackages(lockFile, output) {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8"))
  const optional = new Set(Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {})))
  const missing = [...output.matchAll(/Missing: (\S+)@\S* from lock file/g)].map(([, name]) => name)
  return missing.length > 0 && !output.includes("Invalid:") && missing.every((name) => optional.has(name))
}

async function install({ folder, lockFile, args }) {
  const { status, output } = await npm(folder, "ci", ...args)
  if (status === 0 || !lacksOnlyPlatformPackages(lockFile, output)) return status
  console.error(
    "ensure-deps: the lock file lacks packages for other platforms; installing without them, without changing the lock file",
  )
  return (await npm(folder, "install", "--no-save", ...args)).status
}

/** What the terminal shows before an install. */
function describe({ name, wanted, lockFile }) {
  if (name === nodeFolder) return `Installing Node, since the scripts need ${manifest.engines.node}.`
  if (wanted.startsWith("demo ")) return "Installing the packages of the demo."
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8"))
  const place = name === "." || name === "demo" ? "" : ` in ${name}`
  return `Installing up to ${Object.keys(packages).length} packages${place}. This takes up to a minute or two, and only once.`
}

function isRunning(process) {
  try {
    return kill(process, 0)
  } catch (error) {
    return error.code === "EPERM"
  }
}

/** Takes the lock. False if another process has it. One that a process left behind is moved away, by one of those who want it. */
function takeLock(lock) {
  try {
    writeFileSync(lock, String(pid), { flag: "wx" })
    return true
  } catch (error) {
    if (error.code !== "EEXIST") throw error
  }
  try {
    const owner = readFileSync(lock, "utf8")
    // Empty: its owner is about to write.
    if (owner === "" || isRunning(Number(owner))) return false
    const aside = `${lock}.${pid}`
    renameSync(lock, aside)
    // Another process was faster, and this is its lock.
    if (readFileSync(aside, "utf8") !== owner) renameSync(aside, lock)
    else rmSync(aside)
  } catch (error) {
    if (error.code !== "ENOENT") throw error
  }
  return false
}

/** Runs one install of a folder at a time: two at once delete each other's files. */
async function withLock(folder, work) {
  const id = createHash("sha256").update(realpathSync(folder)).digest("hex").slice(0, 16)
  const lock = join(tmpdir(), `latchkey-install-${id}`)
  for (let tries = 0; !takeLock(lock); tries++) {
    if (tries === 1) console.log(`Waiting for another command that installs here (${lock}).`)
    await wait(100)
  }
  try {
    await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

const isInstalled = ({ stamp, wanted, all }) => stamp === wanted || stamp === all

/** @throws when npm fails */
async function ensure(name) {
  const target = resolveTarget(name)
  // Read again with the lock: another command may have installed meanwhile.
  if (!isInstalled(target)) await withLock(target.folder, () => installTarget(resolveTarget(name)))
}

async function installTarget(target) {
  const { stampFile, wanted } = target
  if (isInstalled(target)) return
  console.log(describe(target))
  const status = await install(target)
  if (status !== 0) throw new Error(`ensure-deps: npm failed with status ${status}`)
  writeFileSync(stampFile, wanted)
}

const nodeFolder = "scripts/node"
const ownNode = join(root, nodeFolder, "node_modules", "node", "bin", platform === "win32" ? "node.exe" : "node")

function isSupported(version) {
  const [major, minor] = version.split(".").map(Number)
  const [oldestMajor, oldestMinor] = manifest.engines.node.match(/\d+/g).map(Number)
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}

/** Lets `npx` run on the same Node as the scripts. */
function linkNode() {
  const link = join(root, "node_modules", ".bin", "node")
  if (platform === "win32" || !existsSync(dirname(link)) || lstatSync(link, { throwIfNoEntry: false })) return
  symlinkSync(join("..", "..", nodeFolder, "node_modules", "node", "bin", "node"), link)
}

/**
 * Installs what a command needs, and a Node if the machine's is too old for the scripts.
 * @returns the executable of the Node for the scripts
 */
export async function ensureDeps(names) {
  const needsNode = !isSupported(versions.node)
  const [first, ...others] = names
  // Both at once, since Node is one large file.
  await Promise.all([needsNode && ensure(nodeFolder), first && ensure(first)])
  for (const name of others) await ensure(name)
  if (existsSync(ownNode)) linkNode()
  return needsNode ? ownNode : execPath
}

/** Runs as the postinstall script: the dependencies are installed, also when npm was called directly. */
function finishInstall() {
  const { stampFile, all } = resolveTarget(".")
  const isComplete = Object.keys(manifest.devDependencies).every((name) => existsSync(join(root, "node_modules", name)))
  if (isComplete) writeFileSync(stampFile, all)
  if (existsSync(ownNode) && existsSync(dirname(stampFile))) linkNode()
}

if (realpathSync(argv[1]) === fileURLToPath(import.meta.url)) {
  const [, , ...names] = argv
  if (names.includes("--done")) finishInstall()
  else
    await ensureDeps(names.length > 0 ? names : ["."]).catch((error) => {
      console.error(error.message)
      exit(1)
    })
}
