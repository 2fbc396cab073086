import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const modules = join(import.meta.dirname, "node_modules")

export const system = `${process.platform}-${process.arch}`

/** The version of an installed package, or null. */
export function readVersion(name: string): string | null {
  const manifest = join(modules, name, "package.json")
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).version : null
}

/** The package with the program, which the launcher of an npm package would find. */
export function findPlatformPackage(scope: string): string {
  const found = existsSync(join(modules, scope)) ? readdirSync(join(modules, scope)) : []
  const fitting = found.find((name) => name.includes(process.platform) && /x64|arm64|aarch64/.test(name))
  return join(scope, fitting ?? "missing")
}

export function nodeProgram(release: "20" | "22" | "26"): string {
  return join(modules, `node-${release}-${system}`, "bin", "node")
}

export const bunProgram: string = join(modules, findPlatformPackage("@oven"), "bin", "bun")

export const denoProgram: string = join(modules, findPlatformPackage("@deno"), "deno")
export const denoFlags: readonly string[] = [
  ...["run", "--no-prompt", "--cached-only", "--no-check"],
  ...["--allow-net", "--allow-env", "--allow-read"],
]
