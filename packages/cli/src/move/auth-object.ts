import { posix } from "node:path"
import MagicString from "magic-string"
import { asNodes, isNode, type Node, nameOf, readProgram, walkNodes } from "./syntax.js"

// The option `--v5`: `auth()` of an exported object takes the place of `getServerSession(authOptions)`.

/** The exported options of `NextAuth`, and the file that they stand in. */
export interface ExportedOptions {
  readonly file: string
  readonly name: string
}

const memberNames = ["handlers", "auth", "signIn", "signOut"]
const door = "@latchkey/next/v4"

/**
 * The exported constant with the options, if a file has one and room for the members of `NextAuth`. Not with an adapter and
 * without a `session` callback: `auth()` would return all columns of a user, and pages may pass them on to the browser.
 */
export function findExportedOptions(file: string, text: string): ExportedOptions | null {
  if (!text.includes(door) || isRoute(file)) return null
  const program = readProgram(file, text)
  const isTaken = program && ["NextAuth", ...memberNames].some((name) => countName(program, name) > 0)
  if (!program || isTaken) return null
  const declared = asNodes(program["body"])
    .filter(({ type }) => type === "ExportNamedDeclaration")
    .map((statement) => statement["declaration"])
    .filter(isNode)
    .filter(({ kind }) => kind === "const")
    .flatMap(({ declarations }) => asNodes(declarations))
  const options = declared.find(({ id, init }) => isNode(id) && isNode(init) && isOptions(id, init, text))
  const name = options && nameOf(options, "id")
  return name === undefined ? null : { file, name }
}

function countName(program: Node, name: string): number {
  let count = 0
  walkNodes(program, (node) => {
    if (node.type === "Identifier" && node["name"] === name) count += 1
  })
  return count
}

const isRoute = (file: string): boolean => /(?:^|\/)(?:route\.[cm]?[jt]sx?$|pages\/api\/)/.test(file)

/** Whether a constant is an object that is declared as the options, or at least named as in the guides of version 4. */
function isOptions(id: Node, init: Node, text: string): boolean {
  const value = /^TS(?:Satisfies|As)Expression$/.test(init.type) ? init["expression"] : init
  if (!isNode(value) || value.type !== "ObjectExpression") return false
  const [adapter, callbacks] = ["adapter", "callbacks"].map((name) => findMember(value, name))
  if (adapter && !(callbacks && isNode(callbacks["value"]) && findMember(callbacks["value"], "session"))) return false
  const types = text.slice(id.start, id.end) + (value === init ? "" : text.slice(value.end, init.end))
  return /\b(?:NextAuthOptions|AuthOptions)\b/.test(types) || id["name"] === "authOptions"
}

function findMember(object: Node, name: string): Node | undefined {
  return asNodes(object["properties"]).find((property) => nameOf(property, "key") === name)
}

/** Rewrites a file whose modules are renamed already. */
export function moveToAuthObject(file: string, text: string, options: readonly ExportedOptions[]): string {
  const own = options.find((each) => each.file === file)
  if (!text.includes(door)) return text
  const program = readProgram(file, text)
  const edits = new MagicString(text)
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n"
  const stop = endOf(text)
  if (own) {
    if (program) edits.appendLeft(findStart(program, text), `import NextAuth from "@latchkey/next"${stop}${lineEnd}`)
    const ending = text.endsWith("\n") ? lineEnd : `${lineEnd}${lineEnd}`
    edits.append(`${ending}export const { ${memberNames.join(", ")} } = NextAuth(${own.name})${stop}${lineEnd}`)
  }
  const used = own ? null : program && findImportedOptions(file, program, options)
  if (program && used) rewriteUses(program, used, { edits, text })
  if (program && own && rewriteCalls(program, own.name, { edits, text }) > 0)
    removeImports(program, { edits, text }, ["getServerSession"])
  return edits.toString()
}

/** The end of statements, as the file writes it. */
const endOf = (text: string): string => (/;\r?\n/.test(text) ? ";" : "")

/** After directives and before the first statement. */
function findStart(program: Node, text: string): number {
  const [first] = asNodes(program["body"])
  return first?.start ?? (text.startsWith("\uFEFF") ? 1 : 0)
}

interface Rewriting {
  readonly edits: MagicString
  readonly text: string
}

/** An import of the options. */
interface UsedOptions {
  readonly local: string
  readonly statement: Node
}

function findImportedOptions(file: string, program: Node, options: readonly ExportedOptions[]): UsedOptions | null {
  for (const statement of asNodes(program["body"])) {
    if (statement.type !== "ImportDeclaration" || !isNode(statement["source"])) continue
    const found = options.find((each) => leadsTo(nameOf(statement, "source") ?? "", file, each.file))
    const specifier = asNodes(statement["specifiers"]).find((each) => nameOf(each, "imported") === found?.name)
    if (found && specifier) return { local: nameOf(specifier, "local") ?? "", statement }
  }
  return null
}

/** Whether a module specifier leads to a file: relative, or by an alias such as `@/` for a folder above it. */
function leadsTo(specifier: string, from: string, target: string): boolean {
  const end = target.replace(/(?:\/index)?\.[cm]?[jt]sx?$/, "")
  const given = specifier.replace(/\.[cm]?[jt]sx?$/, "")
  if (given.startsWith(".")) return posix.join(posix.dirname(from), given) === end
  const alias = /^(?:[@~#]\w*\/)(.+)$/.exec(given)?.[1]
  return alias !== undefined && (end === alias || end.endsWith(`/${alias}`))
}

/** Replaces calls with the options by `auth`, or by `handlers` in a route. Leaves a file alone that uses them in another way. */
function rewriteUses(program: Node, { local, statement }: UsedOptions, rewriting: Rewriting): void {
  const { edits } = rewriting
  if (countName(program, "auth") > 0 || countName(program, "handlers") > 0) return
  const route = rewriteRoute(program, local, rewriting)
  const sessions = rewriteCalls(program, local, rewriting)
  if (!route && sessions === 0) return
  const added = [...(sessions > 0 ? ["auth"] : []), ...(route ? ["handlers"] : [])].join(", ")
  const specifier = asNodes(statement["specifiers"]).find((each) => nameOf(each, "local") === local)
  // An import without `as` has two identifiers for its name.
  const own = specifier && nameOf(specifier, "imported") === local ? 2 : 1
  const isUnused = countName(program, local) - own === sessions + (route ? 1 : 0)
  if (specifier && isUnused) edits.overwrite(specifier.start, specifier.end, added)
  else if (specifier) edits.appendLeft(specifier.end, `, ${added}`)
  removeImports(program, rewriting, route ? ["default", "getServerSession"] : ["getServerSession"])
}

/** Replaces calls such as `getServerSession(options)` and `getServerSession(req, res, options)`. @returns how many */
function rewriteCalls(program: Node, local: string, { edits }: Rewriting): number {
  let count = 0
  walkNodes(program, (node) => {
    if (node.type !== "CallExpression" || nameOf(node, "callee") !== "getServerSession") return
    const given = asNodes(node["arguments"])
    const last = given.at(-1)
    if (!last || !isNode(node["callee"]) || last["name"] !== local || (given.length !== 1 && given.length !== 3)) return
    edits.overwrite(node["callee"].start, node["callee"].end, "auth")
    edits.remove(given.at(-2)?.end ?? last.start, last.end)
    count += 1
  })
  return count
}

/** Replaces what a route exports. */
function rewriteRoute(program: Node, local: string, { edits, text }: Rewriting): boolean {
  const isCall = (node: unknown): boolean =>
    isNode(node) &&
    node.type === "CallExpression" &&
    nameOf(node, "callee") === "NextAuth" &&
    asNodes(node["arguments"]).length === 1 &&
    asNodes(node["arguments"])[0]?.["name"] === local
  const statements = asNodes(program["body"])
  const pages = statements.find((node) => node.type === "ExportDefaultDeclaration" && isCall(node["declaration"]))
  if (pages) {
    edits.overwrite(pages.start, pages.end, `export default handlers.pages${endOf(text)}`)
    return true
  }
  const constant = statements.find(
    (node) => node.type === "VariableDeclaration" && isCall(asNodes(node["declarations"])[0]?.["init"]),
  )
  const handler = Object(asNodes(constant?.["declarations"])[0]?.["id"]).name
  const exported = statements.find(
    (node) =>
      node.type === "ExportNamedDeclaration" &&
      asNodes(node["specifiers"]).some((each) => nameOf(each, "local") === handler),
  )
  if (!constant || !exported || handler === undefined) return false
  edits.remove(constant.start, exported.start)
  edits.overwrite(exported.start, exported.end, `export const { GET, POST } = handlers${endOf(text)}`)
  return true
}

/** Removes names that are no longer used from the imports of version 4. */
function removeImports(program: Node, { edits, text }: Rewriting, names: readonly string[]): void {
  for (const statement of asNodes(program["body"])) {
    if (statement.type !== "ImportDeclaration" || nameOf(statement, "source") !== door) continue
    const specifiers = asNodes(statement["specifiers"])
    const kept = specifiers.filter(
      (each) => !names.includes(each.type === "ImportDefaultSpecifier" ? "default" : (nameOf(each, "imported") ?? "")),
    )
    if (kept.length === specifiers.length) continue
    if (kept.length > 0) {
      const named = kept
        .filter(({ type }) => type === "ImportSpecifier")
        .map(({ start, end }) => text.slice(start, end))
      const others = kept
        .filter(({ type }) => type !== "ImportSpecifier")
        .map(({ start, end }) => text.slice(start, end))
      const shown = [...others, ...(named.length > 0 ? [`{ ${named.join(", ")} }`] : [])].join(", ")
      edits.overwrite(statement.start, Object(statement["source"]).start, `import ${shown} from `)
      continue
    }
    const isFirst = /^\uFEFF?$/.test(text.slice(0, statement.start))
    const rest = (isFirst ? /^;?[ \t]*(?:\r?\n)*/ : /^;?[ \t]*\r?\n/).exec(text.slice(statement.end))?.[0] ?? ""
    edits.remove(statement.start, statement.end + rest.length)
  }
}
