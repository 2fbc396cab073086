import { parseExpression } from "@babel/parser"
import MagicString from "magic-string"
import { isReplaced } from "./modules.js"

/** A property of a JSON object, and where it stands. */
interface JsonProperty {
  readonly name: string
  readonly value: JsonNode
  readonly start: number
  readonly end: number
}

/** A JSON value with its place. */
interface JsonNode {
  readonly start: number
  readonly end: number
  readonly properties: readonly JsonProperty[]
  readonly elements: readonly JsonNode[]
  readonly text: string | undefined
}

/** Reads JSON, also with comments. Null if it is not valid. */
function readJson(text: string): JsonNode | null {
  try {
    const offset = text.startsWith("\uFEFF") ? 1 : 0
    const tree: unknown = parseExpression(text.slice(offset), { createParenthesizedExpressions: false })
    return toJsonNode(tree, offset)
  } catch {
    return null // The parser throws for what is not valid.
  }
}

function toJsonNode(tree: unknown, offset: number): JsonNode {
  const { start, end, properties, elements, value } = Object(tree)
  const list = (nodes: unknown): readonly unknown[] => (Array.isArray(nodes) ? nodes : [])
  return {
    start: start + offset,
    end: end + offset,
    text: typeof value === "string" ? value : undefined,
    elements: list(elements).map((element) => toJsonNode(element, offset)),
    properties: list(properties).map((property) => {
      const { key, value: held, start: from, end: to } = Object(property)
      const name = String(Object(key).value ?? Object(key).name)
      return { name, value: toJsonNode(held, offset), start: from + offset, end: to + offset }
    }),
  }
}

function findProperty(node: JsonNode | null | undefined, ...path: readonly string[]): JsonProperty | undefined {
  const [name, ...rest] = path
  const found = node?.properties.find((property) => property.name === name)
  return rest.length === 0 ? found : findProperty(found?.value, ...rest)
}

const sections = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] as const

/** The version ranges of a manifest's dependencies, by package. */
export function readDependencies(text: string): ReadonlyMap<string, string> {
  const root = readJson(text)
  const all = sections.flatMap((section) => findProperty(root, section)?.value.properties ?? [])
  return new Map(all.map(({ name, value }) => [name, value.text ?? ""]))
}

/** The changes of a manifest. */
export interface ManifestMove {
  /** The packages of Latchkey that the workspace imports. */
  readonly added: ReadonlySet<string>
  /** The packages of Auth.js that are still needed. */
  readonly kept: ReadonlySet<string>
  readonly range: string
}

/** Replaces the packages of Auth.js in a `package.json` by ours, where the first one stands. */
export function moveManifest(text: string, { added, kept, range }: ManifestMove): string {
  const root = readJson(text)
  if (!root) return text
  const edits = new MagicString(text)
  const listed = readDependencies(text)
  const missing = [...added].filter((name) => !listed.has(name)).sort()
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n"
  for (const section of sections) {
    const { properties = [] } = findProperty(root, section)?.value ?? {}
    const old = properties.filter(({ name }) => isReplaced(name))
    const gone = old.filter(({ name }) => !kept.has(name))
    const [first] = old
    if (!first) continue
    const version = first.value.text?.startsWith("catalog:") ? first.value.text : range
    const indent = findBlanksBefore(text, first.start, " \t")
    const added = missing.splice(0).map((name) => `${JSON.stringify(name)}: ${JSON.stringify(version)}`)
    replaceProperties(edits, properties, { gone: new Set(gone), at: first, added, separator: `,${lineEnd}${indent}` })
  }
  return edits.toString()
}

interface Replacement {
  readonly gone: ReadonlySet<JsonProperty>
  readonly at: JsonProperty
  readonly added: readonly string[]
  readonly separator: string
}

/** Writes new properties in place of one, and removes others with their comma. */
function replaceProperties(edits: MagicString, all: readonly JsonProperty[], change: Replacement): void {
  const { gone, at, added, separator } = change
  const text = added.join(separator)
  const lastKept = all.findLastIndex((property) => !gone.has(property) || (property === at && text !== ""))
  for (const [index, property] of all.entries()) {
    const isGone = gone.has(property)
    const [previous, next] = [all[index - 1], all[index + 1]]
    if (property === at && text !== "") {
      if (isGone) edits.overwrite(property.start, property.end, text)
      else edits.appendLeft(property.start, `${text}${separator}`)
    } else if (isGone) {
      if (next && index < lastKept) edits.remove(property.start, next.start)
      else edits.remove(previous?.end ?? property.start, property.end)
    }
  }
}

/** Replaces the packages in the catalogs of `pnpm-workspace.yaml`. */
export function moveCatalog(text: string, { added, kept, range }: ManifestMove): string {
  const missing = [...added].filter((name) => !new RegExp(`^\\s+["']?${name}["']?:`, "m").test(text)).sort()
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n"
  return text.replace(/^[ \t]+(["']?)(?:next-auth|@auth\/[\w-]+)\1:[^\r\n]*(?:\r?\n|$)/gm, (line) => {
    const [, indent = "", quote = "", name = ""] = /^([ \t]+)(["']?)([\w@/-]+)/.exec(line) ?? []
    if (!isReplaced(name)) return line
    const mark = quote || '"'
    const own = missing.splice(0).map((each) => `${indent}${mark}${each}${mark}: ${range}${lineEnd}`)
    return `${own.join("")}${kept.has(name) ? line : ""}`
  })
}

const renamedVariables = [
  ["NEXTAUTH_SECRET", "AUTH_SECRET"],
  ["NEXTAUTH_URL", "AUTH_URL"],
] as const

/** Renames variables in an example of an environment file or in a compose file, unless the app's own code reads them. */
export function moveVariables(text: string, isRead: (name: string) => boolean): string {
  return renamedVariables.reduce((moved, [name, current]) => {
    if (isRead(name) || new RegExp(`\\b${current}\\b`).test(moved.replaceAll(name, ""))) return moved
    return moved.replace(
      new RegExp(`^([ \\t]*(?:#[ \\t]*|-[ \\t]*["']?|export[ \\t]+)?)${name}(?=[ \\t]*[=:])`, "gm"),
      `$1${current}`,
    )
  }, text)
}

/** Adds the new names beside the old ones in lists of `turbo.json`, such as `globalEnv`. */
export function moveTurbo(text: string): string {
  const root = readJson(text)
  if (!root) return text
  const edits = new MagicString(text)
  const visit = (node: JsonNode): void => {
    const names = node.elements.map((element) => element.text)
    for (const element of node.elements) {
      const current = renamedVariables.find(([name]) => name === element.text)?.[1]
      if (current !== undefined && !names.includes(current)) {
        const lead = findBlanksBefore(text, element.start, " \t\r\n")
        edits.appendLeft(element.end, `,${lead === "" ? " " : lead}${JSON.stringify(current)}`)
      }
    }
    for (const { value } of node.properties) visit(value)
  }
  visit(root)
  return edits.toString()
}

/** The former setting of TypeScript, whose resolution reads no `exports`. */
const isFormer = (value: string | undefined): boolean => /^node(?:10)?$/i.test(value ?? "")

/**
 * Sets `moduleResolution` to `bundler`. Null if the configuration makes CommonJS.
 * @param findBase reads a configuration that this one extends
 */
export function moveTsconfig(text: string, findBase: (path: string) => string | undefined): string | null {
  const root = readJson(text)
  if (!root) return text
  const own = findProperty(root, "compilerOptions", "moduleResolution")
  const resolution = own?.value.text ?? readInherited(text, "moduleResolution", findBase)
  if (!isFormer(resolution)) return text
  if (/^(?:commonjs|umd|amd|system)$/i.test(readInherited(text, "module", findBase) ?? "")) return null
  const edits = new MagicString(text)
  if (own) edits.overwrite(own.value.start + 1, own.value.end - 1, "bundler")
  else {
    const options = findProperty(root, "compilerOptions")?.value
    const [first] = options?.properties ?? []
    if (!options || !first) return null
    const lead = text.slice(options.start + 1, first.start)
    edits.appendLeft(first.start, `"moduleResolution": "bundler",${/\S/.test(lead) ? " " : lead || " "}`)
  }
  return edits.toString()
}

/** An option of a configuration, or of those that it extends. */
function readInherited(
  text: string,
  option: string,
  findBase: (path: string) => string | undefined,
): string | undefined {
  let current: string | undefined = text
  for (let depth = 0; current !== undefined && depth < 10; depth += 1) {
    const root = readJson(current)
    const found = findProperty(root, "compilerOptions", option)?.value.text
    if (found !== undefined) return found
    const base = findProperty(root, "extends")?.value
    const [last] = (base?.elements ?? []).slice(-1)
    const path: string | undefined = base?.text ?? last?.text
    current = path === undefined ? undefined : findBase(path)
  }
  return undefined
}

/** The characters of these kinds before a place. */
function findBlanksBefore(text: string, end: number, kinds: string): string {
  let start = end
  while (start > 0 && kinds.includes(text.charAt(start - 1))) start -= 1
  return text.slice(start, end)
}
