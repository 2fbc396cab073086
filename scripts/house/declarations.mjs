// What an editor shows of the built declarations.
import { globSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import ts from "typescript"
import { core, folders, root } from "./sources.mjs"

/** The built declarations of every public subpath. */
function findFaces(folder) {
  const { exports = {} } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  const patterns = Object.values(exports).flatMap((entry) => entry?.types ?? [])
  return patterns.flatMap((pattern) => globSync(join(folder, pattern), { cwd: root })).map((path) => join(root, path))
}

function isDocumented(symbol, checker) {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== ""
}

export function measureDeclarations() {
  const faces = folders.flatMap(findFaces)
  const program = ts.createProgram(faces, {
    strict: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    jsx: ts.JsxEmit.Preserve,
  })
  const checker = program.getTypeChecker()
  const target = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
  const isOurs = (symbol) =>
    symbol.declarations?.some((node) => !node.getSourceFile().fileName.includes("/node_modules/"))
  const exportsOf = (face) => checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(face)))
  const ours = new Set(faces.flatMap(exportsOf).map(target).filter(isOurs))
  const silent = [...ours].filter((symbol) => !isDocumented(symbol, checker))
  const config = exportsOf(join(root, core, "dist", "index.d.ts")).find(({ name }) => name === "AuthConfig")
  const options = checker.getDeclaredTypeOfSymbol(target(config)).getProperties()
  const mute = options.filter((option) => !option.name.startsWith("__@") && !isDocumented(option, checker))
  const placeOf = ({ name, declarations: [node] }) => `${relative(root, node.getSourceFile().fileName)} ${name}`
  return {
    figures: {
      "options without hover text": mute.length,
      "exported symbols without a doc comment, all packages": silent.length,
    },
    details: {
      "options without hover text": mute.map(({ name }) => name),
      "exported symbols without a doc comment": silent.map(placeOf),
    },
  }
}
