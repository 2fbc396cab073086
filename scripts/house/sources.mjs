// How the sources are cut into files and functions.
import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import ts from "typescript"
import { workspaces } from "../packages.mjs"

export const root = join(import.meta.dirname, "..", "..")
export const folders = workspaces.map(({ folder }) => folder).filter((folder) => folder.startsWith("packages/"))
export const core = "packages/core"

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)
const percent = (part, whole) => (100 * part) / whole
const ascending = (numbers) => numbers.toSorted((a, b) => a - b)
const quantile = (numbers, share) =>
  ascending(numbers)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))]

const isSource = (file) =>
  /\.tsx?$/.test(file) &&
  !/\.d\.ts$|\.(?:test|test-d|suite)\.tsx?$|\/(?:test|generated|fixtures|node_modules|dist)\//.test(file)

/** @returns the parsed sources of a folder, by path */
function readSources(folder) {
  const places = folder === "bench" ? "{sizes,speed}" : "src"
  const paths = globSync(`${folder}/${places}/**/*`, { cwd: root })
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

export function forEachNode(source, visit) {
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

export function measureCore() {
  const all = readSources(core)
  const imports = readImports(all)
  // Neither providers, translations nor generated lists: their size follows from what they list.
  const own = [...all].filter(
    ([path]) => !/^packages\/core\/src\/(?:providers\/|messages\/languages\/|methods\/password\/common-)/.test(path),
  )
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
export function measureOthers() {
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
