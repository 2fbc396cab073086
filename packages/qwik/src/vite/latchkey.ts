/** What is asked of Vite about a module: Qwik's optimizer leaves there what it made the module from. */
export interface ModuleGraph {
  getModuleInfo(id: string): { readonly meta: object } | null
}

/** As Vite takes it. */
export interface LatchkeyPlugin {
  readonly name: string
  /** Lets Qwik's optimizer see the package, in the server's part too, wherever the app declares it; and says so. */
  config(): {
    readonly define: Readonly<Record<string, true>>
    readonly ssr: { readonly noExternal: string[] }
    readonly optimizeDeps: { readonly exclude: string[] }
  }
  transform(
    this: ModuleGraph,
    code: string,
    id: string,
    options?: { readonly ssr?: boolean | undefined },
  ): { readonly code: string; readonly map: null } | undefined
}

const own = "@latchkey/qwik"

/** The call whose argument only servers run. */
const serverCall = "QwikAuth$"

/**
 * Keeps the configuration of `QwikAuth$` out of what browsers load. Qwik's optimizer makes a module of each function
 * that is marked with `$`, and only those of its own server functions are left out of the browser's part: this one, with
 * `authorize`, callbacks and whatever it imports, would be published.
 * @example
 * // vite.config.ts
 * export default defineConfig({ plugins: [qwikCity(), qwikVite(), latchkey()] })
 */
export function latchkey(): LatchkeyPlugin {
  return {
    name: "latchkey",
    config: () => ({
      define: { "globalThis.latchkeyHidesConfig": true },
      ssr: { noExternal: [own] },
      optimizeDeps: { exclude: [own] },
    }),
    transform(_, id, options) {
      if (options?.ssr) return undefined
      const name = findServerSymbol(this.getModuleInfo(id)?.meta)
      return name === undefined ? undefined : { code: `export const ${name} = () => undefined`, map: null }
    },
  }
}

function findServerSymbol(meta: object | undefined): string | undefined {
  const segment: unknown = meta && "segment" in meta ? meta.segment : undefined
  if (typeof segment !== "object" || segment === null) return undefined
  if (!("ctxName" in segment) || segment.ctxName !== serverCall) return undefined
  return "name" in segment && typeof segment.name === "string" ? segment.name : undefined
}
