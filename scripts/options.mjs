// Writes the tables of docs/options. What an option may hold comes from the table in
// packages/core/src/config/options.ts; what it is for, and its default, from the doc comments of the types. With `--check`
// it writes nothing and fails if the reference is stale. Either way it fails if a field of the options or of the types
// inside them has no doc comment, or if a comment names another default or range than the code has.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { importCore, coreSource as source } from "./import-core.mjs"

const root = join(import.meta.dirname, "..")
const [start, end] = ["<!-- options: written by scripts/options.mjs -->", "<!-- end of options -->"]

/** The type `AuthConfig`, and functions that read types. */
function openTypes() {
  const fileName = join(source, "types", "config.ts")
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const program = ts.createProgram([fileName], {
    ...options,
    customConditions: ["@latchkey/source"],
    noEmit: true,
    composite: false,
  })
  const checker = program.getTypeChecker()
  const declaration = program
    .getSourceFile(fileName)
    .statements.find((statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === "AuthConfig")

  const hasTag = (symbol, tag) => symbol.getJsDocTags().some(({ name }) => name === tag)

  /** The properties of a type, in the order of the source. */
  function readProperties(type) {
    return type.getProperties().map((symbol) => ({
      name: symbol.name,
      comment: ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, " ").trim(),
      // Comments of generated members, and of libraries, are not ours to write.
      isOurs: symbol.declarations?.some((node) => node.getSourceFile().fileName.includes("/packages/")) ?? false,
      isDeprecated: hasTag(symbol, "deprecated"),
      isInternal: hasTag(symbol, "internal"),
      type: checker.getTypeOfSymbol(symbol),
    }))
  }

  /** The objects in a type: the members of a union, the elements of a list. Functions and primitives are left out. */
  function listObjects(type) {
    if (type.isUnion()) return type.types.flatMap(listObjects)
    if (checker.isArrayType(type)) return checker.getTypeArguments(type).flatMap(listObjects)
    const isObject = (type.flags & ts.TypeFlags.Object) !== 0 || type.isIntersection()
    return isObject && type.getCallSignatures().length === 0 ? [type] : []
  }

  /** The values of a type, in the words of the table. */
  function describe(type) {
    const words = {
      string: ["a string"],
      "readonly string[]": ["a list of strings"],
      number: ["a number"],
      boolean: ["true", "false"],
      Date: ["a `Date`"],
    }
    const flags = ts.TypeFormatFlags.InTypeAlias // Writes out an alias such as `Secret`.
    const parts = checker.typeToString(checker.getNonNullableType(type), undefined, flags).split(" | ")
    const values = parts.flatMap((part) => {
      if (part.startsWith("typeof ")) return [`the symbol \`${part.slice("typeof ".length)}\``]
      return words[part] ?? (part.startsWith('"') ? part : "an object")
    })
    return new Intl.ListFormat("en-US", { type: "disjunction" }).format(values)
  }

  return { readProperties, listObjects, describe, config: checker.getTypeAtLocation(declaration) }
}

/** Fields without a doc comment, in `AuthConfig` and in every type that it reaches. */
function listUndocumented({ readProperties, listObjects, config }) {
  const seen = new Set()
  const found = new Set()
  function visit(type, path) {
    if (seen.has(type)) return
    seen.add(type)
    for (const property of readProperties(type)) {
      const inner = `${path}.${property.name}`
      if (!property.isOurs || property.name.startsWith("__@")) continue
      if (property.comment === "" && !property.isDeprecated) found.add(`${inner}: has no doc comment`)
      for (const object of listObjects(property.type)) visit(object, inner)
    }
  }
  visit(config, "AuthConfig")
  return [...found]
}

/**
 * All options but those that are deprecated or internal, depth first, in the order of the types. Members that are all of one
 * kind are entered once, as `*`.
 */
function listOptions(types, type, { fields, path = "" }) {
  const object = types.listObjects(type)[0]
  const isShown = ({ isDeprecated, isInternal }) => !isDeprecated && !isInternal
  const shown = types.readProperties(object).filter(isShown)
  const members = shown.map(({ name, comment, type: inner }) => {
    const kind = fields?.[name]
    return { path: `${path}${name}`, words: kind?.words || types.describe(inner), kind, comment, type: inner }
  })
  const listBelow = ({ path: outer, kind, type: inner }) => {
    // The attributes of a cookie are in the types alone.
    const isObject = kind?.fields !== undefined || /^cookies\.\*(?:\.options)?$/.test(outer)
    return isObject ? listOptions(types, inner, { fields: kind?.fields, path: `${outer}.` }) : []
  }
  const [first] = members
  const isUniform = path !== "" && first.kind !== undefined && members.every(({ kind }) => kind === first.kind)
  if (isUniform) return [...members, ...listBelow({ ...first, path: `${path}*` })]
  return members.flatMap((member) => [member, ...listBelow(member)])
}

const defaultPattern = / ?Default(?: of the service)?: (.*?)\.(?= |$)/
const rangePattern = / ?([\d,]+(?: [KM]iB)?) to ([\d,]+(?: [KM]iB)?)\./

const units = { KiB: 1024, MiB: 1024 ** 2, second: 1, minute: 60, hour: 3600, day: 86_400 }
const findUnit = (name) => units[name] ?? units[name.replace(/s$/, "")]

/** Reads `20`, `16,384`, `64 KiB` or `30 days`. Undefined for other texts. */
function parseAmount(text) {
  const [, count, unit] = text.match(/^([\d,]+)(?: ([KM]iB|(?:second|minute|hour|day)s?))?$/) ?? []
  return count === undefined ? undefined : Number(count.replaceAll(",", "")) * (unit ? findUnit(unit) : 1)
}

/** The value that a default in a comment stands for: an amount, or a budget such as `10 per 15 minutes`. */
function parseDefault(text) {
  const [, limit, windows, unit] = text.match(/^(\d+) per (?:(\d+) )?(second|minute|hour|day)s?$/) ?? []
  if (limit === undefined) return parseAmount(text)
  return { limit: Number(limit), windowSeconds: Number(windows ?? 1) * units[unit] }
}

/** Comments that name another default or range than the code has. */
function listContradictions(all, { resolveConfig, defaultBudgets }) {
  const resolved = {
    ...resolveConfig({ providers: [] }, { isProduction: true }),
    rateLimit: { budgets: defaultBudgets },
  }
  return all.flatMap(({ path, words, comment }) => {
    const problems = []
    const text = comment.match(defaultPattern)?.[1] ?? ""
    const actual = JSON.stringify(path.split(".").reduce((value, name) => value?.[name], resolved))
    const expected = JSON.stringify(parseDefault(text))
    if (expected !== undefined && expected !== actual) problems.push(`the default "${text}", but it is ${actual}`)
    const [range, ...bounds] = comment.match(rangePattern) ?? []
    const sentence = `an integer from ${bounds.map(parseAmount).join(" to ")}`
    if (range !== undefined && sentence !== words) problems.push(`the range "${range.trim()}", but it is ${words}`)
    return problems.map((problem) => `${path}: its comment names ${problem}`)
  })
}

function toRow({ path, words, comment }) {
  const value = words.replace(/"[^"]+"/g, "`$&`").replace(/\d{4,}/g, (digits) => Number(digits).toLocaleString("en-US"))
  const fallback = comment.match(defaultPattern)?.[1] ?? ""
  // The range is in the column before.
  const text = comment.replace(defaultPattern, "").replace(rangePattern, "").trim()
  const cells = [`\`${path}\``, value, fallback, text.replace(/\{@link (\w+) ?\}/g, "`$1`")]
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
}

/** The page of each table, by its name in docs/options: one for `AuthConfig` itself, and one for each option with options inside. */
function renderTables(all) {
  const topics = Map.groupBy(all, ({ path }) => (path.includes(".") ? path.slice(0, path.indexOf(".")) : "index"))
  return [...topics].map(([name, members]) => {
    const page = `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`
    const rows = ["| option | value | default | description |", "|---|---|---|---|", ...members.map(toRow)]
    return [page, rows.join("\n")]
  })
}

/** Puts a table between the marks of its page. Returns what is wrong with the page. */
function writeTable([page, rows]) {
  const file = join(root, "docs", "options", page)
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  const [before, rest] = text.split(start)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`docs/options/${page} lacks "${start}" or "${end}"`)
  const written = `${before}${start}\n\n${rows}\n\n${end}${after}`
  if (written === text) return []
  if (process.argv.includes("--check")) return [`docs/options/${page} is stale: run node scripts/options.mjs`]
  writeFileSync(file, written)
  return []
}

/** The table and the defaults of the core. */
const core = await importCore(`
  export { options } from "./config/options.ts"
  export { resolveConfig } from "./config/resolve.ts"
  export { defaultBudgets } from "./rate-limit/budgets.ts"`)
const types = openTypes()
const all = listOptions(types, types.config, { fields: core.options })
const problems = [
  ...listUndocumented(types),
  ...listContradictions(all, core),
  ...renderTables(all).flatMap(writeTable),
]

for (const problem of problems) console.error(problem)
console.log(`options: ${all.length} read, ${problems.length} problems`)
process.exit(problems.length > 0 ? 1 : 0)
