import { fileURLToPath } from "node:url"
import { normalizeBasePath } from "@latchkey/core/integration"

/** The parts of Nuxt's build that are used. */
export interface Nuxt {
  readonly options: {
    readonly rootDir: string
    readonly app: { readonly baseURL: string }
    readonly alias: Record<string, string>
    readonly build: { readonly transpile: unknown[] }
    readonly runtimeConfig: { readonly public: Record<string, unknown> }
    readonly serverHandlers: { readonly middleware: boolean; readonly handler: string }[]
    readonly plugins: { readonly src: string }[]
  }
  hook(name: "nitro:config", run: (config: NitroConfig) => void): unknown
  hook(name: "app:resolve", run: (app: NuxtApp) => void): unknown
  hook(name: "imports:extend", run: (imports: { readonly name: string; readonly from: string }[]) => void): unknown
}

/** The parts of Nitro's configuration that are used. */
export interface NitroConfig {
  plugins?: string[]
  routeRules?: Record<string, Readonly<Record<string, unknown>>>
  virtual?: Record<string, string | (() => string)>
}

/** The parts of Nuxt's app that are used. */
interface NuxtApp {
  readonly middleware: { readonly name: string; readonly path: string; readonly global: boolean }[]
}

/** Options of the module: `modules: [["@latchkey/nuxt", options]]`. */
export interface LatchkeyOptions {
  /** The path of the endpoints, without Nuxt's `app.baseURL`. Default: `/api/auth`. */
  readonly basePath?: string | undefined
  /** The module whose default export is the configuration, from the root of the app. Default: `server/auth.config`. */
  readonly configFile?: string | undefined
}

const resolve = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * The module for `modules` in `nuxt.config`: adds the endpoints, the session in pages and components, and the route
 * middleware `auth`.
 * @throws Error if the endpoints are at the root
 */
export function latchkey({ basePath, configFile }: LatchkeyOptions, nuxt: Nuxt): void {
  const { options } = nuxt
  // JavaScript apps may set null.
  const path = normalizeBasePath(basePath ?? "/api/auth")
  const base = `${normalizeBasePath(options.app.baseURL)}${path}`
  if (base === "") throw new Error('The endpoints need a path of their own. Set basePath to one, such as "/api/auth"')
  options.alias["#latchkey/auth-config"] = `${options.rootDir}/${configFile ?? "server/auth.config"}`
  options.runtimeConfig.public["latchkey"] = { basePath: base }
  // Bundled with the app, because its modules import those of the module.
  options.build.transpile.push("@latchkey/nuxt")
  // A middleware, so that no rule for routes caches the endpoints.
  options.serverHandlers.unshift({ middleware: true, handler: resolve("./middleware/index.js") })
  options.plugins.unshift({ src: resolve("./app/plugin.js") })
  nuxt.hook("nitro:config", (config) => {
    config.plugins = [...(config.plugins ?? []), resolve("./nitro-plugin/index.js")]
    const code = `export const mountPath = ${JSON.stringify(base)}`
    // The cache of a platform is in front of the middleware. Rules leave out the base URL, and the longest path wins.
    const rule = `${path}/**`
    config.routeRules = { ...config.routeRules, [rule]: { ...config.routeRules?.[rule], isr: false } }
    config.virtual = { ...config.virtual, "#latchkey/mount-path": code }
  })
  nuxt.hook("app:resolve", ({ middleware }) => {
    middleware.push({ name: "auth", path: resolve("./app/route-middleware.js"), global: false })
  })
  nuxt.hook("imports:extend", (imports) => {
    imports.push({ name: "useSession", from: resolve("./app/index.js") })
  })
}
