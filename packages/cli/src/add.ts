import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type CommandContext, UsageError } from "./config.js"
import { createPaint, escapeText } from "./terminal.js"

const usage = `Usage: latchkey add <component...> [options]

Copies components into an app, which are its own from then on.

  sign-in          the sign-in: password, mailed code, passkey, providers, second factor
  sign-up          the sign-up with an address and a password
  reset-password   a new password, with the code of an email
  account          the user's name and sessions
  user-button      the user's picture with a menu, or a button to sign in

  --react, --vue, --svelte
                   the framework. Default: the one of package.json
  --tailwind, --css
                   classes of Tailwind CSS, or a stylesheet. Default: --tailwind if package.json has it, else --css
  --to <folder>    where to. Default: components/auth, below src, app or src/lib as the framework has it
  --language <tag> texts in another language as well, such as de. Can be repeated
  --overwrite      replaces files that are there with other contents
  --help           prints this help
`

const options = {
  react: { type: "boolean", default: false },
  vue: { type: "boolean", default: false },
  svelte: { type: "boolean", default: false },
  tailwind: { type: "boolean", default: false },
  css: { type: "boolean", default: false },
  to: { type: "string" },
  language: { type: "string", multiple: true },
  overwrite: { type: "boolean", default: false },
  help: { type: "boolean", short: "h" },
} as const

const frameworks = ["react", "vue", "svelte"] as const
type Framework = (typeof frameworks)[number]

const componentNames = ["sign-in", "sign-up", "reset-password", "account", "user-button"] as const
type ComponentName = (typeof componentNames)[number]

/** The files of each component, without their extension. All of them share the texts and the stylesheet. */
const parts: Readonly<Record<ComponentName, readonly string[]>> = {
  "sign-in": ["sign-in", "second-factor", "form"],
  "sign-up": ["sign-up", "second-factor", "form"],
  "reset-password": ["reset-password", "second-factor", "form"],
  account: ["account", "form"],
  "user-button": ["user-button"],
}

/**
 * `latchkey add`.
 * @returns the exit code
 * @throws UsageError when the arguments are wrong, or the app does not tell what they leave open
 * @throws Error when a file is in the way. Nothing was written.
 */
export function add(args: readonly string[], context: CommandContext): number {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help) {
    context.print(usage)
    return 0
  }
  const names = positionals.map(toComponentName)
  if (names.length === 0) throw new UsageError(usage)
  const manifest = readManifest(context.folder)
  const { packages } = manifest
  const framework = chooseFramework(values, packages)
  if (values.tailwind && values.css) throw new UsageError("Choose --tailwind or --css.")
  const hasTailwind = values.tailwind || (!values.css && packages.has("tailwindcss"))
  const folder = resolve(context.folder, values.to ?? defaultFolder(framework, context.folder))
  const copied = [...readFiles(names, framework, hasTailwind), ...readTexts(values.language ?? [])]
  const files = copied.map(({ name, text }) => ({ path: join(folder, name), text }))
  const written = write(files, { home: context.folder, mayOverwrite: values.overwrite })
  context.print(report({ names, framework, folder, written, files: files.length, manifest }, context))
  return 0
}

function toComponentName(name: string): ComponentName {
  const known = componentNames.find((one) => one === name)
  if (known === undefined) throw new UsageError(`Name components: ${componentNames.join(", ")}.`)
  return known
}

interface Manifest {
  /** The packages that the app depends on. */
  readonly packages: ReadonlySet<string>
  /** How SvelteKit names the folder `src/lib`: `$lib` in version 2, and `#lib` where the manifest says so. */
  readonly lib: string | undefined
}

function readManifest(folder: string): Manifest {
  const file = join(folder, "package.json")
  if (!existsSync(file))
    throw new UsageError("There is no package.json here. Run the command in the folder of the app.")
  const manifest: Readonly<Record<string, unknown>> = readJson(file)
  const groups = [manifest["dependencies"], manifest["devDependencies"]]
  const found = new Map<string, unknown>(groups.flatMap((group) => Object.entries(group ?? {})))
  const hasOwnName = Object.keys(manifest["imports"] ?? {}).some((name) => /^#lib(?:\/\*)?$/.test(name))
  const isSecond = /^[\^~=v]*2(?:\.|$)/.test(String(found.get("@sveltejs/kit")))
  return { packages: new Set(found.keys()), lib: hasOwnName ? "#lib" : isSecond ? "$lib" : undefined }
}

function readJson(file: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, "")))
  } catch {
    throw new UsageError("package.json is no JSON.")
  }
}

function chooseFramework(values: Readonly<Record<Framework, boolean>>, packages: ReadonlySet<string>): Framework {
  const named = frameworks.filter((name) => values[name])
  const found = named.length > 0 ? named : frameworks.filter((name) => isUsed(name, packages))
  const [framework, ...more] = found
  if (framework === undefined || more.length > 0) throw new UsageError("Choose --react, --vue or --svelte.")
  return framework
}

const wholeFrameworks = { react: "next", vue: "nuxt", svelte: "@sveltejs/kit" } as const

const isUsed = (name: Framework, packages: ReadonlySet<string>): boolean =>
  packages.has(name) || packages.has(wholeFrameworks[name])

/** Where the framework's own starter has its components. */
function defaultFolder(framework: Framework, folder: string): string {
  const has = (name: string): boolean => existsSync(join(folder, name))
  if (framework === "svelte") return join("src", "lib", "components", "auth")
  if (framework === "vue" && has("app")) return join("app", "components", "auth")
  return join(has("src") ? "src" : "", "components", "auth")
}

const templates = fileURLToPath(new URL("../components", import.meta.url))

const read = (...path: readonly string[]): string => readFileSync(join(templates, ...path), "utf8")

interface ComponentFile {
  readonly name: string
  readonly text: string
}

function readFiles(
  names: readonly ComponentName[],
  framework: Framework,
  hasTailwind: boolean,
): readonly ComponentFile[] {
  const files = [...new Set(names.flatMap((name) => parts[name]))].map((part) => {
    const name = toFileName(part, framework)
    const text = read(framework, name)
    return { name, text: hasTailwind ? toTailwind(text) : text }
  })
  return [...files, ...(hasTailwind ? [] : [{ name: "auth.css", text: read("auth.css") }])]
}

/** The texts in English, and those in other languages. */
function readTexts(tags: readonly string[]): readonly ComponentFile[] {
  const known = readdirSync(templates).flatMap((name) => /^texts\.(.+)\.ts$/.exec(name)?.[1] ?? [])
  const unknown = tags.find((tag) => !known.includes(tag))
  if (unknown !== undefined) {
    throw new UsageError(
      `There are no texts for ${unknown}, only for: ${known.sort().join(", ")}. Copy those in English, and translate texts.en.ts.`,
    )
  }
  const others = [...new Set(tags)].filter((tag) => tag !== "en").sort()
  const imports = others.map((tag) => `import { ${toVariable(tag)} } from "./texts.${tag}"\n`)
  const text = read("texts.ts").replace("= { en }", `= { ${["en", ...others].map(toEntry).join(", ")} }`)
  return [
    { name: "texts.ts", text: imports.join("") + text },
    ...["en", ...others].map((tag) => ({ name: `texts.${tag}.ts`, text: read(`texts.${tag}.ts`) })),
  ]
}

const toVariable = (tag: string): string => tag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

const toEntry = (tag: string): string => (tag.includes("-") ? `"${tag}": ${toVariable(tag)}` : tag)

/** As the frameworks name files of components. */
function toFileName(part: string, framework: Framework): string {
  if (framework === "react") return `${part}.tsx`
  const name = part === "form" ? "auth-form" : part
  return `${name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}.${framework}`
}

/** Writes the utilities in place of our classes, and leaves out the stylesheet. */
function toTailwind(text: string): string {
  const utilities: Readonly<Record<string, string>> = JSON.parse(read("tailwind.json"))
  return text
    .replace(/^ *import "\.\/auth\.css"\n\n?/m, "")
    .replace(/\b(class(?:Name)?)="([^"]*)"/g, (_, attribute: string, classes: string) => {
      return `${attribute}="${classes
        .split(" ")
        .map((name) => utilities[name] ?? name)
        .join(" ")}"`
    })
}

interface OwnFile {
  readonly path: string
  readonly text: string
}

/**
 * Writes all files, or none.
 * @returns those that were not there with the same text
 */
function write(
  files: readonly OwnFile[],
  { home, mayOverwrite }: { readonly home: string; readonly mayOverwrite: boolean },
): readonly OwnFile[] {
  const missing = files.filter(({ path, text }) => {
    checkPlace(path, home)
    return !existsSync(path) || readFileSync(path, "utf8") !== text
  })
  const inTheWay = missing.filter(({ path }) => existsSync(path)).map(({ path }) => relative(home, path))
  if (inTheWay.length > 0 && !mayOverwrite) {
    throw new Error(
      `Nothing was written, because these files have other contents:\n${inTheWay.join("\n")}\nReplace them with --overwrite, or choose a folder with --to.`,
    )
  }
  replaceAll(missing)
  return missing
}

/** Writes successors of all files first. If one of them cannot take its place, those before it give theirs back. */
function replaceAll(files: readonly OwnFile[]): void {
  const [first] = files
  if (!first) return
  const folder = mkdirSync(dirname(first.path), { recursive: true })
  const toSuccessor = (path: string): string => join(dirname(path), `.${basename(path)}.latchkey-new`)
  const former = new Map(files.map(({ path }) => [path, existsSync(path) ? readFileSync(path) : null]))
  const [begun, placed]: readonly [string[], string[]] = [[], []]
  try {
    for (const { path, text } of files) {
      const mode = lstatSync(path, { throwIfNoEntry: false })?.mode
      // What a killed run has left, or a link that leads elsewhere.
      rmSync(toSuccessor(path), { force: true })
      begun.push(path)
      writeFileSync(toSuccessor(path), text, { flag: "wx", ...(mode !== undefined && { mode: mode & 0o777 }) })
    }
    for (const { path } of files) {
      renameSync(toSuccessor(path), path)
      placed.push(path)
    }
  } catch (error) {
    for (const path of placed) {
      const bytes = former.get(path)
      if (bytes) writeFileSync(path, bytes)
      else rmSync(path, { force: true })
    }
    for (const path of begun) rmSync(toSuccessor(path), { force: true })
    if (folder !== undefined) rmSync(folder, { recursive: true })
    throw error
  }
}

/** @throws Error when the file would not be in the app, or is not a file */
function checkPlace(path: string, home: string): void {
  let existing = path
  while (!existsSync(existing)) existing = dirname(existing)
  const root = realpathSync(home)
  const real = realpathSync(existing)
  if (real !== root && !real.startsWith(`${root}${sep}`))
    throw new Error(`Nothing was written, because ${relative(home, path)} is not in this folder.`)
  // Also a link to nothing, which does not exist for the loop above.
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error(`Nothing was written, because ${relative(home, path)} is not a file.`)
}

interface Added {
  readonly names: readonly ComponentName[]
  readonly framework: Framework
  readonly folder: string
  readonly written: readonly OwnFile[]
  /** How many the components have. */
  readonly files: number
  readonly manifest: Manifest
}

function report({ names, framework, folder, written, files, manifest }: Added, context: CommandContext): string {
  const paint = createPaint(context)
  const toShown = (path: string): string => escapeText(relative(context.folder, path).replaceAll(sep, "/"))
  const lines = written.map(({ path }) => paint.good(`+ ${toShown(path)}`))
  if (written.length < files) lines.push(paint.faint(`${files - written.length} of ${files} files are there already.`))
  const needed = `@latchkey/${framework}`
  const isInstalled = manifest.packages.has(needed)
  const place = findPlace(toShown(folder), manifest)
  const imports = names.map((name) => {
    const file = toFileName(name, framework)
    const component = name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const from = `${place.from}/${framework === "react" ? file.replace(/\.tsx$/, "") : file}`
    return `import ${framework === "react" ? `{ ${component} }` : component} from "${from}"`
  })
  const steps = [
    ...(isInstalled ? [] : [`Add the package ${needed}.`]),
    `Use ${names.length === 1 ? "it" : "them"}${place.where}:`,
    ...imports.map((line) => `  ${line}`),
  ]
  return `${lines.join("\n")}\n\n${steps.join("\n")}\n`
}

/** How a file of the app imports from the folder, and where that file is. */
function findPlace(folder: string, { lib }: Manifest): { readonly from: string; readonly where: string } {
  // A function: a text would read `$` as a reference.
  if (folder.startsWith("src/lib/") && lib !== undefined)
    return { from: folder.replace("src/lib", () => lib), where: "" }
  const [first = "", ...rest] = folder.split("/")
  if (first === "src" || first === "app") return { from: [".", ...rest].join("/"), where: `, from a file in ${first}` }
  return { from: folder === "" ? "." : `./${folder}`, where: ", from a file in this folder" }
}
