// Imported as `@latchkey/qwik/vite`.

/** The part of Vite's module graph that is used. Qwik's optimizer stores the origin of each module in its `meta`. */
export interface ModuleGraph {
  getModuleInfo(id: string): { readonly meta: object } | null
}

/** A Vite plugin, without depending on the types of Vite. */
export interface LatchkeyPlugin {
  readonly name: string
  /** Lets Qwik's optimizer process this package, in the server build too, and tells the server that the plugin runs. */
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
  ): { readonly code: string; readonly map: { readonly mappings: "" } } | undefined
}

/** A call whose argument only runs on the server. */
const serverCall = "QwikAuth$"
/** The same call, as the optimizer leaves it in the module of the app. */
const optimizedCall = "QwikAuthQrl("
/** A source map would contain the source of the module, and so the configuration. */
const noMap = { mappings: "" } as const

/**
 * Keeps the configuration of `QwikAuth$` out of the browser build. Qwik's optimizer makes a module of each function
 * passed to a `$` call, and leaves only those of its own server functions out of the browser build. Without this plugin
 * browsers could load the configuration, with `authorize`, the callbacks and all of its imports.
 * @example
 * // vite.config.ts
 * export default defineConfig({ plugins: [qwikCity(), qwikVite(), latchkey()] })
 */
export function latchkey(): LatchkeyPlugin {
  return {
    name: "latchkey",
    config: () => ({
      define: { "globalThis.latchkeyHidesConfig": true },
      ssr: { noExternal: ["@latchkey/qwik"] },
      optimizeDeps: { exclude: ["@latchkey/qwik"] },
    }),
    transform(code, id, options) {
      if (options?.ssr) return undefined
      const name = findServerSymbol(this.getModuleInfo(id)?.meta)
      if (name !== undefined) return { code: `export const ${name} = () => undefined`, map: noMap }
      return code.includes(optimizedCall) ? { code, map: noMap } : undefined
    },
  }
}

function findServerSymbol(meta: object | undefined): string | undefined {
  const segment: unknown = meta && "segment" in meta ? meta.segment : undefined
  if (typeof segment !== "object" || segment === null) return undefined
  if (!("ctxName" in segment) || segment.ctxName !== serverCall) return undefined
  return "name" in segment && typeof segment.name === "string" ? segment.name : undefined
}
