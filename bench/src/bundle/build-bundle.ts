import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { BuildResult, Metafile } from "esbuild"

export type BundleConditions = "edge" | "node"

/** Bytes after gzip. */
export interface BundleSizes {
  /** All that could ever be loaded, in one file. */
  readonly whole: number
  /** What is loaded before the first request. */
  readonly eager: number
  /** What is loaded when a request first needs it. */
  readonly lazy: Readonly<Record<LazyPart, number>>
}

export const lazyParts = ["pages", "oauth", "mail", "passkeys", "other"] as const
export type LazyPart = (typeof lazyParts)[number]

/** Which part an entry that is loaded lazily belongs to, by the first pattern that fits its path. */
const partPatterns: readonly (readonly [LazyPart, RegExp])[] = [
  ["passkeys", /webauthn|passkey/i],
  ["pages", /\/pages\//],
  ["mail", /\/mail\/|email|nodemailer/i],
  ["oauth", /oauth/i],
]

/** Optional parts that the host installs, loaded only when used. */
const external = ["node:*", "nodemailer", "@simplewebauthn/*", "rate-limiter-flexible"]
const bench = join(import.meta.dirname, "..", "..")

/** Minified for production by esbuild, once as one file and once with what is imported lazily in files of its own. */
export async function buildBundle(entry: string, conditions: BundleConditions): Promise<BundleSizes> {
  const [whole] = (await bundle(entry, conditions, false)).outputFiles
  const { outputFiles, metafile } = await bundle(entry, conditions, true)
  const parts = findParts(metafile.outputs)
  const partOf = (path: string) => {
    const output = Object.keys(metafile.outputs).find((each) => path.endsWith(each)) ?? ""
    return parts.get(output) ?? "other"
  }
  const sizeOf = (part: LazyPart | "eager") =>
    gzipped(Buffer.concat(outputFiles.filter(({ path }) => partOf(path) === part).map(({ contents }) => contents)))
  return {
    whole: whole ? gzipped(whole.contents) : Number.NaN,
    eager: sizeOf("eager"),
    lazy: {
      pages: sizeOf("pages"),
      oauth: sizeOf("oauth"),
      mail: sizeOf("mail"),
      passkeys: sizeOf("passkeys"),
      other: sizeOf("other"),
    },
  }
}

type Bundled = BuildResult<{ write: false; metafile: true }>

async function bundle(entry: string, conditions: BundleConditions, splitting: boolean): Promise<Bundled> {
  // Loaded here alone: the targets' processes read this module too.
  const { build } = await import("esbuild")
  return build({
    stdin: { contents: entry, resolveDir: bench },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2023",
    platform: conditions === "node" ? "node" : "browser",
    conditions: conditions === "node" ? ["node"] : ["edge-light", "worker"],
    define: { "process.env.NODE_ENV": `"production"` },
    external,
    splitting,
    outdir: "out",
    metafile: true,
    write: false,
    logLevel: "error",
  })
}

function gzipped(contents: Uint8Array): number {
  return gzipSync(contents, { level: 9 }).length
}

type Outputs = Metafile["outputs"]

/** Which part each file belongs to: that of the one lazy entry that imports it. Shared ones are `other`. */
function findParts(outputs: Outputs): ReadonlyMap<string, LazyPart | "eager"> {
  const parts = new Map<string, LazyPart | "eager">()
  const entries = Object.entries(outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint ? [{ path, entryPoint }] : [],
  )
  for (const { path, entryPoint } of entries) {
    const part = entryPoint === "<stdin>" ? "eager" : findPart(entryPoint)
    for (const file of findImported(outputs, path)) parts.set(file, combine(parts.get(file), part))
  }
  return parts
}

/** What is needed eagerly is eager; what two parts need belongs to neither. */
function combine(known: LazyPart | "eager" | undefined, part: LazyPart | "eager"): LazyPart | "eager" {
  if (known === undefined || known === part) return part
  return known === "eager" || part === "eager" ? "eager" : "other"
}

function findPart(entryPoint: string): LazyPart {
  const [part] = partPatterns.find(([, pattern]) => pattern.test(entryPoint)) ?? (["other"] as const)
  return part
}

/** A file and all that it imports statically. */
function findImported(outputs: Outputs, start: string): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (path: string) => {
    if (found.has(path)) return
    found.add(path)
    const imports = outputs[path]?.imports ?? []
    for (const each of imports) if (each.kind === "import-statement" && !each.external) visit(each.path)
  }
  visit(start)
  return found
}
