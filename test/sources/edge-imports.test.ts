import { globSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { basename, join } from "node:path"
import { build, type Metafile } from "esbuild"
import { beforeAll, describe, expect, it } from "vitest"

// Every entry of a package may end in a bundle for an edge runtime, unless it is listed here with what it needs of Node. Code
// of an entry that the app does not use counts: during development bundlers keep it.

/** The modules of Node that entries import. They cannot run at the edge. */
const needsNode: Readonly<Record<string, readonly string[]>> = {
  // Listens on a port of the user's machine.
  "@latchkey/client/loopback": ["node:http"],
  "@latchkey/kysely-adapter/sqlite": ["node:fs", "node:path", "node:sqlite"],
  // The module that Nuxt runs while it builds an app.
  "@latchkey/nuxt": ["node:url"],
  // Its clients need sockets.
  "@latchkey/redis-adapter": ["node:crypto", "node:timers/promises"],
}

const hashing = ["node:crypto", "node:fs/promises", "node:module", "node:os"]
const compression = ["node:zlib"]

/** The modules of Node that entries use where `process.getBuiltinModule` has them, and do without elsewhere. */
const usesIfThere: Readonly<Record<string, readonly string[]>> = {
  "@latchkey/core/passwords": hashing,
  "@latchkey/core/providers/passwords": hashing,
  "@latchkey/core/second-factors": hashing,
  "@latchkey/node": compression,
  "@latchkey/express": compression,
  "@latchkey/fastify": compression,
  "@latchkey/koa": compression,
  "@latchkey/nestjs": compression,
  "@latchkey/next": compression,
  "@latchkey/next/v4": compression,
  "@latchkey/nuxt/config": compression,
  "@latchkey/nuxt/middleware": compression,
  "@latchkey/nuxt/nitro-plugin": compression,
  "@latchkey/nuxt/server": compression,
}

/** The conditions of package.json that bundlers for the edge resolve. */
const runtimes: Readonly<Record<string, readonly string[]>> = {
  "Next.js and Vercel": ["edge-light", "worker", "browser"],
  "Cloudflare Workers": ["workerd", "worker", "browser"],
}

/** They run in a terminal and in tests. */
const outOfServers = new Set(["cli", "testkit"])
const root = join(import.meta.dirname, "..", "..")

/** The source file of each specifier, with patterns expanded. */
function findEntries(): ReadonlyMap<string, string> {
  const entries = new Map<string, string>()
  for (const folder of globSync("packages/*", { cwd: root }).sort()) {
    if (outOfServers.has(basename(folder))) continue
    const manifest = readFileSync(join(root, folder, "package.json"), "utf8")
    const { name, exports } = JSON.parse(manifest) as { name: string; exports: Record<string, Record<string, string>> }
    for (const [subpath, target] of Object.entries(exports)) {
      const source = target?.["@latchkey/source"] ?? ""
      for (const file of globSync(source, { cwd: join(root, folder), exclude: ["**/*.test.ts"] })) {
        const [start = "", end = ""] = source.replace("./", "").split("*")
        const matched = file.slice(start.length, file.length - end.length)
        entries.set(`${name}${subpath.slice(1).replace("*", matched)}`, join(folder, file))
      }
    }
  }
  return entries
}

/** What the entries import, file by file, without what the frameworks and the libraries import. */
async function bundle(entries: readonly string[], conditions: readonly string[]): Promise<Metafile["inputs"]> {
  const { metafile } = await build({
    stdin: { contents: entries.map((file) => `import("./${file}")`).join("\n"), resolveDir: root },
    bundle: true,
    treeShaking: false,
    platform: "neutral",
    format: "esm",
    conditions: ["@latchkey/source", ...conditions],
    absWorkingDir: root,
    metafile: true,
    write: false,
    logLevel: "silent",
    loader: { ".svelte": "empty" },
    external: ["#latchkey/*"],
    plugins: [{ name: "outside", setup: (all) => all.onResolve({ filter: /^[^.#/]/ }, leaveOutside) }],
  })
  return metafile.inputs
}

function leaveOutside({ path }: { readonly path: string }): { path: string; external: boolean } | undefined {
  return path.startsWith("@latchkey/") ? undefined : { path, external: true }
}

/** The entry and every file that it imports, directly or not. */
function reach(inputs: Metafile["inputs"], entry: string): ReadonlySet<string> {
  const found = new Set([entry])
  for (const file of found) {
    for (const { path, external } of inputs[file]?.imports ?? []) if (external !== true) found.add(path)
  }
  return found
}

const sortUnique = (names: readonly string[]): string[] => [...new Set(names)].sort()

function findImports(inputs: Metafile["inputs"], entry: string): readonly string[] {
  const imports = [...reach(inputs, entry)].flatMap((file) => inputs[file]?.imports ?? [])
  return sortUnique(imports.filter(({ external }) => external).map(({ path }) => path))
}

const lookUps = new Map<string, readonly string[]>()

/** The modules that a file passes to `getBuiltinModule`. */
function readLookUps(file: string): readonly string[] {
  const known = lookUps.get(file)
  if (known) return known
  const source = readFileSync(join(root, file), "utf8")
  const calls = [...source.matchAll(/getBuiltinModule\b[?.]*\(\s*(?:"([^"]+)")?/g)]
  const found = calls.map(([call, name]) => name ?? call)
  lookUps.set(file, found)
  return found
}

function findLookUps(inputs: Metafile["inputs"], entry: string): readonly string[] {
  return sortUnique([...reach(inputs, entry)].flatMap(readLookUps))
}

describe.each(Object.entries(runtimes))("entries in a bundle for %s", (_, conditions) => {
  const entries = findEntries()
  const names = [...entries.keys()]
  let inputs: Metafile["inputs"] = {}

  beforeAll(async () => {
    inputs = await bundle([...entries.values()], conditions)
  })

  /** What was found by entry, without the entries where nothing was. */
  const listAll = (find: typeof findImports): Readonly<Record<string, readonly string[]>> => {
    const found = names.map((name) => [name, find(inputs, entries.get(name) ?? "")] as const)
    return Object.fromEntries(found.filter(([, modules]) => modules.length > 0))
  }

  it("are found, with their files", () => {
    expect(names).toEqual(expect.arrayContaining(["@latchkey/next", "@latchkey/core/providers/github"]))
    expect([...entries.values()].filter((file) => inputs[file] === undefined)).toEqual([])
  })

  it("import no module of Node, besides those that are listed", () => {
    const all = (_: Metafile["inputs"], entry: string) => findImports(inputs, entry).filter((name) => isBuiltin(name))
    expect(listAll(all)).toEqual(needsNode)
  })

  it("look up no module of Node at run time, besides those that are listed", () => {
    expect(listAll(findLookUps)).toEqual(usesIfThere)
  })
})
