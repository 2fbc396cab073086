// Bundles packages/core into dist/bundle, the JavaScript that the package publishes. One chunk holds everything that
// importing "@latchkey/core" runs; each other entry and each lazily loaded part has a file of its own.
// docs/decisions/published-bundle.md has the reasons.
import { createHash } from "node:crypto"
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { decode, encode } from "@jridgewell/sourcemap-codec"
import { rolldown } from "rolldown"
import { parseAst } from "rolldown/parseAst"
import { withStaticForms } from "./bundle-loads.mjs"

const root = join(import.meta.dirname, "..")
const core = join(root, "packages/core")
const bundle = join(core, "dist/bundle")
const { exports: faces, imports } = JSON.parse(readFileSync(join(core, "package.json"), "utf8"))

const stamp = join(root, "node_modules/.cache/latchkey-bundle-core")

/** Hashes the bundle and everything it is built from. */
function hashFiles() {
  const sources = ["packages/core/{src,dist/bundle}/**/*.*", "packages/core/{package,tsconfig}.json"]
  const tools = ["tsconfig.base.json", "package-lock.json", "scripts/bundle-*.mjs"]
  const hash = createHash("sha256")
  for (const path of globSync([...sources, ...tools], { cwd: root }).sort())
    hash.update(`${path}\0`).update(readFileSync(join(root, path)))
  return hash.digest("hex")
}

// Many commands run this script first, and usually nothing has changed.
if (existsSync(stamp) && readFileSync(stamp, "utf8") === hashFiles()) process.exit()

const toName = (path) => relative(join(core, "src"), path).replace(/\.tsx?$/, "")

/** The sources of every entry in the manifest, by the name of their file in the bundle. */
const entries = Object.fromEntries(
  [
    ...Object.values(faces),
    ...["#crypto", "#stories"].flatMap((name) => Object.values(imports[name]["@latchkey/source"])),
  ]
    .map((face) => face?.["@latchkey/source"] ?? face)
    .filter((path) => path?.startsWith("./src/"))
    .flatMap((pattern) => globSync(pattern, { cwd: core, exclude: ["**/*.test.*"] }))
    .map((path) => [toName(join(core, path)), join(core, path)]),
)

const build = await rolldown({
  input: entries,
  cwd: core,
  platform: "neutral",
  external: [/^#(?:crypto|stories)$/, /^[^.#/]/],
  resolve: { conditionNames: ["@latchkey/source"], extensionAlias: { ".js": [".ts", ".tsx"] } },
  preserveEntrySignatures: "strict",
  optimization: { inlineConst: true },
  tsconfig: join(core, "tsconfig.json"),
})
const { output } = await build.generate({
  dir: bundle,
  format: "es",
  sourcemap: true,
  // The maps lead to src, which is in the package.
  sourcemapExcludeSources: true,
  // Shorter expressions, which the minifiers of apps do not all find. Names and statements stay, for traces.
  minify: {
    compress: { joinVars: false, sequences: false, keepNames: { function: true, class: true } },
    mangle: false,
    codegen: false,
  },
  // The sources have the comments, and the declarations those that editors show.
  comments: { jsdoc: false, legal: true, annotation: true },
  entryFileNames: "[name].js",
  chunkFileNames: ({ name, facadeModuleId }) => (facadeModuleId ? `${toName(facadeModuleId)}.js` : `shared/${name}.js`),
  codeSplitting: {
    groups: [
      // The implementations of #crypto import these, and core imports #crypto. That of Node is here too, since opening a file takes time.
      {
        name: "crypto",
        test: /[\\/](?:crypto[\\/](?:backend|encoding|node-crypto)|runtime[\\/]promise)\.ts$/,
        priority: 1,
      },
      // What reads a token, and no more: some bundlers give an app all that a file imports, even by an `import()` in code that
      // the app does not use.
      {
        name: "tokens",
        test: /[\\/]src[\\/](?:crypto[\\/](?:jwt|keys)|errors[\\/](?:errors|auth-error)|http[\\/](?:own-cookies|cookies)|runtime[\\/](?:cache|json|merge)|session[\\/]cookies)\.ts$/,
        priority: 1,
      },
      // Beside the pages, a middleware that imports it would have them all.
      { name: "seal", test: /[\\/]src[\\/]crypto[\\/]seal\.ts$/, priority: 1 },
      // Code that only reads sessions, for the same reason: a middleware does not sign anyone in.
      { name: "reader", test: /[\\/]src[\\/]integration[\\/]reader[\\/]index\.ts$/ },
      { name: "core", test: /[\\/]core[\\/]src[\\/]index\.ts$/ },
      // What the first sign-in page loads, and no more: opening a file takes time, and so does reading what is not used.
      // The pages around it share a file, since each further file makes the bundles of apps larger.
      {
        name: "pages",
        test: /[\\/]src[\\/](?:actions[\\/](?:signin|reference)|checks[\\/](?:callback-url|csrf)|features[\\/]page|pages[\\/](?:document|sign-in))\.tsx?$/,
      },
      {
        name: "simple-pages",
        test: /[\\/]src[\\/](?:actions[\\/](?:error|assets)|features[\\/](?:form-values|sign-out)|pages[\\/]simple-pages)\.tsx?$/,
      },
    ],
  },
})
await build.close()

/**
 * A map to lines, without columns: what stack traces need, in a third of the size. Deno reads the map of each file that
 * it imports.
 */
function withoutColumns(map) {
  const { mappings, ...rest } = JSON.parse(map)
  const lines = decode(mappings).map((segments) =>
    segments
      .filter(([, source, line], index) => {
        const before = segments[index - 1]
        return !before || before[1] !== source || before[2] !== line
      })
      .map((segment) => segment.slice(0, 4)),
  )
  return JSON.stringify({ ...rest, names: [], mappings: encode(lines) })
}

/**
 * Marks every call that runs at import as pure, which all of ours are. Without the marks, the bundler of an app keeps each
 * constant that is computed by a call, and all the code that it leads to: the pages and flows for an app that only
 * imports `getToken`. Lines stay, and with them the source map.
 */
function withPureCalls(code) {
  const starts = new Set()
  function visit(node) {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node?.type !== "string" || /Function|^Class/.test(node.type)) return
    if (node.type === "CallExpression" || node.type === "NewExpression") starts.add(node.start)
    Object.values(node).forEach(visit)
  }
  for (const statement of parseAst(code).body) {
    if (statement.type === "VariableDeclaration") visit(statement.declarations.map(({ init }) => init))
  }
  return [...starts]
    .sort((one, other) => other - one)
    .reduce((text, at) => {
      const isMarked = text.slice(0, at).endsWith("/* @__PURE__ */ ")
      return isMarked ? text : `${text.slice(0, at)}/* @__PURE__ */ ${text.slice(at)}`
    }, code)
}

const texts = withStaticForms(
  new Map(output.filter(({ type }) => type === "chunk").map((chunk) => [chunk.fileName, chunk])),
)
const assets = output.filter(({ type }) => type !== "chunk")

// Only what changed is written, since tests that run at the same time may be reading the files.
const files = new Map([
  ...[...texts].map(([name, code]) => [join(bundle, name), withPureCalls(code)]),
  ...assets.map(({ fileName, source }) => [
    join(bundle, fileName),
    fileName.endsWith(".map") ? withoutColumns(source) : source,
  ]),
])
for (const [path, content] of files) {
  if (existsSync(path) && readFileSync(path, "utf8") === content) continue
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
for (const path of globSync("**/*.{js,map}", { cwd: bundle })) {
  if (!files.has(join(bundle, path))) rmSync(join(bundle, path))
}
mkdirSync(dirname(stamp), { recursive: true })
writeFileSync(stamp, hashFiles())
