import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

export function git(folder: string, ...args: readonly string[]): string {
  const own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.autocrlf=false"]
  return spawnSync("git", [...own, ...args], { cwd: folder, encoding: "utf8" }).stdout
}

/** A Git repository with these files, all of them committed. */
export function createProject(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-move-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  git(folder, "init", "--quiet")
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
