import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { describe, expect, it } from "vitest"

// A page that imports a browser entry gets no server code, even before the bundler removes unused code.

const root = join(import.meta.dirname, "..", "..")

const entries = [
  ...["client/src/index.ts", "client/src/webauthn/index.ts", "react/src/index.ts", "vue/src/index.ts"],
  ...["svelte/src/index.ts", "nuxt/src/app/index.ts", "nuxt/src/app/plugin.ts", "nuxt/src/app/route-middleware.ts"],
  ...findClientEntries(),
]

/** The `./client` entry of each package that has one. */
function findClientEntries(): readonly string[] {
  return globSync("packages/*/package.json", { cwd: root }).flatMap((path) => {
    const { exports = {} } = JSON.parse(readFileSync(join(root, path), "utf8"))
    const source = exports["./client"]?.["@latchkey/source"]
    if (source === undefined) return []
    const file = join(path, "..", source)
    return existsSync(join(root, file)) ? [file.replace(/^packages[\\/]/, "")] : []
  })
}

/** The bundled files, without the frameworks. */
async function findInputs(contents: string): Promise<readonly string[]> {
  const { metafile } = await build({
    stdin: { contents, resolveDir: join(root, "packages", "react", "src"), loader: "ts" },
    bundle: true,
    // Counts unused imports as well.
    treeShaking: false,
    platform: "browser",
    format: "esm",
    conditions: ["@latchkey/source"],
    external: ["react", "solid-js", "svelte", "vue", "$app/*", "nuxt/app"],
    absWorkingDir: root,
    metafile: true,
    write: false,
    logLevel: "silent",
  })
  return Object.keys(metafile.inputs).filter((path) => path !== "<stdin>")
}

const importAll = (entry: string): Promise<readonly string[]> =>
  findInputs(`import * as all from ${JSON.stringify(join(root, "packages", entry))}\nconsole.log(all)`)

/** Server code of these packages would import the core, which is not in this list. */
const isOfBrowser = (path: string): boolean =>
  /^packages\/(client|react|vue|svelte|nuxt|astro|sveltekit|solid-start)\/src\//.test(path) ||
  /^node_modules\/@simplewebauthn\/browser\//.test(path)

describe("browser entries", () => {
  it("are found, and server code is detected", async () => {
    expect(entries).toEqual(
      expect.arrayContaining([expect.stringContaining("sveltekit"), expect.stringContaining("solid-start")]),
    )
    expect((await findInputs(`import "@latchkey/core"`)).every(isOfBrowser)).toBe(false)
  })

  it.each(entries)("contain no server code: %s", async (entry) => {
    const inputs = await importAll(entry)
    expect(inputs.length).toBeGreaterThan(1)
    expect(inputs.filter((path) => !isOfBrowser(path))).toEqual([])
  })
})
