import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { type CommandContext, UsageError } from "../config.js"
import { createPaint, createProgress, escapeText, type Paint } from "../terminal.js"
import { toDiff } from "./diff.js"
import { type Plan, planMove } from "./plan.js"
import { MoveRefused, readProject, replaceFile, runTool } from "./project.js"
import { toText } from "./questions.js"

const usage = `Usage: latchkey move [folder] [options]

Moves an app from next-auth 4 or 5, or from another package of Auth.js: the imports, package.json, tsconfig.json, and names of
variables in examples. It shows the changes and asks before it writes, installs the new packages, compiles the app, and lists
what a person has to decide.

  [folder]         the folder of the app or of a monorepo. Default: this one
  --dry-run        shows the changes, and writes nothing
  --v5             with next-auth 4: also writes auth() for getServerSession(authOptions), and the routes in the style of
                   version 5, where authOptions is an exported constant
  --yes            writes without asking
  --no-install     writes, and installs and compiles nothing
  --help           prints this help

It changes files that Git knows, and refuses if Git has changes that are not committed: git diff shows what it did, and
git checkout . takes it back.
`

const options = {
  "dry-run": { type: "boolean", default: false },
  v5: { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  "no-install": { type: "boolean", default: false },
  help: { type: "boolean", short: "h" },
} as const

/**
 * `latchkey move`.
 * @returns the exit code: 1 if the packages could not be installed or the app does not compile
 * @throws UsageError when the arguments are wrong
 * @throws MoveRefused when the project cannot be moved. Nothing has changed.
 */
export async function move(args: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help) {
    context.print(usage)
    return 0
  }
  const [folder = ".", ...more] = positionals
  if (more.length > 0) throw new UsageError("Name one folder.")
  const isDryRun = values["dry-run"]
  const progress = createProgress(context)
  progress.step("Reading the project")
  const project = await readProject(resolve(context.folder, folder), { isDryRun })
  const plan = await planMove(project, { range: `^${readOwnVersion()}`, isAuthObject: values.v5 })
  progress.clear()
  const paint = createPaint(context)
  for (const { file, after } of plan.changes) context.print(paintDiff(toDiff(file.path, file.text, after), paint))
  const count = plan.changes.length === 1 ? "One file changes." : `${plan.changes.length} files change.`
  context.print(`\n${paint.strong(count)}\n\n`)
  if (isDryRun) {
    context.print(toText(plan.questions, context))
    return 0
  }
  if (plan.changes.length > 0 && !values.yes && !(await isWanted(context))) {
    context.print("Nothing was changed.\n")
    return 0
  }
  for (const { file, after } of plan.changes) await replaceFile(project.folder, file, after)
  const isComplete = values["no-install"] || (await complete(plan, project.folder, context))
  context.print(toText(plan.questions, context))
  return isComplete ? 0 : 1
}

/** The packages of a release have one version. */
function readOwnVersion(): string {
  const manifest: { readonly version: string } = createRequire(import.meta.url)("@latchkey/core/package.json")
  return manifest.version
}

/** @throws MoveRefused if there is no terminal for the question */
async function isWanted({ ask }: CommandContext): Promise<boolean> {
  if (!ask)
    throw new MoveRefused("There is no terminal to ask in. Read the changes with --dry-run, and write them with --yes.")
  return /^y(?:es)?$/i.test((await ask("Write these changes? [y/N] ")).trim())
}

function paintDiff(diff: string, paint: Paint): string {
  const lines = diff.split("\n").map((line) => {
    const text = line
      .split("\t")
      .map((part) => escapeText(part))
      .join("\t")
    if (line.startsWith("---") || line.startsWith("+++")) return paint.strong(text)
    if (line.startsWith("-")) return paint.error(text)
    return line.startsWith("+") ? paint.good(text) : text
  })
  return lines.join("\n")
}

const managers = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
] as const

/** Installs the packages and compiles the app, with the project's own tools. */
async function complete(plan: Plan, folder: string, context: CommandContext): Promise<boolean> {
  const progress = createProgress(context)
  const paint = createPaint(context)
  const folders = listAbove(folder)
  const manager = folders.flatMap(findManager)[0] ?? "npm"
  progress.step(`Running ${manager} install`)
  const installed = await runTool(manager, ["install"], folder)
  progress.clear()
  if (installed.code !== 0) {
    context.print(`${paint.error(`${manager} install failed.`)} Run it again when it can reach the packages:\n\n`)
    context.print(`${lastLines(installed.output)}\n\n`)
    return false
  }
  let isRight = true
  let isCompiled = false
  for (const workspace of plan.workspaces) {
    const home = join(folder, workspace)
    const compiler = [home, ...folders]
      .map((each) => join(each, "node_modules", "typescript", "bin", "tsc"))
      .find(existsSync)
    if (!existsSync(join(home, "tsconfig.json")) || compiler === undefined) continue
    progress.step("Running tsc --noEmit")
    const compiled = await runTool(process.execPath, [compiler, "--noEmit", "--pretty", "false"], home)
    progress.clear()
    isCompiled = true
    if (compiled.code === 0) continue
    isRight = false
    const errors = compiled.output.split("\n").filter((line) => line.includes("error TS")).length
    context.print(`${paint.error(`tsc --noEmit: ${errors} errors`)}\n\n${lastLines(compiled.output)}\n\n`)
  }
  const success = isCompiled ? "The packages are installed, and the app compiles." : "The packages are installed."
  if (isRight) context.print(`${paint.good(success)}\n\n`)
  return isRight
}

/** A folder and those above it in its repository: a package of a monorepo is installed together with the others. */
function listAbove(folder: string): readonly string[] {
  const parent = dirname(folder)
  return existsSync(join(folder, ".git")) || parent === folder ? [folder] : [folder, ...listAbove(parent)]
}

function findManager(folder: string): readonly string[] {
  return managers.filter(([lock]) => existsSync(join(folder, lock))).map(([, name]) => name)
}

function lastLines(output: string): string {
  const lines = output.trimEnd().split("\n").slice(-30)
  return lines.map((line) => `  ${escapeText(line)}`).join("\n")
}
