import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

// The packages as a host gets them: packed, unpacked into a project of its own, and imported by name.

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const root = join(import.meta.dirname, "..")
const tsc = join(root, "node_modules", "typescript-native", "bin", "tsc")
const packages = ["core", "client", "node", "express", "kysely-adapter", "redis-adapter", "unstorage-adapter"] as const
const home = mkdtempSync(join(tmpdir(), "latchkey-consumer-"))
/** Has what the packages demand and nothing optional. */
const plain = join(home, "plain")
/** Has the optional peers too. */
const full = join(home, "full")

const readManifest = (name: string): Manifest =>
  JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"))

function run(command: string, args: readonly string[], cwd = root): string {
  const done = spawnSync(command, args, { cwd, encoding: "utf8" })
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(" ")}\n${done.stdout}${done.stderr}${done.error ?? ""}`)
  return done.stdout
}

function pack(name: string): string {
  const [tarball] = JSON.parse(
    run("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", home], join(root, "packages", name)),
  )
  return join(home, tarball.filename)
}

function link(project: string, name: string): void {
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

function createProject(project: string, tarballs: readonly string[], withOptional: boolean): void {
  for (const [index, name] of packages.entries()) {
    const folder = join(project, "node_modules", "@latchkey", name)
    mkdirSync(folder, { recursive: true })
    run("tar", ["-xzf", tarballs[index] ?? "", "--strip-components=1", "-C", folder])
    linkNeeds(project, readManifest(name), withOptional)
  }
  link(project, "@types/node")
  writeFileSync(join(project, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }\n')
}

/** Every name under which the package can be imported, patterns spelled out. */
function findSpecifiers(name: string): string[] {
  const manifest = readManifest(name)
  return Object.keys(manifest.exports)
    .filter((subpath) => subpath !== "./package.json")
    .flatMap((subpath) => {
      if (!subpath.includes("*")) return [subpath]
      const folder = join(plain, "node_modules", manifest.name, "dist")
      const files = globSync(`${subpath.slice(2)}.js`, { cwd: folder }).filter((file) => !file.endsWith("index.js"))
      return files.sort().map((file) => `./${file.replace(/\.js$/, "")}`)
    })
    .map((subpath) => join(manifest.name, subpath))
}

/** Imports every subpath in a process of its own and returns the names that each exports. A warning fails. */
function importAll(kind: "import" | "require", specifiers: readonly string[]): Record<string, string[]> {
  const load = kind === "import" ? "await import(name)" : "require(name)"
  const file = join(full, kind === "import" ? "load.mjs" : "load.cjs")
  const body = `const seen = {}
    for (const name of ${JSON.stringify(specifiers)}) seen[name] = Object.keys(${load})
    process.stdout.write(JSON.stringify(seen))`
  writeFileSync(file, `(async () => { ${body} })()`)
  const done = spawnSync(process.execPath, [file], { cwd: full, encoding: "utf8" })
  expect(done.stderr).toBe("")
  return JSON.parse(done.stdout)
}

function typeCheck(project: string, source: string, options: Readonly<Record<string, unknown>>): string {
  copyFileSync(join(root, "test", "consumer", source), join(project, source))
  const config = { compilerOptions: { ...options, strict: true, skipLibCheck: false, noEmit: true }, files: [source] }
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config))
  return spawnSync(process.execPath, [tsc, "-p", project, "--pretty", "false"], { encoding: "utf8" }).stdout
}

beforeAll(() => {
  run(process.execPath, [tsc, "-b", ...packages.map((name) => `packages/${name}`)])
  const tarballs = packages.map(pack)
  createProject(plain, tarballs, false)
  createProject(full, tarballs, true)
}, 120_000)

afterAll(() => rmSync(home, { recursive: true, force: true }))

describe("the packed packages", () => {
  it("hold what was built and its sources, and no test", () => {
    const held = globSync("node_modules/@latchkey/**/*", { cwd: plain })
    expect(held.filter((path) => /\.test(-d)?\.|tsbuildinfo|\.tgz$/.test(path))).toEqual([])
    const face = (name: string) => (name === "client" ? join("webauthn", "index.js") : "index.js")
    for (const name of packages) expect(held).toContain(join("node_modules", "@latchkey", name, "dist", face(name)))
  })

  it("hold the script that the service answers with, which is made before they are built", () => {
    const file = join(plain, "node_modules", "@latchkey", "core", "dist", "pages", "generated", "webauthn-script.js")
    expect(readFileSync(file, "utf8")).toContain("data-passkey")
  })

  it.each(["import", "require"] as const)("answer %s() of every subpath, without a warning", (kind) => {
    const specifiers = packages.flatMap(findSpecifiers)
    const seen = importAll(kind, specifiers)
    expect(Object.keys(seen)).toEqual(specifiers)
    expect(seen["@latchkey/core"]).toEqual(
      expect.arrayContaining([
        "Auth",
        "raw",
        "skipCSRFCheck",
        "customFetch",
        "createActionURL",
        "isAuthAction",
        "setEnvDefaults",
      ]),
    )
    expect(seen["@latchkey/core/jwt"]).toEqual(expect.arrayContaining(["encode", "decode", "getToken"]))
    const providers = specifiers.filter((name) => name.startsWith("@latchkey/core/providers/"))
    expect(providers).toContain("@latchkey/core/providers/github")
    expect(providers.filter((name) => !seen[name]?.includes("default"))).toEqual([])
  })
})

describe("a host's type check, libraries included", () => {
  const server = { target: "es2023", lib: ["es2023"], types: ["node"] }
  const edge = { target: "es2023", lib: ["es2023", "dom", "dom.iterable"], types: [] }
  const bundler = { module: "esnext", moduleResolution: "bundler" }

  it("passes under nodenext on Node", () => {
    expect(typeCheck(plain, "server.ts", { ...server, module: "nodenext" })).toBe("")
  })

  it("passes under bundler on Node", () => {
    expect(typeCheck(plain, "server.ts", { ...server, ...bundler })).toBe("")
  })

  it("passes under bundler without Node's types, for core", () => {
    expect(typeCheck(plain, "edge.ts", { ...edge, ...bundler })).toBe("")
  })

  it("passes under bundler in a browser, for client", () => {
    expect(typeCheck(plain, "browser.ts", { ...edge, ...bundler })).toBe("")
  })

  it("finds a mistake, so that its silence means something", () => {
    writeFileSync(join(plain, "wrong.ts"), 'import { Auth } from "@latchkey/core"\nexport const wrong: string = Auth\n')
    const config = {
      compilerOptions: { ...server, module: "nodenext", strict: true, noEmit: true },
      files: ["wrong.ts"],
    }
    writeFileSync(join(plain, "tsconfig.json"), JSON.stringify(config))
    expect(spawnSync(process.execPath, [tsc, "-p", plain], { encoding: "utf8" }).stdout).toContain("TS2322")
  })
})
