import { spawnSync } from "node:child_process"
import { realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { parseEnv } from "node:util"
import { type AppFiles, findAppFolder, findLine, listSources, readJson, readText } from "./app-files.js"
import { createFinding, type DoctorInput, type Examination, type Finding } from "./finding.js"
import { checkMiddleware } from "./middleware.js"

/** What the files of the app say: installed packages, calls, middleware, environment files. Runs nothing of the app. */
export async function examineFiles({ config = "", context }: DoctorInput): Promise<Examination> {
  const folder = findAppFolder(config)
  const app: AppFiles = {
    folder,
    show: (path) => relative(context.folder, path),
    sources: listSources(folder).flatMap((path) => {
      const text = readText(path)
      return text === null ? [] : [{ path, text: withoutComments(text) }]
    }),
    dependencies: readDependencies(folder),
  }
  const findings = [
    ...checkCopies(app),
    ...checkNeighbors(app),
    ...checkTokenCalls(app),
    ...checkMiddleware(app),
    ...checkArgon2(app),
    ...checkEnvironmentFiles(app),
  ]
  return { findings, unchecked: [] }
}

/** Spaces in place of comments, so that every character keeps its place. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<![:\\])\/\/[^\n]*|\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->/g,
    (all, string: string | undefined) => string ?? all.replace(/[^\n]/g, " "),
  )
}

function readDependencies(folder: string): Readonly<Record<string, string>> {
  const { dependencies, devDependencies } = readJson(join(folder, "package.json"))
  return { ...Object(devDependencies), ...Object(dependencies) }
}

interface Installed {
  readonly name: string
  readonly folder: string
  readonly version: string
}

function findInstalled(name: string, from: string): Installed | null {
  try {
    const manifest = createRequire(join(from, "package.json")).resolve(`${name}/package.json`)
    const { version } = readJson(manifest)
    return { name, folder: realpathSync(dirname(manifest)), version: String(version) }
  } catch {
    return null // Not installed, or without a manifest that may be read.
  }
}

const core = "@latchkey/core"

/** Several copies of the core, which do not know each other's objects, and packages of different versions. */
function checkCopies({ folder, dependencies, show }: AppFiles): readonly Finding[] {
  const names = Object.keys(dependencies).filter((name) => name.startsWith("@latchkey/"))
  const own = [core, ...names.filter((name) => name !== core)].flatMap((name) => findInstalled(name, folder) ?? [])
  const cores = new Map<string, Installed & { readonly by: string }>()
  for (const { name, folder: from } of own) {
    const found = name === core ? own.find((each) => each.name === core) : findInstalled(core, from)
    if (found && !cores.has(found.folder)) cores.set(found.folder, { ...found, by: name })
  }
  const manifest = {
    file: show(join(folder, "package.json")),
    ...findLine(readText(join(folder, "package.json")) ?? "", /"@latchkey\//),
  }
  const copies = [...cores.values()]
  if (copies.length > 1) {
    const listed = copies.map(({ version, by }) => `${version} for ${by}`).join(", ")
    const sentence = `${core} is installed ${copies.length} times (${listed}). Their errors and features do not know each other.`
    const fixes = [{ where: "code" as const, text: "npm dedupe", ...manifest }]
    return [createFinding("duplicate-core", { sentence, fixes, evidence: { copies: copies.length } })]
  }
  const versions = [...new Set(own.map(({ version }) => version))]
  if (versions.length < 2) return []
  const listed = own.map(({ name, version }) => `${name} ${version}`).join(", ")
  const newest = versions.toSorted((one, other) => other.localeCompare(one, "en", { numeric: true }))[0]
  const text = `npm install ${own.map(({ name }) => `${name}@${newest}`).join(" ")}`
  const sentence = `The packages of Latchkey have different versions: ${listed}.`
  return [
    createFinding("version-skew", { severity: "warning", sentence, fixes: [{ where: "code", text, ...manifest }] }),
  ]
}

/** Adapters of Auth.js work with this service; its own service and integrations do the same work a second time. */
const neighbor = /^(?:next-auth|@auth\/(?!.*-adapter$).+)$/

function checkNeighbors({ folder, dependencies, sources, show }: AppFiles): readonly Finding[] {
  const path = join(folder, "package.json")
  return Object.keys(dependencies)
    .filter((name) => neighbor.test(name))
    .map((name) => {
      const pattern = new RegExp(`(?:from|import|require\\()\\s*\\(?["']${name}(?:/[^"']*)?["']`)
      const user = sources.find(({ text }) => pattern.test(text))
      const place = user
        ? { file: show(user.path), ...findLine(user.text, pattern) }
        : { file: show(path), ...findLine(readText(path) ?? "", new RegExp(`"${name}"\\s*:`)) }
      const sentence = `${name} is installed beside Latchkey. Both answer below one path and use cookies of the same names.`
      const text = user ? `Import it from Latchkey, then: npm uninstall ${name}` : `npm uninstall ${name}`
      const fixes = [{ where: "code" as const, text, ...place }]
      return createFinding("auth-js-beside", { severity: user ? "error" : "warning", sentence, fixes })
    })
}

/** `getToken` without `secret` throws; without `secureCookie` it finds no session where the site is served over https. */
function checkTokenCalls({ sources, show }: AppFiles): readonly Finding[] {
  const users = sources.filter(({ text }) => /["'](?:@latchkey\/core|next-auth|@auth\/core)\/jwt["']/.test(text))
  return users.flatMap(({ path, text }) =>
    [...text.matchAll(/\bgetToken\s*(?:<[^()]*>)?\(/g)].flatMap(({ index, 0: call }) => {
      const missing = findMissingOptions(readArguments(text, index + call.length - 1))
      if (missing.length === 0) return []
      const place = { file: show(path), line: text.slice(0, index).split("\n").length }
      const lacking = missing.includes("secret") ? "it throws for every session" : "it finds no session over https"
      const sentence = `getToken is called without ${missing.join(" and ")}, so ${lacking}.`
      const fixes = [{ where: "code" as const, text: missing.map((name) => tokenOptions[name]).join(", "), ...place }]
      return [createFinding("get-token", { sentence, fixes })]
    }),
  )
}

const tokenOptions = {
  secret: "secret: process.env.AUTH_SECRET",
  secureCookie: 'secureCookie: process.env.NODE_ENV === "production"',
} as const

function findMissingOptions(given: string): readonly (keyof typeof tokenOptions)[] {
  // Options that are made elsewhere may have anything.
  if (!given.includes("{") || given.includes("...")) return []
  const hasSecret = /\bsecret\b|\braw\s*:\s*true/.test(given)
  const hasName = /\b(?:secureCookie|cookieName)\b/.test(given)
  return [...(hasSecret ? [] : ["secret" as const]), ...(hasName ? [] : ["secureCookie" as const])]
}

/** The text between a bracket and the one that closes it. */
function readArguments(text: string, open: number): string {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === "(") depth++
    else if (text[at] === ")" && --depth === 0) return text.slice(open + 1, at)
  }
  return text.slice(open + 1)
}

/** Files that say which Node runs the app, and how. */
const nodeFiles: readonly (readonly [file: string, pattern: RegExp])[] = [
  ["Dockerfile", /^[ \t]*FROM[ \t]+(?:\S+\/)?node:v?(\d+)(?:\.(\d+))?/im],
  [".nvmrc", /^\s*v?(\d+)(?:\.(\d+))?/],
  [".node-version", /^\s*v?(\d+)(?:\.(\d+))?/],
]

/** Node has Argon2 since 24.7; before, a package brings it. */
function checkArgon2({ folder, sources, dependencies, show }: AppFiles): readonly Finding[] {
  const user = sources.find(({ text }) => /["']@latchkey\/core\/(?:providers\/passwords|second-factors)["']/.test(text))
  if (!user || dependencies["@node-rs/argon2"] !== undefined || /\bhash\s*:\s*bcrypt/.test(user.text)) return []
  for (const [name, pattern] of nodeFiles) {
    const text = readText(join(folder, name)) ?? ""
    const [, major, minor] = pattern.exec(text) ?? []
    const isOld = major !== undefined && (Number(major) < 24 || (Number(major) === 24 && Number(minor ?? 99) < 7))
    if (!isOld) continue
    const sentence = `${name} runs the app on Node ${major}, which has no Argon2, so that no password can be verified.`
    const place = { file: show(join(folder, name)), ...findLine(text, pattern) }
    const fixes = [
      { where: "code" as const, text: "npm install @node-rs/argon2" },
      { where: "environment" as const, text: "Node 24.7 or later", ...place },
    ]
    return [createFinding("argon2-missing", { sentence, fixes, evidence: { node: Number(major) } })]
  }
  return []
}

const secretVariable = /(?:SECRET|PASSWORD|_KEY|TOKEN)(?:_\d)?$/

/** Environment files with secrets that the next commit would have. */
function checkEnvironmentFiles({ folder, show }: AppFiles): readonly Finding[] {
  const names = [".env", ".env.local", ".env.production", ".env.production.local", ".env.development"]
  return names.flatMap((name) => {
    const path = join(folder, name)
    const text = readText(path)
    const variable =
      text && Object.entries(parseEnv(text)).find(([key, value]) => secretVariable.test(key) && value !== "")?.[0]
    if (!text || !variable || isIgnored(path)) return []
    const sentence = `Git does not ignore ${show(path)}, which has ${variable}.`
    const fixes = [
      { where: "code" as const, text: `echo ${name} >> .gitignore`, file: show(join(folder, ".gitignore")) },
    ]
    return [createFinding("env-file-in-git", { severity: "warning", sentence, fixes })]
  })
}

/** Also without Git, and outside of a repository. */
function isIgnored(path: string): boolean {
  return spawnSync("git", ["check-ignore", "--quiet", "--", basename(path)], { cwd: dirname(path) }).status !== 1
}
