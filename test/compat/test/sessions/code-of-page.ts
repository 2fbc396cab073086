import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { AcceptedSource } from "@latchkey/core/types"
import { vi } from "vitest"

const root = join(import.meta.dirname, "..", "..", "..", "..")
/** Inside the folder of these tests, so that the code resolves our packages by name. */
const home = join(root, "test", "compat", ".apps")

/** The code of a page about a library: `accept`. */
export function readCodeOfPage(page: string): string {
  const text = readFileSync(join(root, "docs", "moving-from", `${page}.md`), "utf8")
  const [, code] = /^```ts\n(.*?)^```/ms.exec(text) ?? []
  if (code === undefined) throw new Error(`${page}.md has no code`)
  return code
}

/**
 * Runs the code of a page, word for word.
 * @param environment the variables that it reads, which stay set
 * @param given what it declares: the app's own
 */
export async function acceptOfPage(
  page: string,
  environment: Readonly<Record<string, string>>,
  given: object = {},
): Promise<readonly AcceptedSource[]> {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  mkdirSync(home, { recursive: true })
  const folder = mkdtempSync(join(home, "page-"))
  try {
    Reflect.set(globalThis, "ofApp", given)
    const file = join(folder, `${page}.ts`)
    writeFileSync(file, readCodeOfPage(page).replace(/^declare const (\w+):.*$/gm, 'const $1 = globalThis["ofApp"].$1'))
    const { accept }: { accept: readonly AcceptedSource[] } = await import(file)
    return accept
  } finally {
    Reflect.deleteProperty(globalThis, "ofApp")
    rmSync(folder, { recursive: true })
  }
}
