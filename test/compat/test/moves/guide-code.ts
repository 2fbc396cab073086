import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const guide = join(import.meta.dirname, "..", "..", "..", "..", "docs", "guides", "moving-stores.md")

/** The statements of the SQL block of the guide that contains a text. */
export function readSqlFromGuide(text: string): readonly string[] {
  const blocks = [...readFileSync(guide, "utf8").matchAll(/```sql\n([\s\S]*?)```/g)].map(([, code = ""]) => code)
  const code = blocks.find((block) => block.includes(text))
  if (code === undefined) throw new Error(`The guide has no SQL with ${text}`)
  return code.split("\n").filter((line) => line !== "")
}

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
