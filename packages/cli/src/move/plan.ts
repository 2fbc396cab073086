import { readFile } from "node:fs/promises"
import { join, posix } from "node:path"
import { findExportedOptions, moveToAuthObject } from "./auth-object.js"
import { moveCatalog, moveManifest, moveTsconfig, moveTurbo, moveVariables, readDependencies } from "./manifests.js"
import { type Edition, isReplaced } from "./modules.js"
import { folderOf, MoveRefused, type Project, type ProjectFile } from "./project.js"
import type { Question } from "./questions.js"
import { moveSource } from "./source.js"

/** A file and its new text. */
export interface Change {
  readonly file: ProjectFile
  readonly after: string
}

/** What a move changes and asks. */
export interface Plan {
  readonly changes: readonly Change[]
  readonly questions: readonly Question[]
  /** The folders of the workspaces that are moved. */
  readonly workspaces: readonly string[]
}

/** A package of the project that has a package of Auth.js. */
interface Workspace {
  readonly folder: string
  readonly manifest: ProjectFile
  readonly edition: Edition
  readonly imports: Set<string>
  readonly left: Set<string>
}

/** How a project is moved. */
export interface MoveSettings {
  /** The version range of our packages. */
  readonly range: string
  /** Whether `auth()` takes the place of `getServerSession` where the options are an exported constant. */
  readonly isAuthObject: boolean
}

const isSource = (path: string): boolean => /\.(?:[cm]?[jt]sx?|svelte|vue|astro)$/.test(path)
const nameOf = (path: string): string => posix.basename(path)

/**
 * Plans the move of a project. Changes nothing.
 * @throws MoveRefused when no package of Auth.js is used, or Next.js or React are too old
 */
export async function planMove(project: Project, { range, isAuthObject }: MoveSettings): Promise<Plan> {
  const workspaces = await findWorkspaces(project)
  const changes: Change[] = []
  const questions: Question[] = project.unreadable.map((file) => ({ kind: "unreadable", file, line: 1 }))
  for (const file of project.files.filter(({ path }) => isSource(path))) {
    const workspace = findOwner(workspaces, file.path)
    if (!workspace) continue
    const moved = moveSource(file.path, file.text, workspace.edition)
    for (const name of moved.imports) workspace.imports.add(name)
    for (const name of moved.left) workspace.left.add(name)
    questions.push(...moved.questions)
    add(changes, file, moved.text)
  }
  for (const file of project.unreadable) findOwner(workspaces, file)?.left.add("next-auth")
  if (isAuthObject) useAuthObject(workspaces, changes)
  for (const workspace of workspaces) planWorkspace(workspace, project, range, { changes, questions })
  planShared(project, workspaces, range, changes)
  return { changes, questions, workspaces: workspaces.map(({ folder }) => folder) }
}

function add(changes: Change[], file: ProjectFile, after: string): void {
  if (after !== file.text) changes.push({ file, after })
}

/** Changes the sources of version 4 a second time. */
function useAuthObject(workspaces: readonly Workspace[], changes: Change[]): void {
  const moved = changes.filter(({ file }) => isSource(file.path) && findOwner(workspaces, file.path)?.edition === 4)
  const options = moved.flatMap(({ file, after }) => findExportedOptions(file.path, after) ?? [])
  for (const change of moved) {
    const after = moveToAuthObject(change.file.path, change.after, options)
    changes[changes.indexOf(change)] = { file: change.file, after }
  }
}

async function findWorkspaces(project: Project): Promise<readonly Workspace[]> {
  const manifests = project.files.filter(({ path }) => nameOf(path) === "package.json")
  const found: Workspace[] = []
  for (const manifest of manifests) {
    const dependencies = readDependencies(manifest.text)
    const names = [...dependencies.keys()].filter(isReplaced)
    if (names.length === 0) continue
    const folder = folderOf(manifest.path)
    const nextAuth = dependencies.get("next-auth")
    const version = nextAuth === undefined ? 5 : await findMajor(project, folder, "next-auth", nextAuth)
    if (nextAuth !== undefined) await assertVersions(project, folder, dependencies)
    // `next-auth@beta` is 5, and `latest` still 4.
    const isFive = version === 5 || (version === undefined && nextAuth === "beta")
    found.push({ folder, manifest, edition: isFive ? 5 : 4, imports: new Set(), left: new Set() })
  }
  if (found.length === 0)
    throw new MoveRefused("No package.json here lists a package of Auth.js, so there is nothing to move.")
  return found
}

/** @throws MoveRefused before anything is changed */
async function assertVersions(
  project: Project,
  folder: string,
  dependencies: ReadonlyMap<string, string>,
): Promise<void> {
  const place = folder === "" ? "this project" : folder
  for (const [name, needed, advice] of [
    ["next", 15, "15 or 16"],
    ["react", 18, "18 or newer"],
  ] as const) {
    const range = dependencies.get(name)
    const major = range === undefined ? undefined : await findMajor(project, folder, name, range)
    if (major === undefined || major >= needed) continue
    const title = name === "next" ? "Next.js" : "React"
    throw new MoveRefused(
      `Latchkey needs ${title} ${advice}, and ${place} has ${major}. Upgrade it first. Nothing has changed.`,
    )
  }
}

/** The major version that is installed, else the one of the range or of the catalog. */
async function findMajor(project: Project, folder: string, name: string, range: string): Promise<number | undefined> {
  for (let parent = folder; ; parent = folderOf(parent)) {
    const manifest = join(project.folder, parent, "node_modules", name, "package.json")
    const installed = await readFile(manifest, "utf8").catch(() => null)
    const version = installed === null ? undefined : /"version":\s*"(\d+)\./.exec(installed)?.[1]
    if (version !== undefined) return Number(version)
    if (parent === "") break
  }
  const catalog = project.files.find(({ path }) => nameOf(path) === "pnpm-workspace.yaml")?.text ?? ""
  const listed = new RegExp(`^[ \\t]+["']?${name}["']?:[ \\t]*["']?([^"'\\r\\n]+)`, "m").exec(catalog)?.[1]
  const wanted = range.startsWith("catalog:") ? (listed ?? "") : range
  const major = /\d+/.exec(wanted.replace(/^npm:[^@]*@/, ""))?.[0]
  return major === undefined ? undefined : Number(major)
}

/** The nearest workspace above a file. */
function findOwner(workspaces: readonly Workspace[], path: string): Workspace | undefined {
  const above = workspaces.filter(({ folder }) => folder === "" || path.startsWith(`${folder}/`))
  // A package of a monorepo may use what the root installs, and the root's scripts what a package installs.
  return above.sort((one, other) => other.folder.length - one.folder.length)[0] ?? workspaces[0]
}

function planWorkspace(
  workspace: Workspace,
  project: Project,
  range: string,
  { changes, questions }: { readonly changes: Change[]; readonly questions: Question[] },
): void {
  const { folder, manifest, imports, left } = workspace
  const dependencies = readDependencies(manifest.text)
  if ([...dependencies.keys()].some((name) => name.startsWith("@next-auth/"))) left.add("next-auth")
  const kept = [...dependencies.keys()].find((name) => isReplaced(name) && left.has(name))
  if (kept !== undefined)
    questions.push({ kind: "kept", file: manifest.path, line: lineOf(manifest.text, `"${kept}"`) })
  const added = new Set([...imports, ...(imports.size > 0 ? ["@latchkey/core"] : [])])
  add(changes, manifest, moveManifest(manifest.text, { added, kept: left, range }))
  if (imports.size === 0) return
  if (workspace.edition === 4)
    questions.push({ kind: "sessions", file: manifest.path, line: lineOf(manifest.text, '"next-auth"') })
  const config = project.files.find(({ path }) => path === posix.join(folder, "tsconfig.json"))
  if (!config) return
  const findBase = (path: string): string | undefined => {
    const base = posix.join(folderOf(config.path), path)
    return project.files.find((file) => file.path === base || file.path === `${base}.json`)?.text
  }
  const after = moveTsconfig(config.text, findBase)
  if (after === null) questions.push({ kind: "module-resolution", file: config.path, line: 1 })
  else add(changes, config, after)
}

/** Files that belong to all workspaces. */
function planShared(project: Project, workspaces: readonly Workspace[], range: string, changes: Change[]): void {
  const added = new Set(workspaces.flatMap(({ imports }) => (imports.size > 0 ? [...imports, "@latchkey/core"] : [])))
  const kept = new Set(workspaces.flatMap(({ left }) => [...left]))
  const sources = project.files.filter(({ path }) => isSource(path))
  const isRead = (name: string): boolean => sources.some(({ text }) => text.includes(name))
  const isCataloged = workspaces.some(({ manifest }) =>
    [...readDependencies(manifest.text)].some(([name, version]) => isReplaced(name) && version.startsWith("catalog:")),
  )
  for (const file of project.files) {
    const name = nameOf(file.path)
    if (name === "pnpm-workspace.yaml" && isCataloged)
      add(changes, file, moveCatalog(file.text, { added, kept, range }))
    else if (/^turbo\.jsonc?$/.test(name)) add(changes, file, moveTurbo(file.text))
    else if (/env/.test(name) && !isSource(file.path)) add(changes, file, moveVariables(file.text, isRead))
    else if (/compose/.test(name) && /\.ya?ml$/.test(name)) add(changes, file, moveVariables(file.text, isRead))
  }
}

function lineOf(text: string, part: string): number {
  return text.slice(0, Math.max(0, text.indexOf(part))).split("\n").length
}
