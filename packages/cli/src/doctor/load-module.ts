import { existsSync, readdirSync } from "node:fs"
import module from "node:module"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { AuthConfig } from "@latchkey/core/types"
import { createJiti } from "jiti"
import { readText } from "./app-files.js"

type Names = Readonly<Record<string, unknown>>

/** A function that may be called, read and awaited without doing anything. */
export const nothing: () => unknown = new Proxy(() => undefined, {
  get: (target, name) => (name in target ? Reflect.get(target, name) : name === "then" ? undefined : nothing),
})

/** A module that has any name. */
const anything = (own: Names = {}): Names =>
  new Proxy(own, {
    has: () => true,
    get: (target, name) => {
      if (typeof name === "string" && Object.hasOwn(target, name)) return target[name]
      return name === "then" || name === "__esModule" || typeof name === "symbol" ? undefined : nothing
    },
  })

const nextModule = /^next\/(?:headers|navigation|cache|server)(?:\.js)?$/

/** Modules that only a framework's build or server has. */
const stubs: readonly (readonly [RegExp, () => Names])[] = [
  [/^(?:server-only|client-only)$/, () => ({})],
  [nextModule, () => anything({ NextResponse: Response, NextRequest: Request })],
  // The configuration is not rendered, so its JSX does not matter.
  [/^(?:react|preact|hono)\/jsx(?:-dev)?-runtime$/, () => anything()],
  [/^\$env\/dynamic\/(?:private|public)$/, () => anything({ env: process.env })],
  [/^\$env\/static\/(?:private|public)$/, () => anything(process.env)],
  [/^\$app\/environment$/, () => anything({ browser: false, building: false, dev: false, version: "" })],
  [/^\$app\/paths$/, () => anything({ base: "", assets: "" })],
  [/^\$app\//, () => anything()],
  [/^(?:astro|virtual):/, () => anything(process.env)],
  [
    /^#(?:imports|app|build)(?:\/|$)/,
    () => anything({ useRuntimeConfig: () => anything(), defineEventHandler: nothing }),
  ],
  [/^@builder\.io\/qwik(?:-city)?(?:\/|$)/, () => anything({ isServer: true })],
  // Its build replaces the call: outside of it, the configuration would never be read.
  [/^@latchkey\/qwik$/, () => anything({ QwikAuth$: hand, QwikAuthQrl: hand })],
]

/** What packages import from Next.js natively, where a name has to be declared. */
const nextNames =
  "cookies headers draftMode connection after redirect permanentRedirect notFound forbidden unauthorized revalidatePath revalidateTag unstable_cache userAgent"

/** The same stubs for packages that Node loads by itself. Not every runtime has such hooks. */
function stubNextNatively(): void {
  const declared = nextNames.split(" ").map((name) => `export const ${name} = () => undefined`)
  const own = ["export const NextResponse = Response", "export const NextRequest = Request"]
  const url = `data:text/javascript,${encodeURIComponent([...declared, ...own].join("\n"))}`
  const hooks: Partial<Pick<typeof module, "registerHooks">> = module
  hooks.registerHooks?.({
    resolve: (specifier, context, next) =>
      nextModule.test(specifier) ? { url, shortCircuit: true } : next(specifier, context),
  })
}

/** Hands a configuration over, as `warnAtStart` of the other integrations does. */
function hand(source: unknown): Names {
  const take: unknown = Reflect.get(globalThis, handOver)
  if (typeof take === "function") take(source)
  return {}
}

/** The stubs by name, as a table that jiti asks for each import. */
function virtualModules(): Record<string, unknown> {
  const made = new Map<string, Names | undefined>()
  const find = (name: string | symbol) => {
    if (typeof name === "symbol") return undefined
    if (!made.has(name)) made.set(name, stubs.find(([pattern]) => pattern.test(name))?.[1]())
    return made.get(name)
  }
  return new Proxy({}, { has: (_, name) => find(name) !== undefined, get: (_, name) => find(name) })
}

/**
 * Loads a file of an app outside of its framework: TypeScript, JSX, aliases, and stubs for modules that only a build has.
 * @returns its exports
 */
async function loadModule(file: string): Promise<Names> {
  stubNextNatively()
  const jiti = createJiti(pathToFileURL(file).href, {
    fsCache: false,
    moduleCache: true,
    interopDefault: true,
    jsx: { runtime: "automatic" },
    alias: readAliases(file),
    virtualModules: virtualModules(),
  })
  return await jiti.import<Names>(file)
}

/** What `warnAtStart` of an integration hands its configuration to instead of warning. */
const handOver = Symbol.for("latchkey.doctor")

const names = ["default", "config", "authConfig", "authOptions", "options"] as const

/**
 * Loads the configuration of an app: an object that the file exports, what an integration was called with, or what an exported
 * function returns for a request.
 */
export async function loadConfiguration(file: string, request: Request): Promise<AuthConfig> {
  /** What `warnAtStart` of an integration was called with. */
  const handed: unknown[] = []
  Reflect.set(globalThis, handOver, (source: unknown) => handed.push(source))
  const exported = await loadModule(file).finally(() => Reflect.deleteProperty(globalThis, handOver))
  const values = await Promise.all(names.map((name) => exported[name]))
  const functions = [...handed, ...values].filter((value) => typeof value === "function")
  const found = values.find(isConfiguration) ?? handed.findLast(isConfiguration)
  if (found) return found
  for (const make of functions) {
    const made: unknown = await make(request)
    if (isConfiguration(made)) return made
  }
  throw new Error(
    `No configuration was found. Export it as ${names.join(", ")}, or name the file that calls the integration`,
  )
}

function isConfiguration(value: unknown): value is AuthConfig {
  return typeof value === "object" && value !== null && "providers" in value
}

/** Aliases by `paths` and `baseUrl` of the tsconfig.json above the file, and those that frameworks have without. */
export function readAliases(file: string): Record<string, string> {
  const found = findTsconfig(dirname(file))
  if (!found) return {}
  const aliases: Record<string, string> = {}
  for (const [pattern, targets] of Object.entries(found.paths)) {
    const [target] = targets.filter((each) => existsSync(each.split("*", 1)[0] ?? "")).concat(targets)
    if (target === undefined || pattern === "*") continue
    aliases[pattern.replace(/\/?\*$/, "")] = target.replace(/\/?\*$/, "")
  }
  for (const name of found.baseUrl === undefined ? [] : listNames(found.baseUrl))
    aliases[name] ??= join(found.baseUrl ?? "", name)
  const lib = join(found.folder, "src", "lib")
  if (existsSync(lib)) aliases["$lib"] ??= lib
  return aliases
}

function listNames(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { withFileTypes: true })
    return names
      .filter((entry) => entry.isDirectory() && /^[a-z]/i.test(entry.name) && entry.name !== "node_modules")
      .map(({ name }) => name)
  } catch {
    return [] // `baseUrl` may name a folder that a build makes.
  }
}

interface Tsconfig {
  readonly folder: string
  readonly baseUrl?: string
  /** Absolute targets by pattern. */
  readonly paths: Readonly<Record<string, readonly string[]>>
}

function findTsconfig(start: string): Tsconfig | null {
  for (let folder = start; ; folder = dirname(folder)) {
    for (const name of ["tsconfig.json", "jsconfig.json"]) {
      const path = join(folder, name)
      if (existsSync(path)) return readTsconfig(path, 0)
    }
    if (folder === dirname(folder)) return null
  }
}

/** Lenient: the file in `extends` may be generated by a build. */
function readTsconfig(path: string, depth: number): Tsconfig {
  const folder = dirname(path)
  const { compilerOptions, extends: bases }: Names = parseJsonc(readText(path) ?? "")
  const inherited = [bases].flat().flatMap((base) => {
    if (typeof base !== "string" || !base.startsWith(".") || depth > 5) return []
    const from = resolve(folder, base)
    return [readTsconfig(existsSync(from) ? from : `${from}.json`, depth + 1)]
  })
  const { baseUrl, paths }: Names = Object(compilerOptions)
  const base = typeof baseUrl === "string" ? resolve(folder, baseUrl) : undefined
  const own = Object.entries(Object(paths)).map(([pattern, targets]): [string, readonly string[]] => [
    pattern,
    [targets].flat().flatMap((target) => (typeof target === "string" ? [resolve(base ?? folder, target)] : [])),
  ])
  const [parent] = inherited.toReversed()
  const chosen = base ?? parent?.baseUrl
  return {
    folder,
    ...(chosen !== undefined && { baseUrl: chosen }),
    paths: paths === undefined ? (parent?.paths ?? {}) : Object.fromEntries(own),
  }
}

/** JSON with comments and trailing commas. Empty if it cannot be read. */
function parseJsonc(text: string): Names {
  const plain = text
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, string: string | undefined) => string ?? "")
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string: string | undefined) => string ?? "")
  try {
    return Object(JSON.parse(plain))
  } catch {
    return {}
  }
}
