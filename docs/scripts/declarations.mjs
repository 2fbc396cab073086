// Reads interfaces and classes with their doc comments, from a single source file each.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { root } from "./pages.mjs"

/** The statements of a file of the core, such as `types/callbacks.ts`. */
function parse(file) {
  const path = join(root, "packages", "core", "src", file)
  return ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)
}

/** The text of a doc comment, without its tags and with code in place of links. */
function commentOf(node) {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const text = comment === undefined ? "" : (ts.getTextOfJSDocComment(comment.comment) ?? "")
  return text
    .replace(/\{@link (\w+) ?\}/g, "`$1`")
    .replace(/\s+/g, " ")
    .trim()
}

const isDeprecated = (node) => ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "deprecated")

/** The members of an interface: name, type as it is written, doc comment. */
export function readInterface(file, name) {
  const source = parse(file)
  const found = source.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === name)
  if (found === undefined) throw new Error(`${file} has no interface ${name}`)
  const members = found.members
    .filter((member) => member.name !== undefined)
    .map((member) => ({
      name: member.name.getText(source),
      comment: commentOf(member),
      isOptional: member.questionToken !== undefined,
      isDeprecated: isDeprecated(member),
      parameters: (member.parameters ?? []).map(({ type }) => type?.getText(source) ?? ""),
      type: member.type?.getText(source) ?? "",
    }))
  return { comment: commentOf(found), members }
}

/** The exported classes of a file, with their doc comments and their base classes. */
export function readClasses(file) {
  const source = parse(file)
  return source.statements.filter(ts.isClassDeclaration).map((node) => ({
    name: node.name?.text ?? "",
    comment: commentOf(node),
    base: node.heritageClauses?.[0]?.types[0]?.expression.getText(source) ?? "Error",
  }))
}

/** The doc comment of every exported function and constant of a file, by name. */
export function readComments(file) {
  const found = parse(file).statements.flatMap((node) => {
    const names = ts.isVariableStatement(node)
      ? node.declarationList.declarations.map(({ name }) => name.getText())
      : []
    const name = ts.isFunctionDeclaration(node) ? [node.name?.text ?? ""] : names
    return name.map((each) => [each, commentOf(node)])
  })
  return new Map(found)
}

/** The strings of a union type, with those of the unions of the same file that it names. */
export function readUnion(file, name) {
  const found = parse(file).statements.find((node) => ts.isTypeAliasDeclaration(node) && node.name.text === name)
  if (found === undefined) throw new Error(`${file} has no type ${name}`)
  const members = ts.isUnionTypeNode(found.type) ? found.type.types : [found.type]
  return members.flatMap((member) =>
    ts.isTypeReferenceNode(member) ? readUnion(file, member.typeName.getText()) : [member.literal.text],
  )
}

/** The strings of an exported array, with the comment before each. */
export function readElements(file, name) {
  const source = parse(file)
  const declarations = source.statements
    .filter(ts.isVariableStatement)
    .flatMap((node) => [...node.declarationList.declarations])
  const found = declarations.find((node) => node.name.getText(source) === name)?.initializer
  const list = found && ts.isAsExpression(found) ? found.expression : found
  if (list === undefined || !ts.isArrayLiteralExpression(list)) throw new Error(`${file} has no array ${name}`)
  return list.elements.map((element) => ({
    value: element.text,
    comment: source.text.slice(element.pos, element.getStart(source)).match(/\/\*\* ?([\s\S]*?) ?\*\//)?.[1] ?? "",
  }))
}
