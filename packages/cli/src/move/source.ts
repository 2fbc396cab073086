import MagicString from "magic-string"
import {
  type Edition,
  findAugmented,
  findReplacement,
  isAdapter,
  mayNameOldPackage,
  missingTypes,
  packageOf,
  renamedTypes,
} from "./modules.js"
import type { Question, QuestionKind } from "./questions.js"
import { asNodes, childrenOf, findPrograms, isNode, type Node, nameOf, readTree } from "./syntax.js"

/** A source file after its move. */
export interface MovedSource {
  readonly text: string
  readonly questions: readonly Question[]
  /** The packages of Latchkey that it imports. */
  readonly imports: ReadonlySet<string>
  /** The packages of Auth.js that it still imports. */
  readonly left: ReadonlySet<string>
}

/** What is found while the tree is walked. */
interface Walk {
  readonly file: string
  readonly edition: Edition
  readonly edits: MagicString
  readonly start: number
  readonly imports: Set<string>
  readonly left: Set<string>
  ask(kind: QuestionKind, node: Node): void
}

/** Renames the modules of Auth.js in a source file. Only the changed characters differ. */
export function moveSource(file: string, text: string, edition: Edition): MovedSource {
  const questions: Question[] = []
  const [imports, left] = [new Set<string>(), new Set<string>()]
  if (!mayNameOldPackage(text)) return { text, questions, imports, left }
  const edits = new MagicString(text)
  const ask = (kind: QuestionKind, offset: number): void => {
    const line = text.slice(0, offset).split("\n").length
    if (!questions.some((other) => other.kind === kind && other.line === line)) questions.push({ kind, file, line })
  }
  for (const program of findPrograms(file, text)) {
    const tree = readTree(program)
    if (tree === null) {
      if (mayNameOldPackage(program.text)) ask("unreadable", program.start)
      continue
    }
    const { start } = program
    visit(tree, { file, edition, edits, start, imports, left, ask: (kind, node) => ask(kind, start + node.start) })
  }
  if (questions.some(({ kind }) => kind === "unreadable")) left.add("next-auth")
  if (imports.size > 0 && /(?:^|\/)(?:middleware|proxy)\.[cm]?[jt]s$/.test(file)) ask("middleware", 0)
  return { text: edits.toString(), questions, imports, left }
}

function visit(node: Node, walk: Walk): void {
  visitors[node.type]?.(node, walk)
  for (const child of childrenOf(node)) visit(child, walk)
}

const visitors: Readonly<Record<string, (node: Node, walk: Walk) => void>> = {
  ImportDeclaration: moveImport,
  ExportNamedDeclaration: moveImport,
  ExportAllDeclaration: moveImport,
  ImportExpression: (node, walk) => void rename(node["source"], walk),
  CallExpression: moveCall,
  TSImportType: (node, walk) => void rename(literalOf(node["argument"] ?? node["source"]), walk),
  TSExternalModuleReference: (node, walk) => void rename(node["expression"], walk),
  TSModuleDeclaration: (node, walk) => void rename(node["id"], walk, findAugmented),
  ObjectMethod: (node, walk) => askAboutMember(node, node, walk),
  ObjectProperty: (node, walk) => askAboutMember(node, node["value"], walk),
  MemberExpression: askAboutManifest,
  OptionalMemberExpression: askAboutManifest,
  StringLiteral: (node, walk) => askAboutCookie(node, node["value"], walk),
  // Often with a prefix for https.
  TemplateElement: (node, walk) => askAboutCookie(node, cookedOf(node), walk),
}

function askAboutCookie(node: Node, text: unknown, walk: Walk): void {
  if (/(?:next-auth|authjs)\.(?:session-token|csrf-token|callback-url|state|nonce|pkce)/.test(String(text)))
    walk.ask("cookie-name", node)
}

/** `import("x")` types have their literal in different places, by the version of the parser. */
function literalOf(value: unknown): unknown {
  return isNode(value) && value.type === "TSLiteralType" ? value["literal"] : value
}

/** Renames a module, and asks about what has no name here. @returns the new name */
function rename(literal: unknown, walk: Walk, find = findReplacement): string | undefined {
  if (!isNode(literal)) return undefined
  const value = literal.type === "TemplateLiteral" ? readTemplate(literal) : literal["value"]
  if (typeof value !== "string") return undefined
  if (isAdapter(value)) {
    if (literal.type === "StringLiteral") walk.ask("adapter", literal)
    if (value.startsWith("@next-auth/")) walk.left.add("next-auth")
    return undefined
  }
  const name = find(value, walk.edition)
  if (name === null) {
    walk.ask("module", literal)
    walk.left.add(packageOf(value))
  }
  if (typeof name !== "string") return undefined
  if (value.endsWith("/package.json")) walk.ask("package-json", literal)
  walk.edits.overwrite(walk.start + literal.start + 1, walk.start + literal.end - 1, name)
  walk.imports.add(packageOf(name))
  return name
}

/** The text of a template without expressions. */
function readTemplate({ expressions, quasis }: Node): unknown {
  const [part] = Array.isArray(quasis) ? quasis : []
  return Array.isArray(expressions) && expressions.length === 0 ? cookedOf(part) : undefined
}

function cookedOf(element: unknown): unknown {
  const value: unknown = isNode(element) ? element["value"] : undefined
  return typeof value === "object" && value !== null && "cooked" in value ? value.cooked : undefined
}

function moveImport(node: Node, walk: Walk): void {
  const name = rename(node["source"], walk)
  if (name === undefined) return
  for (const specifier of asNodes(node["specifiers"])) moveSpecifier(specifier, name, walk)
}

function moveSpecifier(specifier: Node, module: string, walk: Walk): void {
  const isImport = specifier.type === "ImportSpecifier"
  const imported = isImport ? specifier["imported"] : specifier["local"]
  if (!isNode(imported) || (!isImport && specifier.type !== "ExportSpecifier")) return
  const name = String(imported["name"])
  if (missingTypes.has(name)) walk.ask("type", specifier)
  if (module === "@latchkey/next/v4" && (name === "encode" || name === "decode")) walk.ask("encode", specifier)
  const current = module === "@latchkey/react" && name === "ClientSafeProvider" ? "PublicProvider" : renamedTypes[name]
  if (current === undefined) return
  const shown = isImport ? specifier["local"] : specifier["exported"]
  const isAlias = isNode(shown) && shown.start !== imported.start
  const { start } = walk
  walk.edits.overwrite(start + imported.start, start + imported.end, isAlias ? current : `${current} as ${name}`)
}

const mockers = /^(?:vi|vitest|jest|mock|td)\.[\w.]+$|^require(?:\.resolve)?$|^import\.meta\.resolve$/

/** `require("x")`, `import("x")`, `vi.mock("x")`, and the options of `getToken`. */
function moveCall(node: Node, walk: Walk): void {
  const [first] = Array.isArray(node["arguments"]) ? node["arguments"] : []
  const callee = toPath(node["callee"])
  if (callee === "import" || mockers.test(callee)) rename(first, walk)
  if (callee === "getToken" && isNode(first) && hasMember(first, "secureCookie")) walk.ask("secure-cookie", node)
}

/** `a.b.c` of a member expression. */
function toPath(node: unknown): string {
  if (!isNode(node)) return ""
  if (node.type === "Identifier") return String(node["name"])
  if (node.type === "Import") return "import"
  if (node.type === "MetaProperty") return "import.meta"
  return node.type === "MemberExpression" ? `${toPath(node["object"])}.${toPath(node["property"])}` : ""
}

function hasMember(object: Node, name: string): boolean {
  return asNodes(object["properties"]).some((property) => nameOf(property, "key") === name)
}

/** `manifest.dependencies["next-auth"]`, which the moved package.json does not have. */
function askAboutManifest({ object, property }: Node, walk: Walk): void {
  const name = isNode(property) && property.type === "StringLiteral" ? String(property["value"]) : ""
  if (typeof findReplacement(name, walk.edition) !== "string" || !isNode(object)) return
  if (/[dD]ependencies$/.test(nameOf(object, "property") ?? "")) walk.ask("package-json", object)
}

/** Options that a person has to look at. */
function askAboutMember(member: Node, value: unknown, walk: Walk): void {
  if (!isNode(value)) return
  const name = nameOf(member, "key")
  if (name === "authorize" && throwsError(value)) walk.ask("authorize", member)
  if (name === "jwt" && (hasMember(value, "encode") || hasMember(value, "decode"))) walk.ask("encode", member)
  if (walk.edition !== 4) return
  const isObject = value.type === "ObjectExpression"
  // That of a test stands in for the app's.
  if (name === "logger" && isObject && !isTest(walk.file) && (hasMember(value, "error") || hasMember(value, "warn")))
    walk.ask("logger", member)
  if (name === "httpOptions" && isObject && !isTimeoutAlone(value)) walk.ask("http-options", member)
  if (name === "wellKnown" || (name === "checks" && value.type === "StringLiteral")) walk.ask("own-provider", member)
}

const isTest = (file: string): boolean => /(?:^|\/)__(?:tests|mocks)__\/|\.\w*(?:test|spec)\.[cm]?[jt]sx?$/.test(file)

function isTimeoutAlone(options: Node): boolean {
  return asNodes(options["properties"]).every((property) => nameOf(property, "key") === "timeout")
}

/** Whether a function throws `new Error()` or another error that is not `CredentialsSignin`. */
function throwsError(node: Node): boolean {
  if (node.type === "ThrowStatement") {
    const thrown = node["argument"]
    return isNode(thrown) && thrown.type === "NewExpression" && /^(?:\w*Error)$/.test(toPath(thrown["callee"]))
  }
  return childrenOf(node).some(throwsError)
}
