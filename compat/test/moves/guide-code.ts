import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const guide = join(import.meta.dirname, "..", "..", "..", "docs", "guides", "moving-stores.md")

/** Runs the code block of the guide that defines a name. @returns its exports */
export async function importFromGuide(name: string): Promise<Record<string, unknown>> {
  const blocks = [...readFileSync(guide, "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code)
  const code = blocks.find((block) => block.includes(`export async function ${name}(`))
  if (code === undefined) throw new Error(`The guide does not define ${name}`)
  const folder = mkdtempSync(join(tmpdir(), "latchkey-guide-"))
  try {
    const file = join(folder, `${name}.ts`)
    writeFileSync(file, code)
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
