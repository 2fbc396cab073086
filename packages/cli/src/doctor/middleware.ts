import { existsSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { type AppFiles, findLine, type Source } from "./app-files.js"
import { createFinding, type Finding } from "./finding.js"
import { readAliases } from "./load-module.js"

/** The middleware of a Next.js app. Next.js 16 calls it proxy, and runs it on Node. */
const names = ["proxy.ts", "proxy.js", "middleware.ts", "middleware.js"].flatMap((name) => [name, `src/${name}`])

/** What is wrong with the middleware of a Next.js app: it cannot run, or runs for other paths than it should. */
export function checkMiddleware(app: AppFiles): readonly Finding[] {
  const paths = names.map((name) => join(app.folder, name))
  const source = app.sources.find(({ path, text }) => paths.includes(path) && text.trim() !== "")
  if (!source || app.dependencies["next"] === undefined) return []
  return [...checkEdge(source, app), ...checkMatcher(source, app)]
}

/** Modules that only Node has, or that need it. */
const nodeOnly =
  /^(?:node:.+|pg|mysql2(?:\/.*)?|@prisma\/client|better-sqlite3|sqlite3|mongodb|ioredis|redis|nodemailer|@node-rs\/argon2|bcrypt|@latchkey\/kysely-adapter\/(?:sqlite|postgres|mysql)|@latchkey\/prisma-adapter|fs|fs\/promises|net|tls|child_process)$/

function checkEdge(source: Source, app: AppFiles): readonly Finding[] {
  const isProxy = /proxy\.[jt]s$/.test(source.path)
  if (isProxy || /\bruntime\s*:\s*["']nodejs["']/.test(source.text)) return []
  const chain = findNodeImport(source.path, app)
  if (chain === null) return []
  const { module, path, line } = chain
  const through = path === source.path ? "" : ` through ${app.show(path)}`
  const sentence = `The middleware runs on the edge runtime, and imports ${module}${through}, which needs Node.`
  const major = Number(/\d+/.exec(app.dependencies["next"] ?? "")?.[0] ?? 15)
  const own = findLine(source.text, /export\s+const\s+config\b/)
  const fixes = [
    {
      where: "code" as const,
      text:
        major >= 16
          ? "Rename the file to proxy.ts, which runs on Node."
          : 'export const config = { runtime: "nodejs", matcher: [...] }',
      file: app.show(source.path),
      ...(own.line === undefined ? { line: 1 } : own),
    },
    { where: "code" as const, text: `Keep ${module} out of what the middleware imports.`, file: app.show(path), line },
  ]
  return [createFinding("edge-adapter", { sentence, fixes, evidence: { module } })]
}

interface NodeImport {
  readonly module: string
  readonly path: string
  readonly line: number
}

const maxFiles = 200

/** The first import of a module that needs Node, by following the imports of the app's own files. */
function findNodeImport(start: string, app: AppFiles): NodeImport | null {
  const aliases = Object.entries(readAliases(start))
  const waiting = [start]
  const seen = new Set(waiting)
  for (let path = waiting.shift(); path !== undefined && seen.size < maxFiles; path = waiting.shift()) {
    const text = app.sources.find((each) => each.path === path)?.text ?? ""
    for (const { specifier, line } of listImports(text)) {
      if (nodeOnly.test(specifier)) return { module: specifier, path, line }
      const next = resolveOwn(specifier, path, aliases)
      if (next !== null && !seen.has(next)) {
        seen.add(next)
        waiting.push(next)
      }
    }
  }
  return null
}

/** What a file imports when it is loaded: not by `import type`, and not by `import()`. */
function listImports(text: string): readonly { readonly specifier: string; readonly line: number }[] {
  return [...text.matchAll(/\b(from|import|require\()\s{0,9}["']([^"']+)["']/g)]
    .filter(({ index, 1: word }) => word === "require(" || isLoaded(text, index + (word?.length ?? 0)))
    .map(({ index, 2: specifier = "", 0: all }) => ({
      specifier,
      line: text.slice(0, index + all.length).split("\n").length,
    }))
}

/** Whether the statement at this position begins a line and imports more than types. */
function isLoaded(text: string, end: number): boolean {
  const before = text.slice(0, end)
  const start = Math.max(before.lastIndexOf("import"), before.lastIndexOf("export"))
  const lead = before.slice(before.lastIndexOf("\n", start) + 1, start)
  const isWhole = !/[;"'()]/.test(before.slice(start))
  return start !== -1 && isWhole && lead.trim() === "" && !/^(?:im|ex)port\s+type\b/.test(before.slice(start))
}

const endings = ["", ".ts", ".tsx", ".js", ".jsx", ".mjs", "/index.ts", "/index.tsx", "/index.js"]

function resolveOwn(specifier: string, from: string, aliases: readonly (readonly [string, string])[]): string | null {
  const alias = aliases.find(
    ([name]) => specifier === name || specifier.startsWith(name.endsWith("/") ? name : `${name}/`),
  )
  const target = specifier.startsWith(".")
    ? resolve(dirname(from), specifier)
    : alias && join(alias[1], specifier.slice(alias[0].length))
  if (target === undefined) return null
  const candidates = [target.replace(/\.js$/, ""), target].flatMap((each) =>
    endings.map((ending) => `${each}${ending}`),
  )
  return candidates.find((each) => existsSync(each) && statSync(each).isFile()) ?? null
}

/** Guarded paths that the matcher misses, and the paths of the service that it catches. */
function checkMatcher(source: Source, app: AppFiles): readonly Finding[] {
  const given = /\bmatcher\s*:\s*(\[[^\]]*\]|["'`][^"'`]*["'`])/.exec(source.text)
  if (!given) return []
  const patterns = [...(given[1] ?? "").matchAll(/["'`]([^"'`]+)["'`]/g)].flatMap(
    ({ 1: text = "" }) => toPattern(text) ?? [],
  )
  if (patterns.length === 0) return []
  const isMatched = (path: string) => patterns.some((pattern) => pattern.test(path))
  const place = { file: app.show(source.path), line: source.text.slice(0, given.index).split("\n").length }
  const missed = listGuarded(source, app).filter((path) => !isMatched(path) || !isMatched(`${path}/page`))
  const [first] = missed
  const findings: Finding[] = []
  if (first !== undefined) {
    const sentence = `${missed.join(", ")} is guarded, but the matcher of the middleware misses ${first}${isMatched(first) ? "/…" : ""}, so anyone can open it.`
    const fixes = [
      {
        where: "code" as const,
        text: `matcher: [${missed.map((path) => `"${path}/:path*"`).join(", ")}, ...]`,
        ...place,
      },
    ]
    findings.push(createFinding("matcher", { sentence, fixes, evidence: { path: first } }))
  }
  const base = findBasePath(app)
  // What `auth` of the integration wraps lets the service's own paths pass.
  const isOwn =
    /\bauth\s*(?:\(|as\b|\})|export\s+default\s+auth\b|NextAuth\(/.test(source.text) &&
    !/\bgetToken\s*\(/.test(source.text)
  if (!isOwn && isMatched(`${base}/session`) && /redirect/.test(source.text) && !source.text.includes(base)) {
    const sentence = `The matcher of the middleware catches ${base}, so it redirects requests to the service itself, such as those of the sign-in page.`
    const fixes = [
      {
        where: "code" as const,
        text: `matcher: ["/((?!${base.slice(1)}|_next/static|_next/image|favicon.ico).*)"]`,
        ...place,
      },
    ]
    findings.push(createFinding("login-wall", { sentence, fixes, evidence: { path: base } }))
  }
  return findings
}

/** A pattern of path-to-regexp as Next.js writes them. Null for one that is not valid. */
function toPattern(text: string): RegExp | null {
  const written = text
    .replace(/\/:\w+\*/g, "(?:/.*)?")
    .replace(/\/:\w+\+/g, "/.+")
    .replace(/\/:\w+\?/g, "(?:/[^/]+)?")
    .replace(/:\w+(?=\()/g, "")
    .replace(/:\w+/g, "[^/]+")
  try {
    return new RegExp(`^${written}/?$`)
  } catch {
    return null
  }
}

/** Paths that the `authorized` callback or the middleware compares a request with. */
function listGuarded(source: Source, app: AppFiles): readonly string[] {
  const guards = [source, ...app.sources.filter(({ text }) => /\bauthorized\s*[:(]/.test(text))]
  const pattern = /pathname(?:\s*\??\.startsWith\(\s*|\s*===?\s*)["'`](\/[\w/-]+)["'`]/g
  const found = guards.flatMap(({ text }) =>
    [...text.matchAll(pattern)].map(({ 1: path = "" }) => path.replace(/\/$/, "")),
  )
  const open = /^\/(?:login|signin|sign-in|auth|api\/auth|_next|about|public)\b/
  return [...new Set(found)].filter((path) => path !== "" && !open.test(path))
}

/** Where the route of the service is. */
function findBasePath({ sources, folder }: AppFiles): string {
  const route = sources.find(({ path, text }) => /\[\.\.\.\w+\]\/route\.[jt]s$/.test(path) && /\bhandlers\b/.test(text))
  const path = route?.path.slice(folder.length).replace(/^\/(?:src\/)?app/, "")
  return path === undefined ? "/api/auth" : dirname(dirname(path)).replace(/\/\([^)]*\)/g, "")
}
