import { normalizeBasePath, trimPath } from "@latchkey/core/integration"

/** The parts of Vite's plugins that are used. */
interface VitePlugin {
  readonly name: string
  resolveId(this: PluginContext, id: string): Promise<{ readonly id: string } | string | null>
  load(id: string): string | null
}

interface PluginContext {
  resolve(id: string, importer: string): Promise<{ readonly id: string } | null>
}

/** The parts of `astro:config:setup` that are used. */
export interface AstroSetup {
  readonly command: string
  readonly config: { readonly root: URL; readonly base: string; readonly trailingSlash: string }
  readonly logger: { warn(message: string): void }
  injectRoute(route: { readonly pattern: string; readonly entrypoint: string; readonly prerender: boolean }): void
  addMiddleware(middleware: { readonly order: "pre"; readonly entrypoint: string }): void
  updateConfig(config: {
    readonly vite: { readonly plugins: VitePlugin[]; readonly resolve: { readonly noExternal: string[] } }
  }): unknown
}

/** Astro's `AstroIntegration`. */
export interface LatchkeyIntegration {
  readonly name: string
  readonly hooks: {
    readonly "astro:config:setup": (setup: AstroSetup) => void
    readonly "astro:config:done": (done: AstroDone) => void
  }
}

/** The parts of `astro:config:done` that are used. */
export interface AstroDone {
  injectTypes(types: { readonly filename: string; readonly content: string }): unknown
}

/** Only in apps: the types of another framework's app may declare the same name. */
const localsTypes = `declare namespace App {
  interface Locals {
    /** The session and the actions of the request. */
    auth: import("@latchkey/astro").UserAuth
  }
}
`

/** Options of the integration. */
export interface LatchkeyOptions {
  /** The path of the endpoints, without Astro's `base`. Default: `/api/auth`. */
  readonly basePath?: string | undefined
  /** The module whose default export is the configuration, relative to the root of the app. Default: `./auth.config`. */
  readonly configFile?: string | undefined
}

const slashWarning =
  'With trailingSlash: "always", Astro redirects forms that are posted to the endpoints, and loses what they send, so that sign-ins fail. Set trailingSlash to "ignore"'

const configModule = "latchkey:auth-config"
const mountModule = "latchkey:mount-path"

/**
 * The integration, for `integrations` in `astro.config`: adds the endpoints and `Astro.locals.auth`. The app needs an
 * adapter. While it is developed, the variables of its file `.env` are set.
 * @throws Error while Astro starts, if the endpoints are at the root
 */
export function latchkey({ basePath, configFile }: LatchkeyOptions = {}): LatchkeyIntegration {
  // JavaScript apps may set null.
  const path = normalizeBasePath(basePath ?? "/api/auth")
  return {
    name: "@latchkey/astro",
    hooks: {
      "astro:config:setup": ({ command, config, logger, injectRoute, addMiddleware, updateConfig }) => {
        if (command === "dev") loadVariables(config.root)
        const mountPath = normalizeBasePath(`${trimPath(config.base)}${path}`)
        if (mountPath === "")
          throw new Error('The endpoints need a path of their own. Set basePath to one, such as "/api/auth"')
        if (config.trailingSlash === "always") logger.warn(slashWarning)
        const plugin = createPlugin({ root: config.root, configFile: configFile ?? "./auth.config", mountPath })
        // Bundled with the app, because its modules import those of the plugin.
        updateConfig({ vite: { plugins: [plugin], resolve: { noExternal: ["@latchkey/astro"] } } })
        addMiddleware({ order: "pre", entrypoint: "@latchkey/astro/middleware" })
        injectRoute({ pattern: `${decodePath(path)}/[...auth]`, entrypoint: "@latchkey/astro/route", prerender: false })
      },
      "astro:config:done": ({ injectTypes }) => void injectTypes({ filename: "locals.d.ts", content: localsTypes }),
    },
  }
}

/** As Astro's router compares it. */
function decodePath(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path // It has a % that encodes nothing.
  }
}

/** Astro sets these variables in `import.meta.env` only. A variable that is already set keeps its value. */
function loadVariables(root: URL): void {
  try {
    globalThis.process?.loadEnvFile(new URL(".env", root))
  } catch {
    // The app has no such file.
  }
}

interface PluginOptions {
  readonly root: URL
  readonly configFile: string
  readonly mountPath: string
}

function createPlugin({ root, configFile, mountPath }: PluginOptions): VitePlugin {
  return {
    name: "@latchkey/astro",
    async resolveId(id) {
      if (id === mountModule) return `\0${id}`
      if (id !== configModule) return null
      const found = await this.resolve(configFile, decodeURIComponent(new URL("astro.config.mjs", root).pathname))
      if (found) return found
      throw new Error(
        `@latchkey/astro found no ${configFile}. Create auth.config.ts in the root of the app: export default defineConfig({ providers: [] })`,
      )
    },
    load: (id) => (id === `\0${mountModule}` ? `export const mountPath = ${JSON.stringify(mountPath)}` : null),
  }
}
