import { spawnSync } from "node:child_process"
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"

// Every `ts` snippet of the documentation compiles as a module, and so does every `tsx` snippet for React.
// A fragment is fenced as `ts fragment`.

const root = join(import.meta.dirname, "..", "..")
const documents = ["*.md", "docs/**/*.md", "packages/*/README.md", "apps/*/README.md"]
const exclude = ["docs/node_modules/**", "docs/generated/**", "docs/dist/**"]
/** Inside the repository, so that the snippets resolve our packages by name. */
const home = join(root, "node_modules", ".cache", "latchkey-snippets")

/** Compiler options that an app need not set. */
const looser = { noUnusedLocals: false, noPropertyAccessFromIndexSignature: false, skipLibCheck: true }

const react = "/** @jsxImportSource react */\n"
/** Snippets for other frameworks need their own JSX types, which are not all installed. */
const isForReact = /from "(@latchkey\/)?react"/

interface Snippet {
  readonly name: string
  readonly code: string
}

function readSnippets(document: string): readonly Snippet[] {
  const text = readFileSync(join(root, document), "utf8")
  const found = [...text.matchAll(/^( *)```(tsx?)\n(.*?)^\1```$/gms)]
  const known = found.filter(([, , kind, code = ""]) => kind === "ts" || isForReact.test(code))
  const moduleOf = (index: number) => `${document.replace(/\W+/g, "-")}-${index + 1}`
  // A snippet that begins with its file name can be imported by the other snippets of its document.
  const modules = new Map(known.map(([, , , code = ""], index) => [fileName.exec(code)?.[1], moduleOf(index)]))
  const toImport = (text: string, file: string) => {
    const module = modules.get(file.replace(/\.[jt]s$/, ""))
    return module === undefined ? text : `from "./${module}.js"`
  }
  return known.map(([, indent = "", kind, code = ""], index) => ({
    name: `${moduleOf(index)}.${kind}`,
    code:
      (kind === "tsx" ? react : "") +
      toModule(code.replaceAll(new RegExp(`^${indent}`, "gm"), "").replace(/from "\.\/([\w.-]+)"/g, toImport)),
  }))
}

const fileName = /^\/\/ ([\w.-]+)\.tsx?\b/

const core = '"../../../packages/core/src/'

/** Replaces the relative imports of a core file, because the snippet is compiled outside of the core. */
function toModule(code: string): string {
  const own = code
    .replace(/"\.\.\/types\/[\w-]+\.js"/g, '"@latchkey/core/types"')
    .replace(/"(?:\.\.\/)+(account|actions|crypto|errors|features|http|runtime|types)\//g, `${core}$1/`)
    .replaceAll('"../method.js"', `${core}methods/method.js"`)
    .replaceAll('"../steps.js"', `${core}methods/steps.js"`)
    .replaceAll('"./_shared/', `${core}providers/_shared/`)
    // The recipe for a sign-in method shows two files of one folder.
    .replaceAll('"./steps.js"', '"../../../packages/core/test/actions/card/steps.js"')
  return `${own}\nexport {}\n`
}

function compile(names: readonly string[]): string {
  const settings = {
    extends: join(root, "tsconfig.test.json"),
    compilerOptions: { rootDir: root, ...looser },
    files: [...names, ...globSync("packages/next/types/*.d.ts", { cwd: root }).map((file) => join(root, file))],
    include: [],
  }
  writeFileSync(join(home, "tsconfig.json"), JSON.stringify(settings))
  const tsc = join(root, "node_modules", "typescript-native", "bin", "tsc")
  return spawnSync(process.execPath, [tsc, "-p", join(home, "tsconfig.json")], { encoding: "utf8" }).stdout
}

describe("the documentation", () => {
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  it("has snippets that compile", () => {
    rmSync(home, { recursive: true, force: true })
    mkdirSync(home, { recursive: true })
    const snippets = documents.flatMap((pattern) => globSync(pattern, { cwd: root, exclude })).flatMap(readSnippets)
    expect(snippets.length).toBeGreaterThan(8)
    for (const { name, code } of snippets) writeFileSync(join(home, name), code)
    expect(compile(snippets.map(({ name }) => name))).toBe("")
  })
})
