// Who may import whom: between the folders of core by the tables below, between packages by the dependencies in their manifests.
import { workspaces } from "./scripts/packages.mjs"

/**
 * Rows of core/src, highest first. A file may import any lower row, never another room of its own row. A room is a folder
 * with all that is below it, unless its subfolders have rooms of their own.
 */
export const coreRows = [
  ["diagnosis/index.ts"],
  ["integration", "diagnosis/examine.ts"],
  ["messages/languages"],
  ["features/languages"],
  ["messages/all.ts"],
  [
    "features/access-tokens",
    "features/account-area",
    "features/doctor",
    "features/moving",
    "features/native-apps",
    "features/passwords",
    "features/provider-logout",
    "features/second-factors",
  ],
  ["methods/password"],
  ["features/tracked-sessions"],
  ["(root)", "adapters", "jwt"],
  ["actions"],
  ["features"],
  ["config", "diagnosis/ask-provider.ts"],
  ["methods"],
  ["features/feature.ts"],
  ["features/functions.ts"],
  ["methods/steps.ts"],
  ["mail"],
  ["account", "oauth", "pages", "rate-limit", "session"],
  ["checks"],
  ["host"],
  ["crypto", "http", "log", "pages/markup", "pages/theme"],
  ["runtime"],
  ["diagnosis", "types"],
  ["errors", "messages"],
]

/** Exceptions to the rows: the only rooms of core/src that these may import besides themselves. */
export const coreOnly = {
  providers: ["types", "mail", "methods", "methods/password"],
}

const testFile = "[.](test|test-d)[.]tsx?$|/test/|^test/"
const testkit = "packages/testkit"
/** The files of core that may import from Node: its crypto, and the types of a module that is loaded at run time. */
const nodeFile = "^packages/core/src/(crypto/node(-crypto)?|methods/password/format)[.]ts$"
/** An entry of a package, which no file of the package imports. */
const face = "/index[.]tsx?$"

const anyOf = (names) => `(${names.join("|")})`
const rooms = [...coreRows.flat(), ...Object.keys(coreOnly)]
/** A pattern for the files of a room. */
function inCore(room) {
  if (room === "(root)") return "^packages/core/src/[^/]+$"
  const path = room.replaceAll(".", "[.]")
  if (room.endsWith(".ts")) return `^packages/core/src/${path}$`
  const others = rooms.filter((other) => other.startsWith(`${room}/`)).map((other) => other.slice(room.length + 1))
  const inner = others.map((other) => (other.endsWith(".ts") ? `${other.replaceAll(".", "[.]")}$` : `${other}/`))
  return `^packages/core/src/${path}/${inner.length > 0 ? `(?!${inner.join("|")})` : ""}`
}
/** Whether a file of core/src belongs to a room. */
export const hasRoom = (source) => rooms.some((room) => new RegExp(inCore(room)).test(source))
const rule = (name, comment, from, to) => ({ name, comment, severity: "error", from, to })

const layers = coreRows.flatMap((row, height) =>
  row
    .filter((folder) => !(folder in coreOnly))
    .map((folder) => {
      const below = coreRows.slice(height + 1).flat()
      const allowed = [folder, ...below].map(inCore)
      return rule(
        `layer-${folder.replace(/[^\w/]/g, "")}`,
        `core/src/${folder} imports itself and the rows below it`,
        { path: inCore(folder), pathNot: testFile },
        { path: "^packages/core/src/", pathNot: allowed },
      )
    }),
)

const exceptions = Object.entries(coreOnly).map(([folder, allowed]) =>
  rule(
    `layer-${folder}`,
    `core/src/${folder} imports only ${["itself", ...allowed].join(", ")}`,
    { path: inCore(folder), pathNot: testFile },
    { path: "^packages/core/src/", pathNot: [folder, ...allowed].map(inCore) },
  ),
)

const packages = workspaces.flatMap(({ folder: own, dependencies: allowed, devDependencies }) => [
  rule(
    `package-${own.replace("/", "-")}`,
    `${own} imports ${allowed.length > 0 ? allowed.join(", ") : "none of our packages"}`,
    { path: `^${own}/`, pathNot: testFile },
    { path: "^(packages|apps)/", pathNot: `^${anyOf([own, ...allowed])}/` },
  ),
  rule(
    `tests-${own.replace("/", "-")}`,
    `tests of ${own} also import its devDependencies and the testkit`,
    { path: `^${own}/.*(${testFile})` },
    { path: "^(packages|apps)/", pathNot: `^${anyOf([own, ...allowed, ...devDependencies, testkit])}/` },
  ),
])

export default {
  forbidden: [
    rule("no-circular", "no circle of any length, types included", {}, { circular: true }),
    // `node` is a reference to its types. What begins with a dollar sign is made by the build of a SvelteKit app, and what names `latchkey` by that of an Astro or Nuxt app.
    rule(
      "no-unresolved",
      "every import leads somewhere; frameworks too large to install here are installed by their examples",
      // These have packages of their own.
      { pathNot: "^test/(compat|runtimes)/" },
      {
        couldNotResolve: true,
        pathNot: [
          "^node$",
          "^[$](app|env)/",
          "^latchkey:",
          "^#latchkey/",
          "^nuxt/app$",
          "^next(/|$)",
          "^@builder[.]io/qwik",
        ],
      },
    ),
    ...layers,
    ...exceptions,
    rule(
      "face-not-from-inside",
      "index files are for other packages: files of the same package import the source",
      { path: "^(packages|apps)/([^/]+)/", pathNot: testFile },
      { path: `^$1/$2/.*${face}` },
    ),
    rule(
      "own-package-by-path",
      "other packages are imported only through their index files",
      { path: "^(packages|apps)/([^/]+)/" },
      {
        path: "^packages/",
        pathNot: ["^$1/$2/", face, "^packages/core/src/(providers|messages/languages)/[^/]+[.]ts$"],
      },
    ),
    rule(
      "core-without-node",
      "core uses Web standards; only the files of nodeFile import Node's modules",
      { path: "^packages/core/src/", pathNot: `${testFile}|${nodeFile}` },
      { dependencyTypes: ["core"] },
    ),
    rule(
      "client-without-server",
      "browser code imports nothing from core, types included: they come from packages/types",
      {
        path: "^packages/((client|react|vue|svelte)/src|(astro|sveltekit|solid-start)/src/client|nuxt/src/app)/",
        pathNot: testFile,
      },
      { path: "^packages/core/" },
    ),
    rule(
      "adapters-apart",
      "an adapter never imports another one",
      { path: "^packages/([^/]+-adapter)/" },
      { path: "^packages/[^/]+-adapter/", pathNot: "^packages/$1/" },
    ),
    ...packages,
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|coverage|prisma/generated)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@latchkey/source", "node", "import", "types", "default"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".json"],
    },
  },
}
