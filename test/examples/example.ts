import { readFileSync } from "node:fs"
import { basename, join } from "node:path"

/** An app of any kind. */
export interface InstalledExample {
  readonly name: string
  readonly folder: string
  /** The names of its npm scripts. */
  readonly scripts: readonly string[]
}

/** The properties of an example for the Web, from its `package.json#latchkeyExample`. */
export interface Example extends InstalledExample {
  /** `built-in`: `/login` redirects to the built-in sign-in page. */
  readonly login: "own" | "built-in"
  readonly basePath: string
  /** Whether a browser script shows and updates the session. */
  readonly hasClient: boolean
  /** A page that shared caches may store for anonymous visitors. */
  readonly cachedPage?: string
  readonly hasMail: boolean
  readonly worksWithoutScript: boolean
  /** Seconds after which a session that is ended on its page `/sessions` is refused. Undefined without this page. */
  readonly sessionBound?: number
  /** Whether its page `/profile` calls an API of the provider with an access token. */
  readonly hasProfile?: boolean
  /** Whether its pages `/sign-in`, `/sign-up` and `/reset-password` show the components of `latchkey add`. */
  readonly hasOwnForms?: boolean
  /** Whether the mistakes that `latchkey doctor` finds are planted in it. */
  readonly hasMistakes?: boolean
}

/** How the app of the start page of Next.js is configured. */
export interface Start {
  readonly guard: "middleware.ts" | "proxy.ts"
  /** In the `config` of the guard. Default: the edge for `middleware.ts`, Node for `proxy.ts`. */
  readonly runtime?: "nodejs"
  /** Whether the configuration is split, and the guard uses `@latchkey/next/middleware`, as the guide shows. */
  readonly isSplit?: boolean
  /** The bundler, where it is not Next's default. */
  readonly bundler?: "turbopack" | "webpack"
  /** The content of `next.config.ts`. */
  readonly options?: Readonly<Record<string, unknown>>
}

/** The example that `npm run test:examples` installed. */
export function readExample(): Example {
  const { latchkeyExample, ...installed } = readInstalled()
  return { ...latchkeyExample, ...installed }
}

/** The example, with the starts to test with its version of Next.js: the first one with `--short`. */
export function readStarts(): InstalledExample & { readonly starts: readonly Start[] } {
  const { latchkeyExample, ...installed } = readInstalled()
  const isShort = process.env["LATCHKEY_SHORT"] === "true"
  return { ...installed, starts: latchkeyExample.starts.slice(0, isShort ? 1 : undefined) }
}

type Installed = InstalledExample & {
  readonly latchkeyExample: Omit<Example, keyof InstalledExample> & { readonly starts: readonly Start[] }
}

function readInstalled(): Installed {
  const folder = process.env["LATCHKEY_EXAMPLE"]
  if (!folder) throw new Error("LATCHKEY_EXAMPLE is not set. Run `npm run test:examples`")
  const { latchkeyExample, scripts = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return { latchkeyExample, name: basename(folder), folder, scripts: Object.keys(scripts) }
}
