import { type ParserPlugin, parse } from "@babel/parser"

/** A node of the syntax tree, as far as it is read. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** A part of a file that is a program. */
export interface Program {
  readonly start: number
  readonly text: string
  readonly plugins: ParserPlugin[]
}

/** The file itself, or its scripts. */
export function findPrograms(file: string, text: string): readonly Program[] {
  const extension = /\.([cm]?[jt]sx?|svelte|vue|astro)$/.exec(file)?.[1] ?? ""
  if (!["svelte", "vue", "astro"].includes(extension)) {
    const isTyped = extension.includes("ts")
    const hasMarkup = !isTyped || extension === "tsx"
    return [{ start: 0, text, plugins: [...(isTyped ? typed : []), ...(hasMarkup ? markup : []), ...always] }]
  }
  const programs = [...text.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi)].map((found) => {
    const [whole, attributes = "", code = ""] = found
    const start = found.index + whole.indexOf(">", "<script".length + attributes.length) + 1
    const hasMarkup = /lang\s*=\s*["']?[jt]sx/.test(attributes)
    return { start, text: code, plugins: [...typed, ...(hasMarkup ? markup : []), ...always] }
  })
  const lead = text.length - text.trimStart().length // A byte order mark is white space, too.
  const start = text.indexOf("\n", lead) + 1
  const end = text.indexOf("\n---", start - 1) + 1
  if (extension !== "astro" || !text.startsWith("---", lead) || start === 0 || end === 0) return programs
  return [{ start, text: text.slice(start, end), plugins: [...typed, ...markup, ...always] }, ...programs]
}

const typed: readonly ParserPlugin[] = ["typescript"]
const markup: readonly ParserPlugin[] = ["jsx"]
const always: readonly ParserPlugin[] = ["decorators"]

/** Null for a program that is not valid. */
export function readTree({ text, plugins }: Program): Node | null {
  try {
    const options = { allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true, errorRecovery: true }
    const tree: unknown = parse(text, { ...options, sourceType: "unambiguous", plugins })
    return isNode(tree) ? tree : null
  } catch {
    return null // The parser throws for what it cannot recover from.
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
}

const unread: ReadonlySet<string> = new Set(["loc", "leadingComments", "trailingComments", "innerComments", "errors"])

/** The nodes directly below a node. Half of the time of a large project is spent here, so nothing is made but the list. */
export function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = []
  for (const field in node) {
    const value = node[field]
    if (Array.isArray(value) && !unread.has(field)) children.push(...asNodes(value))
    else if (isNode(value) && !unread.has(field)) children.push(value)
  }
  return children
}

/** Calls a function for a node and all below it. */
export function walkNodes(node: Node, see: (node: Node) => void): void {
  see(node)
  for (const child of childrenOf(node)) walkNodes(child, see)
}

/** A list of nodes; empty for any other value. */
export function asNodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** The name in a part of a node, such as its key. */
export function nameOf(node: Node, part: string): string | undefined {
  const { name, value }: { readonly name?: unknown; readonly value?: unknown } = Object(node[part])
  const found = name ?? value
  return typeof found === "string" ? found : undefined
}

/** The program of a file that is one. Null for a component, and for a file that is not valid. */
export function readProgram(file: string, text: string): Node | null {
  const [program, ...more] = findPrograms(file, text)
  if (!program || more.length > 0 || program.text !== text) return null
  const tree = readTree(program)?.["program"]
  return isNode(tree) ? tree : null
}
