import { readFileSync } from "node:fs"
import { basename, join } from "node:path"

/** What the suite must know of an example, which its `package.json#latchkeyExample` says. */
export interface Example {
  readonly name: string
  readonly folder: string
  /** `built-in`: its `/login` leads to the service's own sign-in page. */
  readonly login: "own" | "built-in"
  readonly basePath: string
  /** Whether a script of the browser shows the session too, and changes it. */
  readonly hasClient: boolean
  readonly hasMail: boolean
  readonly worksWithoutScript: boolean
  /** The npm scripts that it has. */
  readonly scripts: readonly string[]
}

/** The example that the runner has installed. */
export function readExample(): Example {
  const folder = process.env["LATCHKEY_EXAMPLE"]
  if (!folder) throw new Error("LATCHKEY_EXAMPLE names no folder: run `npm run test:examples`")
  const { latchkeyExample, scripts = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return { ...latchkeyExample, name: basename(folder), folder, scripts: Object.keys(scripts) }
}
