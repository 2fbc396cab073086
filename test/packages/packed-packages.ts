import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

// Packs the packages and installs them in a project, as npm does.

export interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** The path of the tarball, by package. */
export type Tarballs = ReadonlyMap<string, string>

export const root: string = join(import.meta.dirname, "..", "..")
export const tsc: string = join(root, "node_modules", "typescript-native", "bin", "tsc")

export function createHome(): string {
  return mkdtempSync(join(tmpdir(), "latchkey-consumer-"))
}

export function readManifest(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"))
}

function run(command: string, args: readonly string[], cwd: string = root): string {
  const done = spawnSync(command, args, { cwd, encoding: "utf8" })
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(" ")}\n${done.stdout}${done.stderr}${done.error ?? ""}`)
  return done.stdout
}

/** Builds and packs packages. */
export function pack(names: readonly string[], home: string): Tarballs {
  run(process.execPath, [tsc, "-b", ...names.map((name) => `packages/${name}`)])
  if (names.includes("core")) run(process.execPath, [join(root, "scripts", "bundle-core.mjs")])
  const workspaces = names.flatMap((name) => ["-w", `packages/${name}`])
  const output = run("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", home, ...workspaces])
  const packed = Object.values<{ readonly name: string; readonly filename: string }>(JSON.parse(output))
  return new Map(packed.map(({ name, filename }) => [name.slice("@latchkey/".length), join(home, filename)]))
}

/** Creates a project with the packages and their dependencies, and on request with their optional peers. */
export function createProject(project: string, tarballs: Tarballs, withOptional = false): void {
  for (const [name, tarball] of tarballs) {
    const folder = join(project, "node_modules", "@latchkey", name)
    mkdirSync(folder, { recursive: true })
    run("tar", ["-xzf", tarball, "--strip-components=1", "-C", folder])
    linkNeeds(project, readManifest(name), withOptional)
  }
  link(project, "@types/node")
  writeFileSync(join(project, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }\n')
}

/** Links a third-party package into the project, if it is installed here. */
export function link(project: string, name: string): void {
  const source = join(root, "node_modules", name)
  const target = join(project, "node_modules", name)
  if (!existsSync(source) || existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(source, target, "junction")
}

function linkNeeds(project: string, manifest: Manifest, withOptional: boolean): void {
  const isWanted = (peer: string) => withOptional || manifest.peerDependenciesMeta?.[peer]?.optional !== true
  const peers = Object.keys(manifest.peerDependencies ?? {}).filter(isWanted)
  for (const name of [...Object.keys(manifest.dependencies ?? {}), ...peers]) {
    if (name.startsWith("@latchkey/")) continue
    link(project, name)
    link(project, `@types/${name}`)
  }
}
