// Builds the site into docs/dist: `npm run docs`. With `--serve` it serves the result on 127.0.0.1.
import { cpSync, globSync, rmSync } from "node:fs"
import { join } from "node:path"
import { build } from "vitepress"
import { writeAdapters } from "./adapters.mjs"
import { writeApi } from "./api.mjs"
import { writeNavigation } from "./navigation.mjs"
import { copyPages, root, site, writePage } from "./pages.mjs"
import { writeProviders } from "./providers.mjs"
import { writeReference } from "./reference.mjs"
import { serve } from "./serve.mjs"
import { writeUpgradeNotes } from "./upgrade-notes.mjs"

const writeApiIndex = (api) =>
  writePage(
    "api/index.md",
    `# API reference\n\nEvery public entry of every package. The [pages of the providers](../providers.md) describe \`@latchkey/core/providers/*\`.\n\n${api.map(({ path, text }) => `- [\`${text}\`](../${path})`).join("\n")}`,
  )

async function writeSite() {
  rmSync(join(site, ".."), { recursive: true, force: true })
  const pages = [...copyPages(), writeUpgradeNotes()]
  const reference = await writeReference()
  const providers = writeProviders()
  const adapters = writeAdapters()
  const api = await writeApi()
  writeApiIndex(api)
  cpSync(join(root, "docs", "public"), join(site, "public"), { recursive: true })
  writeNavigation({ pages, reference, providers, adapters, api })
}

/** Each page can be read as Markdown, at its address with `.md`. */
function copyMarkdown() {
  for (const file of globSync("**/*.md", { cwd: site, exclude: ["public/**"] }))
    cpSync(join(site, file), join(root, "docs", "dist", file))
}

await writeSite()
await build(join(root, "docs"))
copyMarkdown()
if (process.argv.includes("--serve")) {
  const { url } = await serve(Number(process.env["PORT"] ?? 4173))
  console.log(`The documentation is at ${url}`)
}
