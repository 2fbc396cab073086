import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { BuildResult, Metafile } from "esbuild"
import { atMost, type Report, type Verdict } from "../speed/report/report.ts"
import type { Measurement } from "../speed/scenario.ts"

const contract = (library: string) => `
  import { Auth } from "${library}"
  import GitHub from "${library}/providers/github"
  export default (request) => Auth(request, { providers: [GitHub] })`

/** A host with one provider; iron-session has no providers. */
const entries = {
  latchkey: contract("@latchkey/core"),
  "auth-core": contract("@auth/core"),
  "better-auth": `
    import { betterAuth } from "better-auth"
    export default betterAuth({ socialProviders: { github: { clientId: "a", clientSecret: "b" } } }).handler`,
  "iron-session": `export { getIronSession } from "iron-session"`,
} as const

/** Bundles for Node are split, so that an app loads the rest on demand. Those of workers are one file, which is loaded whole. */
const goals = {
  node: { part: "eager", bytes: 28_000, text: "under 28 kB loaded before the first request, node" },
  edge: { part: "whole", bytes: 72_000, text: "under 72 kB in one file, edge" },
} as const

export const bundle: Measurement = {
  kind: "measurement",
  id: "bundle",
  title: "Bundle with one provider, minified and gzipped",
  async measure() {
    const sizes = []
    for (const conditions of ["edge", "node"] as const) {
      for (const [name, entry] of Object.entries(entries)) {
        sizes.push({ name, conditions, sizes: await measureBundle(entry, conditions) })
      }
    }
    return toReport(sizes)
  },
}

type Conditions = "edge" | "node"

/** Bytes after gzip. */
interface BundleSizes {
  /** Everything that could ever be loaded, in one file. */
  readonly whole: number
  /** Loaded before the first request. */
  readonly eager: number
  /** Loaded when a request first needs it. */
  readonly lazy: Readonly<Record<LazyPart, number>>
}

const lazyParts = ["pages", "oauth", "mail", "passkeys", "other"] as const
type LazyPart = (typeof lazyParts)[number]

interface MeasuredBundle {
  readonly name: string
  readonly conditions: Conditions
  readonly sizes: BundleSizes
}

function toReport(bundles: readonly MeasuredBundle[]): Report {
  return {
    id: bundle.id,
    title: bundle.title,
    columns: ["kB", "whole, in one file", "eager", ...lazyParts.map((part) => `lazy: ${part}`)],
    rows: bundles.map(({ name, conditions, sizes }) => [
      `${name}, ${conditions}`,
      ...[sizes.whole, sizes.eager, ...lazyParts.map((part) => sizes.lazy[part])].map(toKilobytes),
    ]),
    verdicts: bundles.filter(({ name }) => name === "latchkey").map(toVerdict),
    notes: [
      "Whole: everything that could ever be loaded, in one file. Eager: loaded before the first request. Lazy: by purpose, with the files of a part compressed together; other is shared by several parts, or credentials.",
      "nodemailer and @simplewebauthn are installed by the host and not counted. iron-session has sessions only, no sign-in.",
    ],
  }
}

function toVerdict({ conditions, sizes }: MeasuredBundle): Verdict {
  const { part, bytes, text } = goals[conditions]
  return atMost(bytes, sizes[part], { goal: text, measured: `${toKilobytes(sizes[part])} kB` })
}

function toKilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1)
}

/** Bundles the entry twice: as one file, and with lazy imports in separate files. */
async function measureBundle(entry: string, conditions: Conditions): Promise<BundleSizes> {
  const [whole] = (await build(entry, conditions, false)).outputFiles
  const { outputFiles, metafile } = await build(entry, conditions, true)
  const parts = findParts(metafile.outputs)
  const partOf = (path: string) => {
    const output = Object.keys(metafile.outputs).find((each) => path.endsWith(each)) ?? ""
    return parts.get(output) ?? "other"
  }
  const sizeOf = (part: LazyPart | "eager") =>
    gzippedSize(Buffer.concat(outputFiles.filter(({ path }) => partOf(path) === part).map(({ contents }) => contents)))
  return {
    whole: whole ? gzippedSize(whole.contents) : Number.NaN,
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

function gzippedSize(contents: Uint8Array): number {
  return gzipSync(contents, { level: 9 }).length
}

/** Optional packages that the host installs, loaded only when used. */
const external = ["node:*", "nodemailer", "@simplewebauthn/*", "rate-limiter-flexible"]
const bench = join(import.meta.dirname, "..")

async function build(
  entry: string,
  conditions: Conditions,
  splitting: boolean,
): Promise<BuildResult<{ write: false; metafile: true }>> {
  // Loaded on demand: the process of every target imports this module.
  const esbuild = await import("esbuild")
  return esbuild.build({
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

type Outputs = Metafile["outputs"]

/** Assigns each output file to the one lazy entry that imports it; files shared by several are `other`. */
function findParts(outputs: Outputs): ReadonlyMap<string, LazyPart | "eager"> {
  const parts = new Map<string, LazyPart | "eager">()
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    if (!entryPoint) continue
    const part = entryPoint === "<stdin>" ? "eager" : findPart(entryPoint)
    for (const file of findImported(outputs, path)) parts.set(file, combine(parts.get(file), part))
  }
  return parts
}

/** The part of a lazy entry, by the first pattern that matches its path. */
const partPatterns: readonly (readonly [LazyPart, RegExp])[] = [
  ["passkeys", /webauthn|passkey/i],
  ["pages", /\/pages\//],
  ["mail", /\/mail\/|email|nodemailer/i],
  ["oauth", /oauth/i],
]

function findPart(entryPoint: string): LazyPart {
  const [part] = partPatterns.find(([, pattern]) => pattern.test(entryPoint)) ?? (["other"] as const)
  return part
}

/** Files that the eager entry imports are eager; files that two lazy parts import belong to neither. */
function combine(known: LazyPart | "eager" | undefined, part: LazyPart | "eager"): LazyPart | "eager" {
  if (known === undefined || known === part) return part
  return known === "eager" || part === "eager" ? "eager" : "other"
}

/** A file and everything that it imports statically. */
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
