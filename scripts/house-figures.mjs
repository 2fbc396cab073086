// Measures how the sources are cut into files and functions, and fails when a limit is broken. Reads the build, so
// `npm run check` runs it after one. `--details` also prints the places behind the figures.
import { globSync, readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { basename, dirname, join, relative, resolve } from "node:path"
import ts from "typescript"
import { workspaces } from "./packages.mjs"

const root = join(import.meta.dirname, "..")
const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"))
const folders = workspaces.map(({ folder }) => folder).filter((folder) => folder.startsWith("packages/"))
const core = "packages/core"

/** The goal is what the figure should become, where the sources are not there yet: docs/decisions/house.md has the reasons. */
const atMost = (limit, goal = limit) => ({ limit, goal, isHeld: (value) => value <= limit, sign: "<=" })
const atLeast = (limit) => ({ limit, goal: limit, isHeld: (value) => value >= limit, sign: ">=" })

/** Of packages/core/src without providers and translations, unless it says otherwise. */
const limits = {
  files: atMost(250, 160),
  "median code lines of a file": atLeast(70),
  "files under 25 lines, %": atMost(8),
  "files with one importer, %": atMost(23, 10),
  "import circles, types included": atMost(0),
  any: atMost(0),
  "lines of the longest function": atMost(60),
  "lines of a function, 90th percentile": atMost(30),
  "modules loaded at import": atMost(50),
  "options without hover text": atMost(0),
  "exported symbols without a doc comment, all packages": atMost(0),
  "other packages with too many files under 30 lines": atMost(0),
  "GET session: files entered": atMost(18),
  "GET session: file switches": atMost(35),
  "POST callback/credentials: files entered": atMost(31, 24),
  "POST callback/credentials: file switches": atMost(72, 45),
  "OpenID Connect callback: files entered": atMost(46, 40),
  "OpenID Connect callback: file switches": atMost(178, 90),
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)
const percent = (part, whole) => (100 * part) / whole
const ascending = (numbers) => numbers.toSorted((a, b) => a - b)
const quantile = (numbers, share) =>
  ascending(numbers)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))]

// ---- Sources ----

const isSource = (file) =>
  /\.tsx?$/.test(file) &&
  !/\.d\.ts$|\.(?:test|test-d|suite)\.tsx?$|\/(?:test|generated|fixtures|node_modules|dist)\//.test(file)

/** @returns the parsed sources of a folder, by path */
function readSources(folder) {
  const paths = globSync(`${folder}/src/**/*`, { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter(isSource)
  return new Map(paths.map((path) => [path, parse(path)]))
}

function parse(path) {
  const text = readFileSync(join(root, path), "utf8")
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
}

const lineAt = (source, position) => source.getLineAndCharacterOfPosition(position).line
const linesOf = (source) => source.text.replace(/\n$/, "").split("\n").length

function forEachNode(source, visit) {
  const walk = (node) => {
    visit(node)
    ts.forEachChild(node, walk)
  }
  walk(source)
}

/** Lines that hold more than a comment or nothing. */
function countCodeLines(source) {
  const lines = new Set()
  const walk = (node) => {
    const isToken = node.getChildCount(source) === 0 && node.getWidth(source) > 0
    if (isToken && node.kind < ts.SyntaxKind.FirstJSDocNode)
      for (let line = lineAt(source, node.getStart(source)); line <= lineAt(source, node.end); line++) lines.add(line)
    node.getChildren(source).forEach(walk)
  }
  walk(source)
  return lines.size
}

/** The specifier of an import, an export, an `import()` or an imported type; undefined for other nodes. */
function specifierOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier?.text
  if (ts.isImportTypeNode(node)) return node.argument.literal?.text
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0]?.text
  return undefined
}

/** @returns the files of the same package that each file imports */
function readImports(sources) {
  const toPath = (from, specifier) => {
    const path = relative(root, resolve(root, dirname(from), specifier)).replaceAll("\\", "/")
    return [path.replace(/\.js$/, ".ts"), path.replace(/\.js$/, ".tsx")].find((file) => sources.has(file))
  }
  return new Map(
    [...sources].map(([path, source]) => {
      const imported = new Set()
      forEachNode(source, (node) => {
        const specifier = specifierOf(node)
        const target = specifier?.startsWith(".") ? toPath(path, specifier) : undefined
        if (target && target !== path) imported.add(target)
      })
      return [path, imported]
    }),
  )
}

/** Counts the files that reach themselves by their imports. */
function countInCircles(imports) {
  const reach = (start) => {
    const seen = new Set()
    const waiting = [...imports.get(start)]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue
      seen.add(path)
      waiting.push(...(imports.get(path) ?? []))
    }
    return seen
  }
  return [...imports.keys()].filter((path) => reach(path).has(path)).length
}

/** Named functions, and unnamed ones of more than one line. */
function findFunctions(path, source) {
  const found = []
  forEachNode(source, (node) => {
    if (!ts.isFunctionLike(node) || !node.body) return
    const isUnnamed = ts.isArrowFunction(node) || ts.isFunctionExpression(node)
    const isNamed = !isUnnamed || ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent)
    const first = lineAt(source, node.getStart(source))
    const lines = lineAt(source, node.end) - first + 1
    if (isNamed || lines > 1) found.push({ lines, place: `${path}:${first + 1}` })
  })
  return found
}

function countAny(source) {
  let count = 0
  forEachNode(source, (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) count += 1
  })
  return count
}

function measureCore() {
  const all = readSources(core)
  const imports = readImports(all)
  // Neither providers nor translations: their size follows from what they list.
  const own = [...all].filter(([path]) => !/^packages\/core\/src\/(?:providers|languages\/words)\//.test(path))
  const importers = Map.groupBy(
    [...imports.values()].flatMap((paths) => [...paths]),
    (path) => path,
  )
  const functions = own.flatMap(([path, source]) => findFunctions(path, source))
  const codeLines = own.map(([, source]) => countCodeLines(source))
  const longest = functions.toSorted((a, b) => b.lines - a.lines).slice(0, 3)
  return {
    figures: {
      files: own.length,
      "median code lines of a file": quantile(codeLines, 0.5),
      "files under 25 lines, %": percent(own.filter(([, source]) => linesOf(source) < 25).length, own.length),
      "files with one importer, %": percent(
        own.filter(([path]) => importers.get(path)?.length === 1).length,
        own.length,
      ),
      "import circles, types included": countInCircles(imports),
      any: sum(own.map(([, source]) => countAny(source))),
      "lines of the longest function": longest[0].lines,
      "lines of a function, 90th percentile": quantile(
        functions.map(({ lines }) => lines),
        0.9,
      ),
    },
    details: {
      "longest functions": longest.map(({ lines, place }) => `${place} (${lines} lines)`),
      "files under 25 lines": own.filter(([, source]) => linesOf(source) < 25).map(([path]) => path),
      "files with one importer": own
        .filter(([path]) => importers.get(path)?.length === 1)
        .map(([path]) => `${path} <- ${[...imports].find(([, paths]) => paths.has(path))[0]}`),
    },
  }
}

/**
 * A package may have 15 % of such files, or two if it is small. Faces do not count: they only list what is public, and a
 * package has one for each subpath.
 */
function measureOthers() {
  const counted = [...folders.filter((folder) => folder !== core), "bench"].map((folder) => {
    const sources = [...readSources(folder)].filter(([path]) => !/\/index\.tsx?$/.test(path))
    const short = sources.filter(([, source]) => linesOf(source) < 30).map(([path]) => path)
    return { folder, short, isOver: short.length > Math.max(2, 0.15 * sources.length), total: sources.length }
  })
  return {
    figures: { "other packages with too many files under 30 lines": counted.filter(({ isOver }) => isOver).length },
    details: {
      "files under 30 lines, without faces": counted.map(
        ({ folder, short, total }) => `${basename(folder)} ${short.length} of ${total}: ${short.join(", ")}`,
      ),
    },
  }
}

// ---- Declarations, as an editor shows them ----

/** The built declarations of every public subpath. */
function findFaces(folder) {
  const { exports = {} } = readJson(`${folder}/package.json`)
  const patterns = Object.values(exports).flatMap((entry) => entry?.types ?? [])
  return patterns.flatMap((pattern) => globSync(join(folder, pattern), { cwd: root })).map((path) => join(root, path))
}

function isDocumented(symbol, checker) {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== ""
}

function measureDeclarations() {
  const faces = folders.flatMap(findFaces)
  const program = ts.createProgram(faces, {
    strict: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    jsx: ts.JsxEmit.Preserve,
  })
  const checker = program.getTypeChecker()
  const target = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
  const isOurs = (symbol) =>
    symbol.declarations?.some((node) => !node.getSourceFile().fileName.includes("/node_modules/"))
  const exportsOf = (face) => checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(face)))
  const ours = new Set(faces.flatMap(exportsOf).map(target).filter(isOurs))
  const silent = [...ours].filter((symbol) => !isDocumented(symbol, checker))
  const config = exportsOf(join(root, core, "dist", "index.d.ts")).find(({ name }) => name === "AuthConfig")
  const options = checker.getDeclaredTypeOfSymbol(target(config)).getProperties()
  const mute = options.filter((option) => !option.name.startsWith("__@") && !isDocumented(option, checker))
  const placeOf = ({ name, declarations: [node] }) => `${relative(root, node.getSourceFile().fileName)} ${name}`
  return {
    figures: {
      "options without hover text": mute.length,
      "exported symbols without a doc comment, all packages": silent.length,
    },
    details: {
      "options without hover text": mute.map(({ name }) => name),
      "exported symbols without a doc comment": silent.map(placeOf),
    },
  }
}

// ---- What a process loads, and what a request walks through ----

const coreUrl = new URL("../packages/core/dist/", import.meta.url).href
const bundleUrl = `${coreUrl}bundle/`
const loaded = []
/** Requests are followed in the output of the compiler, which has a file for each source. */
let isBundled = true
/** The calls of the request that is followed; null between requests. */
let calls = null

/** Each function of the core tells that it was entered: `__entered(file)` is its first statement. */
function instrument(url, code) {
  const source = ts.createSourceFile(url, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  const call = `__entered(${JSON.stringify(url.slice(coreUrl.length))})`
  const inserts = []
  forEachNode(source, (node) => {
    if (!ts.isFunctionLike(node) || !node.body) return
    if (ts.isBlock(node.body)) inserts.push([node.body.getStart(source) + 1, `${call};`])
    else inserts.push([node.body.getStart(source), `(${call},`], [node.body.end, ")"])
  })
  const pieces = inserts.toSorted(([a], [b]) => b - a)
  return pieces.reduce((text, [at, piece]) => text.slice(0, at) + piece + text.slice(at), code)
}

/** The file of the nearest frame above the function that was entered; frames of the language itself have none. */
function findCaller() {
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = (_, frames) => frames.map((frame) => frame.getFileName())
  const [, , , ...callers] = new Error().stack
  Error.prepareStackTrace = prepareStackTrace
  return callers.find((file) => file?.startsWith("file:"))
}

globalThis.__entered = (file) => {
  calls?.push({ file, caller: findCaller() })
}

function watchModules() {
  registerHooks({
    resolve(specifier, context, next) {
      // Only the types of the sources have an entry in the manifest: the bundle contains the runtime.
      const own = specifier === "#markup/jsx-runtime" ? `${coreUrl}markup/jsx-runtime.js` : specifier
      const result = next(own, context)
      return isBundled ? result : { ...result, url: result.url.replace(bundleUrl, coreUrl) }
    },
    load(url, context, next) {
      const result = next(url, context)
      if (url.startsWith("file:")) loaded.push(url)
      if (isBundled || !url.startsWith(coreUrl) || result.format !== "module") return result
      return { ...result, source: instrument(url, String(result.source)) }
    },
  })
}

const controlFlow = "runtime/promise.js"

/** Follows the last request of the second visitor: the first one warms the service up. */
async function measureRequest({ Auth }, { createBrowser, testHost }, { name, providers, isFollowed, walk }) {
  const { config, idp } = testHost({ providers })
  const { basePath, secret, trustHost } = config
  const own = { basePath, secret, trustHost, providers: config.providers }
  let followed = []
  const handler = async (request) => {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith("/auth/")) return new Response(pathname)
    if (!isFollowed(request.method, pathname)) return await Auth(request, own)
    calls = []
    const response = await Auth(request, own)
    followed = calls
    calls = null
    return response
  }
  const network = { [idp.origin]: idp.handler }
  for (const browser of [0, 1].map(() => createBrowser({ handler, network }))) await walk(browser)
  // `andThen` and `attempt` stand for `await` and `catch`: they are no other subject, nor is what they call.
  const subjects = followed.filter(({ file }) => file !== controlFlow)
  const switches = subjects.filter(
    ({ file, caller }) => caller?.startsWith(coreUrl) && caller !== coreUrl + file && caller !== coreUrl + controlFlow,
  )
  const pairs = Map.groupBy(switches, ({ file, caller }) => `${caller.slice(coreUrl.length)} -> ${file}`)
  return {
    figures: {
      [`${name}: files entered`]: new Set(subjects.map(({ file }) => file)).size || Number.NaN,
      [`${name}: file switches`]: switches.length,
    },
    details: {
      [`file switches of ${name}`]: [...pairs]
        .toSorted(([, a], [, b]) => b.length - a.length)
        .map(([pair, { length }]) => `${pair} (${length})`),
    },
  }
}

const password = {
  id: "password",
  name: "Password",
  type: "credentials",
  credentials: { user: {} },
  authorize: ({ user }) => ({ id: user, name: user }),
}

const requests = [
  {
    name: "GET session",
    isFollowed: (method, path) => method === "GET" && path === "/auth/session",
    walk: async (browser) => {
      await browser.signIn("oidc")
      await browser.session()
    },
  },
  {
    name: "POST callback/credentials",
    providers: [password],
    isFollowed: (method, path) => method === "POST" && path === "/auth/callback/password",
    walk: (browser) => browser.signIn("password", { user: "ada" }),
  },
  {
    name: "OpenID Connect callback",
    isFollowed: (method, path) => method === "GET" && path === "/auth/callback/oidc",
    walk: (browser) => browser.signIn("oidc"),
  },
]

async function measureProcess() {
  watchModules()
  await import("../packages/core/dist/bundle/index.js")
  const modules = loaded.length
  isBundled = false
  const service = await import("../packages/core/dist/index.js")
  const testkit = await import("../packages/testkit/dist/index.js")
  const measured = []
  for (const request of requests) measured.push(await measureRequest(service, testkit, request))
  return [{ figures: { "modules loaded at import": modules }, details: {} }, ...measured]
}

// ---- Report ----

const measured = [measureCore(), measureOthers(), measureDeclarations(), ...(await measureProcess())]
const figures = Object.assign({}, ...measured.map((part) => part.figures))
const toText = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1))

for (const [name, { limit, goal, isHeld, sign }] of Object.entries(limits)) {
  const value = figures[name]
  const hope = goal === limit ? "" : `, goal ${goal}`
  console.log(`${isHeld(value) ? "ok    " : "broken"}  ${name}: ${toText(value)} (${sign} ${limit}${hope})`)
  if (!isHeld(value)) process.exitCode = 1
}
if (process.argv.includes("--details")) {
  for (const [name, places] of measured.flatMap(({ details }) => Object.entries(details)))
    console.log([`\n${name}: ${places.length}`, ...places].join("\n  "))
}
