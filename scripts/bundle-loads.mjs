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
  const read = new Map([...chunks].map(([name, chunk]) => [name, readChunk(chunk)]))
  const loads = new Map([...chunks].map(([name, chunk]) => [name, chunk.isEntry ? [] : findLoads(read.get(name))]))
  assertOrder(chunks, loads)
  const hasTwoForms = (name) => loads.get(name)?.length > 0
  /** What chunks export for others' static forms only, as the texts of export specifiers. */
  const added = new Map([...chunks.keys()].map((name) => [name, new Set()]))
  const statics = [...read.values()]
    .filter(({ fileName }) => hasTwoForms(fileName))
    .map((chunk) => [chunk.fileName, importAtOnce(chunk, loads.get(chunk.fileName), { read, added })])
  const finish = (fileName, code, exported) => {
    const text = nameChunks(fileName, code, hasTwoForms)
    return exported.size === 0 ? text : `export { ${[...exported].join(", ")} }; ${text}`
  }
  const none = new Set()
  return new Map([
    ...[...read.values()].map(({ fileName, code }) => [
      fileName,
      finish(fileName, code, hasTwoForms(fileName) ? none : added.get(fileName)),
    ]),
    ...statics.map(([name, code]) => [name.replace(/\.js$/, ".static.js"), finish(name, code, added.get(name))]),
  ])
}

/** A chunk with what it exports, and the objects that hold the exports of its modules, by their names in it. */
function readChunk({ fileName, code }) {
  const { body } = parseAst(code)
  // A constant stands for itself: the bundler wrote it in place of its name.
  const toMember = ({ key, value }) => [
    key.name,
    value.body.name ?? { constant: code.slice(value.body.start, value.body.end) },
  ]
  const exported = new Map(
    body
      .filter(({ type }) => type === "ExportNamedDeclaration")
      .flatMap(({ specifiers }) => specifiers.map(({ exported: { name }, local }) => [name, local.name])),
  )
  const objects = new Map(
    body
      .filter(({ type }) => type === "VariableDeclaration")
      .flatMap(({ declarations }) => declarations)
      .filter(({ init }) => init?.callee?.name === "__exportAll")
      .map(({ id, init }) => [id.name, new Map(init.arguments[0].properties.map(toMember))]),
  )
  return { fileName, code, body, exported, objects }
}

/** Names the chunks that have two forms by the manifest. */
function nameChunks(fileName, code, hasTwoForms) {
  const found = []
  walk(parseAst(code), ({ type, source }) => {
    if (!/^Import(?:Declaration|Expression)$|^Export\w+Declaration$/.test(type)) return true
    const target = source?.value?.startsWith?.(".") ? join(dirname(fileName), source.value) : undefined
    if (hasTwoForms(target)) found.push({ ...source, target })
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

/**
 * Each `import()` of another chunk, or of a module in this one, with the part of it that is used:
 * `import("./pages.js").then((n) => n.o)`.
 */
function findLoads(chunk) {
  const found = []
  walk(chunk.body, (node, parents) => {
    const load = toLoad(node, chunk)
    if (load) found.push({ ...load, ...findUse(node, parents) })
    return load === undefined
  })
  return found
}

function toLoad(node, { fileName, objects }) {
  if (node.type === "ImportExpression") return toImport(node, fileName)
  if (node.type !== "CallExpression" || node.callee.property?.name !== "then") return undefined
  const [picker] = node.arguments
  if (objects.has(picker?.body?.name)) return { target: fileName, object: picker.body.name }
  const isPicked = picker?.body?.type === "MemberExpression" && picker.body.object.name === picker.params[0]?.name
  const imported = isPicked && node.callee.object.type === "ImportExpression" && toImport(node.callee.object, fileName)
  return imported ? { ...imported, part: picker.body.property.name } : undefined
}

function toImport({ source: { value } }, fileName) {
  if (value === "#stories") return { target: value }
  return value?.startsWith(".") ? { target: join(dirname(fileName), value) } : undefined
}

/** What is replaced, and the names that are used, as far as the code around shows them. */
function findUse({ start, end }, [parent, grandparent]) {
  if (parent?.type !== "AwaitExpression") return { start, end }
  if (grandparent?.type === "MemberExpression")
    return { start: grandparent.start, end: grandparent.end, only: grandparent.property.name }
  const names = grandparent?.type === "VariableDeclarator" && grandparent.id.properties?.map(({ key }) => key.name)
  return { start, end, ...(names && { names }) }
}

/** Visits a node and what it holds, unless `visit` returns false. */
function walk(node, visit, parents = []) {
  const isList = Array.isArray(node)
  if (!isList && (typeof node?.type !== "string" || !visit(node, parents))) return
  for (const part of isList ? node : Object.values(node)) walk(part, visit, isList ? parents : [node, ...parents])
}

/** The code with the imported values in place of each `import()`: the imports stand in the first line. */
function importAtOnce({ fileName, code }, found, { read, added }) {
  const imports = new Set()
  const text = replace(code, found, ({ target, part, object, only, names }) => {
    const chunk = read.get(target)
    const held = chunk?.objects.get(object ?? chunk.exported.get(part))
    /** Imports an export of the target, or of one of its modules. The target may be the chunk itself: names may be hidden in it. */
    function use(name) {
      const member = held?.get(name)
      if (member?.constant) return member.constant
      const from = chunk ? toRelative(dirname(fileName), target) : target
      const shown = held ? findExport(chunk, member, added.get(target)) : name
      const local = `${name}__${target.replace(/\W/g, "_")}`
      imports.add(`import { ${shown} as ${local} } from "${from}";`)
      return local
    }
    if (only !== undefined) return use(only)
    const used = names ?? [...(held ?? chunk?.exported ?? new Map([["describeStory"]])).keys()]
    return `Promise.resolve({ ${used.map((name) => `${name}: ${use(name)}`).join(", ")} })`
  })
  return `${[...imports].join(" ")} ${text}`
}

/** The name under which a chunk exports a local one: one that it has, or an added one. */
function findExport({ exported }, local, added) {
  const [known] = [...exported].find(([, each]) => each === local) ?? []
  if (known !== undefined) return known
  added.add(`${local} as static_${local}`)
  return `static_${local}`
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
