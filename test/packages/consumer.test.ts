import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { basename, dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createHome, createProject, pack, readManifest, root, tsc } from "./packed-packages.js"

// The packed packages, installed in a project and imported by name.

/** They need a framework, a generated client or a test runner, and are tested by the examples or by test/compat/. */
const notPlain = new Set(
  "astro cli drizzle-adapter next nuxt prisma-adapter qwik solid-start sveltekit testkit".split(" "),
)
const packages = globSync("packages/*/package.json", { cwd: root })
  .map((manifest) => basename(dirname(manifest)))
  .filter((name) => !notPlain.has(name) && !readManifest(name).private)
  .sort()
const home = createHome()
/** With the required dependencies only. */
const plain = join(home, "plain")
/** With the optional peers too. */
const full = join(home, "full")

/** Every specifier of the package, with patterns expanded. */
function findSpecifiers(name: string): string[] {
  const manifest = readManifest(name)
  return Object.entries(manifest.exports)
    .filter(([subpath, target]) => subpath !== "./package.json" && target !== null)
    .flatMap(([subpath, target]) => {
      if (!subpath.includes("*")) return [subpath]
      const pattern = Object(target).types
      const files = globSync(pattern, { cwd: join(plain, "node_modules", manifest.name) })
      const names = files.map((file) => basename(file, ".d.ts")).filter((name) => name !== "index")
      return names.sort().map((name) => subpath.replace("*", name))
    })
    .map((subpath) => join(manifest.name, subpath))
}

/** Imports every specifier in a new process and returns the names of its exports. Fails on a warning. */
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

/** The function declarations of a bundled file, and the source lines that its map names for them. */
function listFunctions(file: string): readonly { readonly name: string; readonly source: string }[] {
  if (!existsSync(`${file}.map`)) return [] // It only re-exports.
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")))
  const lines = readFileSync(file, "utf8").split("\n")
  return lines.flatMap((text, line) => {
    // The bundler adds a suffix to names that two sources have.
    const [, name] = /^\s*(?:async )?function (\w+?)(?:\$\d+)?\(/.exec(text) ?? []
    if (name === undefined) return []
    const entry = map.findEntry(line, text.search(/\S/))
    if (!("originalSource" in entry)) return [{ name, source: "" }]
    const sources = readFileSync(join(dirname(file), entry.originalSource), "utf8").split("\n")
    return [{ name, source: sources[entry.originalLine] ?? "" }]
  })
}

type CompilerOptions = Readonly<Record<string, unknown>>

function compile(source: string, options: CompilerOptions, flags: readonly string[] = []): string {
  copyFileSync(join(root, "test", "packages", "consumer", source), join(plain, source))
  const config = { compilerOptions: { ...options, strict: true, skipLibCheck: false, noEmit: true }, files: [source] }
  writeFileSync(join(plain, "tsconfig.json"), JSON.stringify(config))
  const args = [tsc, "-p", plain, "--pretty", "false", ...flags]
  return spawnSync(process.execPath, args, { encoding: "utf8" }).stdout
}

/** The type instantiations of the compiler, libraries included. */
function countInstantiations(source: string, options: CompilerOptions): number {
  const output = compile(source, options, ["--extendedDiagnostics"])
  expect(output).not.toContain("error TS")
  return Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1])
}

beforeAll(() => {
  const tarballs = pack(packages, home)
  createProject(plain, tarballs)
  createProject(full, tarballs, true)
}, 120_000)

afterAll(() => rmSync(home, { recursive: true, force: true }), 60_000)

describe("the packed packages", () => {
  it("contain the build and the sources, and no tests", () => {
    const held = globSync("node_modules/@latchkey/**/*", { cwd: plain })
    expect(held.filter((path) => /\.test(-d)?\.|tsbuildinfo|\.tgz$/.test(path))).toEqual([])
    for (const name of packages) {
      // A package of subpaths alone has no main entry.
      const subpath = Object.keys(readManifest(name).exports).find((path) => path !== "./package.json")
      const entry = subpath === "." || subpath === undefined ? "index" : subpath.slice(2)
      expect(held).toContain(join("node_modules", "@latchkey", name, "dist", `${entry}.d.ts`))
    }
    expect(held).toContain(join("node_modules", "@latchkey", "client", "dist", "webauthn", "index.js"))
  })

  it('begin the React package with "use client"', () => {
    const file = join(plain, "node_modules", "@latchkey", "react", "dist", "index.js")
    expect(readFileSync(file, "utf8")).toMatch(/^"use client"/)
  })

  it("contain the generated passkey script", () => {
    const bundle = join(plain, "node_modules", "@latchkey", "core", "dist", "bundle")
    expect(readFileSync(join(bundle, "pages", "generated", "webauthn-script.js"), "utf8")).toContain("data-passkey")
  })

  it("load core from few files, with maps to the published sources", () => {
    const core = join(plain, "node_modules", "@latchkey", "core")
    expect(globSync("dist/**/*.js", { cwd: core, exclude: ["dist/bundle/**"] })).toEqual([])
    const maps = globSync("dist/bundle/**/*.js.map", { cwd: core })
    expect(maps.length).toBeGreaterThan(100)
    for (const map of maps) {
      const { sources } = JSON.parse(readFileSync(join(core, map), "utf8")) as { sources: string[] }
      const missing = sources.filter((source) => !existsSync(join(core, dirname(map), source)))
      expect(missing).toEqual([])
    }
  })

  it("map each function of core to its line in the sources", () => {
    const core = join(plain, "node_modules", "@latchkey", "core")
    const functions = globSync("dist/bundle/**/*.js", { cwd: core }).flatMap((file) => listFunctions(join(core, file)))
    expect(functions.length).toBeGreaterThan(1000)
    expect(functions.filter(({ name, source }) => !source.includes(`function ${name}`))).toEqual([])
  })

  it.each(["import", "require"] as const)("load every subpath with %s(), without a warning", (kind) => {
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

describe("a browser project", () => {
  it.each(["client", "react", "vue", "svelte"])("installs no server package with %s", (name) => {
    const ownDependencies = (own: string): readonly string[] =>
      Object.keys(readManifest(own).dependencies ?? {})
        .filter((dependency) => dependency.startsWith("@latchkey/"))
        .map((dependency) => dependency.slice("@latchkey/".length))
    const installed = new Set([name])
    for (const one of installed) for (const dependency of ownDependencies(one)) installed.add(dependency)
    expect([...installed].filter((one) => !["client", "types", name].includes(one))).toEqual([])
  })
})

describe("the type check of an app, libraries included", () => {
  const server = { target: "es2023", lib: ["es2023"], types: ["node"] }
  const edge = { target: "es2023", lib: ["es2023", "dom", "dom.iterable"], types: [] }
  const bundler = { module: "esnext", moduleResolution: "bundler" }

  it("passes under nodenext on Node", () => {
    expect(compile("server.ts", { ...server, module: "nodenext" })).toBe("")
  })

  it("passes under bundler on Node", () => {
    expect(compile("server.ts", { ...server, ...bundler })).toBe("")
  })

  it("passes under bundler without the types of Node, for core and Hono", () => {
    expect(compile("edge.ts", { ...edge, ...bundler })).toBe("")
  })

  it("passes under bundler in a browser, for client, React, Vue and Svelte", () => {
    expect(compile("browser.ts", { ...edge, ...bundler })).toBe("")
  })

  it("passes with fields added to session, user and token by augmentation and by a type parameter", () => {
    expect(compile("augmented.ts", { ...server, lib: ["es2023", "dom", "dom.iterable"], module: "nodenext" })).toBe("")
  })

  it("passes where a host adds required fields by the name of the types package", () => {
    const options = { ...server, lib: ["es2023", "dom", "dom.iterable"], module: "nodenext" }
    expect(compile("augmented-by-types.ts", options)).toBe("")
  })

  it("passes with the fields of an adapter in callbacks, and what they show in sessions and hooks", () => {
    expect(compile("inferred.ts", { ...server, lib: ["es2023", "dom", "dom.iterable"], module: "nodenext" })).toBe("")
  })

  it.each([
    ["nodenext", { ...server, module: "nodenext" }],
    ["bundler", { ...edge, ...bundler }],
    // Nearly all of it is the check of our own declarations: with `skipLibCheck`, it costs 1,140.
  ])("costs fewer than 4700 instantiations with three providers, under %s", (_, options) => {
    const nothing = countInstantiations("nothing.ts", options)
    const three = countInstantiations("three-providers.ts", options)
    expect(three).toBeGreaterThan(0)
    expect(three - nothing).toBeLessThan(4700)
  })

  it("reports a type error", () => {
    writeFileSync(join(plain, "wrong.ts"), 'import { Auth } from "@latchkey/core"\nexport const wrong: string = Auth\n')
    const config = {
      compilerOptions: { ...server, module: "nodenext", strict: true, noEmit: true },
      files: ["wrong.ts"],
    }
    writeFileSync(join(plain, "tsconfig.json"), JSON.stringify(config))
    expect(spawnSync(process.execPath, [tsc, "-p", plain], { encoding: "utf8" }).stdout).toContain("TS2322")
  })
})
