// The API reference of every public entry of every package, from their types and doc comments.
import { readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { Application } from "typedoc"
import { published, workspaces } from "../../scripts/packages.mjs"
import { root, site } from "./pages.mjs"

/** From source files to the names under which they are imported. Providers have pages of their own. */
function listEntries() {
  const packages = workspaces.filter(({ folder }) => published.includes(folder))
  const found = packages.flatMap(({ folder, manifest }) =>
    Object.entries(manifest.exports ?? {}).flatMap(([path, conditions]) => {
      const source = conditions?.["@latchkey/source"]
      if (source === undefined || source.includes("*") || path === "./providers") return []
      return [[join(root, folder, source), `${manifest.name}${path.slice(1)}`]]
    }),
  )
  return new Map(found.filter(([file]) => /\.tsx?$/.test(file)))
}

const options = {
  plugin: ["typedoc-plugin-markdown"],
  tsconfig: join(root, "docs", "tsconfig.json"),
  outputs: [{ name: "markdown", path: join(site, "api") }],
  // The compiler checks the types elsewhere.
  skipErrorChecking: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  disableSources: true,
  readme: "none",
  name: "API reference",
  logLevel: "Error",
  router: "module",
  // What an app calls comes before the types of its arguments.
  groupOrder: ["Functions", "Variables", "Classes", "Interfaces", "Type Aliases", "References", "*"],
  entryFileName: "index",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandParameters: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  typeDeclarationFormat: "table",
  propertyMembersFormat: "table",
  sanitizeComments: true,
  useHTMLAnchors: true,
}

/** TypeDoc calls a module by its path below the folder that all of them share. */
const moduleOf = (file) =>
  relative(join(root, "packages"), file)
    .replaceAll("\\", "/")
    .replace(/(?:\/index)?\.tsx?$/, "")

const slugOf = (name) => name.replace("@latchkey/", "").replaceAll("/", "-")

/** Gives every module the name of its page, because TypeDoc names pages after modules. */
function renameModules(project, entries) {
  const names = new Map([...entries].map(([file, name]) => [moduleOf(file), name]))
  for (const module of project.children ?? []) {
    const name = names.get(module.name)
    if (name === undefined) throw new Error(`TypeDoc read an unknown module: ${module.name}`)
    module.name = slugOf(name)
  }
}

/** `Auth` is declared for its rare form first, because the compiler takes the first one that fits. Readers come for the other. */
function showPublicSignatureFirst(project) {
  const { signatures } =
    project.children?.find(({ name }) => name === "core")?.children?.find(({ name }) => name === "Auth") ?? {}
  if (signatures?.length !== 2) throw new Error("Auth of @latchkey/core has other signatures than those that are known")
  signatures.reverse()
}

/** What the README of a package says first, for the page of its main entry. */
function introduce(name) {
  const { folder } = workspaces.find(({ manifest }) => manifest.name === name) ?? {}
  if (folder === undefined) return ""
  const [, paragraph = ""] =
    readFileSync(join(root, folder, "README.md"), "utf8").match(/^# .*\n\n([\s\S]*?)\n\n/) ?? []
  const text = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
  return `\n${text} [Its page](../${folder}.md) shows how to begin.\n`
}

/**
 * The page begins with the name that an app imports, and the main entry of a package with what it is for. Angle brackets
 * outside of code would be tags of Vue.
 */
function finishPage(file, name) {
  const text = readFileSync(file, "utf8").replace(/^# .*\n/, () => `# ${name}\n${introduce(name)}`)
  writeFileSync(file, text.replaceAll("{{", "&#123;&#123;"))
}

/** Returns the pages that it wrote. */
export async function writeApi() {
  const entries = listEntries()
  const app = await Application.bootstrapWithPlugins({ ...options, entryPoints: [...entries.keys()] })
  const project = await app.convert()
  if (project === undefined) throw new Error("TypeDoc could not read the packages")
  renameModules(project, entries)
  showPublicSignatureFirst(project)
  await app.generateOutputs(project)
  const pages = [...entries.values()].map((text) => ({ path: `api/${slugOf(text)}.md`, text }))
  for (const { path, text } of pages) finishPage(join(site, path), text)
  return pages
}
