// Gives workers static imports in place of every `import()`: what they run is one file, in which an `import()` saves nothing,
// keeps every name of what it imports, and wraps each constant. docs/decisions/published-bundle.md has the reasons.
import { dirname, join, relative } from "node:path"
import { parseAst } from "rolldown/parseAst"

/**
 * Writes each chunk that has an `import()` a second time, with static imports. Chunks import either by a name of the manifest
 * (`#chunks/*`), so that a condition selects one. Lines stay, and both forms share a source map.
 * @param chunks The chunks of the bundle by file name.
 * @returns The texts of all files by name.
 */
export function withStaticForms(chunks) {
  const loads = new Map([...chunks].map(([name, chunk]) => [name, chunk.isEntry ? [] : findLoads(chunk)]))
  assertOrder(chunks, loads)
  const texts = [...chunks.values()].flatMap((chunk) => {
    const found = loads.get(chunk.fileName)
    const lazy = [chunk.fileName, nameChunks(chunk, chunk.code, loads)]
    return found.length === 0
      ? [lazy]
      : [lazy, [toStatic(chunk.fileName), nameChunks(chunk, importAtOnce(chunk, found, chunks), loads)]]
  })
  return new Map(texts)
}

const toStatic = (name) => name.replace(/\.js$/, ".static.js")

/** Names the chunks that have two forms by the manifest. */
function nameChunks({ fileName }, code, loads) {
  const found = []
  walk(parseAst(code), ({ type, source }) => {
    if (!/^Import(?:Declaration|Expression)$|^Export\w+Declaration$/.test(type)) return true
    const target = source?.value?.startsWith?.(".") ? join(dirname(fileName), source.value) : undefined
    if (loads.get(target)?.length) found.push({ ...source, target })
    return true
  })
  return replace(code, found, ({ target }) => `"#chunks/${target.replace(/\.js$/, "")}"`)
}

/** Replaces parts of a text, from the last to the first. */
function replace(text, parts, write) {
  return parts
    .toSorted((one, other) => other.start - one.start)
    .reduce((done, part) => done.slice(0, part.start) + write(part) + done.slice(part.end), text)
}

/** Each `import()` of another chunk, with the part of it that is used: `import("./pages.js").then((n) => n.o)`. */
function findLoads({ fileName, code }) {
  const found = []
  function add({ source: { value } }, { start, end }, part) {
    const isOwn = value.startsWith(".")
    if (isOwn || value === "#stories")
      found.push({ start, end, part, target: isOwn ? join(dirname(fileName), value) : value })
  }
  walk(parseAst(code), (node) => {
    const imported = node.type === "CallExpression" ? node.callee.object : undefined
    const picked = imported?.type === "ImportExpression" ? node.arguments[0]?.body : undefined
    if (picked?.type === "MemberExpression" && picked.object.name === node.arguments[0].params[0].name) {
      add(imported, node, picked.property.name)
      return false
    }
    if (node.type === "ImportExpression" && typeof node.source.value === "string") add(node, node)
    return true
  })
  return found
}

/** Visits a node and what it holds, unless `visit` returns false. */
function walk(node, visit) {
  const isList = Array.isArray(node)
  if (!isList && (typeof node?.type !== "string" || !visit(node))) return
  for (const part of isList ? node : Object.values(node)) walk(part, visit)
}

/** The code with the imported values in place of each `import()`: the imports stand in the first line. */
function importAtOnce({ fileName, code }, found, chunks) {
  const imports = new Set()
  const text = replace(code, found, ({ target, part }) => {
    const own = (name) => `${name}__${target.replace(/\W/g, "_")}`
    const names = part === undefined ? (chunks.get(target)?.exports ?? ["describeStory"]) : [part]
    const from = target.startsWith("#") ? target : toRelative(dirname(fileName), target)
    for (const name of names) imports.add(`import { ${name} as ${own(name)} } from "${from}";`)
    const value = part === undefined ? `{ ${names.map((name) => `${name}: ${own(name)}`).join(", ")} }` : own(part)
    return `Promise.resolve(${value})`
  })
  return `${[...imports].join(" ")} ${text}`
}

function toRelative(from, to) {
  const path = relative(from, to)
  return path.startsWith(".") ? path : `./${path}`
}

/**
 * Static imports make circles of chunks, in which a chunk may run before what it imports. That is safe as long as its top level
 * uses nothing of the circle.
 * @throws Error if a top level does
 */
function assertOrder(chunks, loads) {
  const edges = new Map(
    [...chunks.values()].map(({ fileName, imports }) => [
      fileName,
      [...imports, ...loads.get(fileName).map(({ target }) => target)].filter((name) => chunks.has(name)),
    ]),
  )
  const reach = new Map([...chunks.keys()].map((name) => [name, reachFrom(name, edges)]))
  for (const chunk of chunks.values()) {
    for (const [name, source] of findEarlyUses(chunk)) {
      const isCircle = reach.get(source)?.has(chunk.fileName)
      if (isCircle)
        throw new Error(`${chunk.fileName}: its top level uses ${name} of ${source}, which imports it in a worker`)
    }
  }
}

function reachFrom(start, edges) {
  const found = new Set()
  const waiting = [start]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const next of edges.get(name) ?? []) {
      if (found.has(next)) continue
      found.add(next)
      waiting.push(next)
    }
  }
  return found
}

/** The imported names that the top level of a chunk uses while it runs, with the chunks that they are from. */
function findEarlyUses({ fileName, code }) {
  const { body } = parseAst(code)
  const imported = new Map(
    body
      .filter(({ type, source }) => type === "ImportDeclaration" && source.value.startsWith("."))
      .flatMap(({ specifiers, source }) =>
        specifiers.map(({ local }) => [local.name, join(dirname(fileName), source.value)]),
      ),
  )
  const found = new Map()
  for (const statement of body) {
    if (statement.type === "ImportDeclaration" || statement.type === "ExportNamedDeclaration") continue
    walk(statement, (node) => {
      if (/Function|^MethodDefinition/.test(node.type)) return false
      if (node.type === "Identifier" && imported.has(node.name)) found.set(node.name, imported.get(node.name))
      return true
    })
  }
  return found
}
