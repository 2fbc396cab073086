// Checks that every regular expression of the packages takes linear time to refuse a text, so that no stored or received
// text can hold up the process. Proves nothing about patterns in which only a repeated word of several characters is slow.
import { globSync, readFileSync } from "node:fs"
import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp"
import { analyse } from "scslre"
import ts from "typescript"

/** Quantifiers up to this many repetitions are counted; the analysis takes the others for unlimited. */
const fewRepetitions = 8

/** These read the files of the app's own developer, and look for names of its packages and options. */
const readsOwnFiles = /^packages\/cli\/src\/(?:doctor|move)\//

const files = globSync("packages/*/{bin,src}/**/*.{ts,tsx,mts,js,mjs}", {
  exclude: ["**/node_modules/**", "**/*.test.{ts,tsx}"],
}).sort()

/** A pattern that is written as a text, so that an engine reads it when it is used. */
const isRawText = (node) =>
  node !== undefined &&
  ts.isTaggedTemplateExpression(node) &&
  ts.isNoSubstitutionTemplateLiteral(node.template) &&
  node.tag.name?.text === "raw"

/** @returns the patterns of a file with their places, and the calls whose pattern cannot be read */
function findPatterns(file) {
  const text = readFileSync(file, "utf8")
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false)
  const placeOf = (node) => `${file}:${source.getLineAndCharacterOfPosition(node.end).line + 1}`
  const [patterns, named, raw, calls] = [[], new Set(), new Map(), []]
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) patterns.push({ place: placeOf(node), literal: node.text })
    if (ts.isVariableDeclaration(node) && node.initializer && ts.isRegularExpressionLiteral(node.initializer))
      named.add(node.name.text)
    if (ts.isVariableDeclaration(node) && isRawText(node.initializer))
      raw.set(node.name.text, node.initializer.template.rawText)
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.text === "RegExp") {
      const [source, flags] = node.arguments ?? []
      calls.push({ place: placeOf(node), name: source?.text, flags: flags?.text ?? "" })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  for (const { place, name, flags } of calls)
    if (raw.has(name)) patterns.push({ place, literal: `/${raw.get(name)}/${flags}` })
  const unread = calls.filter(({ name }) => !named.has(name) && !raw.has(name)).map(({ place }) => place)
  return { patterns, unread }
}

/** The pattern with `*` or `+` in place of quantifiers with a high limit, which would hide them from the analysis. */
function removeLimits(source, flags) {
  const found = []
  const parsed = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  })
  visitRegExpAST(parsed, {
    onQuantifierEnter: (node) => {
      if (Number.isFinite(node.max) && node.max > fewRepetitions && node.min !== node.max) found.push(node)
    },
  })
  // From the end, so that the positions of the others stay as they are.
  return found
    .sort((one, other) => other.end - one.end)
    .reduce((text, { min, greedy, element, end }) => {
      return `${text.slice(0, element.end)}${min > 0 ? "+" : "*"}${greedy ? "" : "?"}${text.slice(end)}`
    }, source)
}

function isLinear(literal) {
  const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(literal)
  return analyse({ source: removeLimits(source, flags), flags }).reports.length === 0
}

// The check is worth nothing if it no longer finds what it is for.
const slow = ["/^(?:[a-z]{1,32}=[a-z.]{1,64},?)+$/", "/^(a+)+$/", "/=+$/", "/^bearer[ \\t]+(.*)$/"]
const problems = slow.filter(isLinear).map((literal) => `is not recognized as slow: ${literal}`)

const places = new Map()
for (const file of files) {
  const { patterns, unread } = findPatterns(file)
  for (const { place, literal } of patterns) if (!places.has(literal)) places.set(literal, place)
  for (const place of readsOwnFiles.test(file) ? [] : unread)
    problems.push(`${place}: write the pattern as a literal, so that it can be checked`)
}
for (const [literal, place] of places) {
  if (!isLinear(literal)) problems.push(`${place}: ${literal} takes more than linear time for some texts`)
}

if (places.size === 0) problems.push("no regular expression found")
for (const problem of problems) console.error(problem)
console.log(`patterns: ${places.size} regular expressions, ${problems.length} problems`)
process.exit(problems.length > 0 ? 1 : 0)
