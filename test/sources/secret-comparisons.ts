import ts from "typescript"

/** Words in the names of values that an attacker would want to guess. */
const secretWords: ReadonlySet<string> = new Set(
  "token tokens secret secrets mac tag state nonce verifier challenge hash digest signature csrf code password key".split(
    " ",
  ),
)

const equalities: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
])

/** Methods that return at the first difference. */
const stoppingMethods: ReadonlySet<string> = new Set([
  "startsWith",
  "endsWith",
  "localeCompare",
  "is",
  "equals",
  "compare",
])

/** Finds comparisons that may stop at the first difference and have a secret, by its name, on one side. */
export function findSecretComparisons(name: string, source: string): readonly string[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, toKind(name))
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (isSecretEquality(node) || isSecretCall(node)) found.push(node.getText(file).replace(/\s+/g, " "))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function toKind(name: string): ts.ScriptKind {
  return name.endsWith(".tsx") ? ts.ScriptKind.TSX : ts.ScriptKind.TS
}

function isSecretEquality(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node) || !equalities.has(node.operatorToken.kind)) return false
  const sides = [node.left, node.right]
  return sides.every((side) => !isPublic(side)) && sides.some(isSecret)
}

function isSecretCall(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  if (!stoppingMethods.has(node.expression.name.text)) return false
  const sides = [node.expression.expression, ...node.arguments]
  return node.arguments.every((side) => !isPublic(side)) && sides.some(isSecret)
}

/** Literals, lengths, types and comparisons with null are public. */
function isPublic(side: ts.Expression): boolean {
  if (ts.isLiteralExpression(side) || ts.isTypeOfExpression(side) || ts.isPrefixUnaryExpression(side)) return true
  if (ts.isPropertyAccessExpression(side) && ["length", "size"].includes(side.name.text)) return true
  return ["null", "undefined", "true", "false"].includes(side.getText())
}

function isSecret(side: ts.Expression): boolean {
  const last = /([A-Za-z]\w*)(?:\(.*\))?["'\]!]*$/s.exec(side.getText())?.[1] ?? ""
  const words = last
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[ _\d]+/)
  return words.some((word) => secretWords.has(word))
}
