import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

export function git(folder: string, ...args: readonly string[]): string {
  const settings = ["user.name=Ada", "user.email=ada@example.com", "core.autocrlf=false", "maintenance.auto=false"]
  const own = settings.flatMap((setting) => ["-c", setting])
  return spawnSync("git", [...own, ...args], { cwd: folder, encoding: "utf8" }).stdout
}

/** An empty repository, made once: starting Git takes longer than most tests. */
const template = createTemplate()

function createTemplate(): string {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-move-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  git(folder, "init", "--quiet", "--template=")
  return folder
}

/** A Git repository with these files, all of them committed. */
export function createProject(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-move-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(template, folder, { recursive: true })
  for (const [path, content] of Object.entries(files)) write(folder, path, content)
  commit(folder)
  return folder
}

export function write(folder: string, path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}

export function commit(folder: string): void {
  git(folder, "add", "--all")
  git(folder, "commit", "--quiet", "--message", "The app")
}

export const read = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8")

export const manifest = (dependencies: Readonly<Record<string, string>>): string =>
  `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`
