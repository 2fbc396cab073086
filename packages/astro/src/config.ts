import type { AuthContext } from "@latchkey/core"
import {
  type Caller,
  type ConfigSource,
  deriveConfigs,
  findContextAddress,
  type HostConfig,
  readProcessEnv,
  type Settings,
  settingsOf,
} from "@latchkey/core/integration"

/** The parts of Astro's context that are used: that of pages, middleware, endpoints and actions. */
export interface AstroContext {
  readonly request: Request
  readonly url: URL
  /** Throws while Astro prerenders, and with adapters that do not know it. */
  readonly clientAddress: string
  /** Whether Astro renders the page while it builds the app. */
  readonly isPrerendered: boolean
  /** The pattern of the route that answers the request, such as `/private/[id]`. */
  readonly routePattern: string
  readonly locals: object
}

/** Astro's `MiddlewareHandler`. */
export type AstroMiddleware = (context: AstroContext, next: () => Promise<Response>) => Promise<Response>

/** The configuration of the service. The integration sets its path. */
export interface AstroAuthConfig extends Omit<HostConfig, "basePath"> {
  /** Not read: the option `basePath` of the integration sets the path. */
  readonly basePath?: string | undefined
}

/**
 * A configuration, or a function that returns the one for a request. Return the same object for the same case: Latchkey
 * resolves each configuration object once.
 */
export type AstroConfigSource = ConfigSource<AstroContext>

/** Types the configuration in `auth.config.ts`: `export default defineConfig({ providers: [GitHub] })`. */
export function defineConfig<Source extends AstroConfigSource>(config: Source): Source {
  return config
}

/** What Vite fills in. */
interface ViteMeta {
  readonly env?: { readonly PROD?: boolean }
}

/**
 * Creates a function that resolves the configuration for a request. It reads the environment once. Astro routes by the whole
 * path, so that the path of `AUTH_URL` is not used.
 */
export function settingsFinder(
  source: AstroConfigSource,
  mountPath: string,
): (context: AstroContext) => Promise<Settings> {
  let env: ReturnType<typeof readProcessEnv> | undefined
  const toHostConfig = deriveConfigs((config: HostConfig): HostConfig => ({ ...config, basePath: mountPath }))
  return async (context) => {
    // Adapters do not set `NODE_ENV` for a built server.
    env ??= (import.meta as ViteMeta).env?.PROD ? { NODE_ENV: "production", ...readProcessEnv() } : readProcessEnv()
    return settingsOf(toHostConfig(typeof source === "function" ? await source(context) : source), { env })
  }
}

/**
 * The caller of a request. Astro has applied the forwarded headers of `security.allowedDomains` to the URL. An app can
 * switch off Astro's check of the origin of forms.
 */
export function toCaller(context: AstroContext): Caller {
  const { request, url } = context
  const clientAddress = findContextAddress(() => context.clientAddress)
  const authContext: AuthContext = { clientAddress, proxySetting: "security.allowedDomains in astro.config" }
  const { headers, method } = request
  return { headers, method, protocol: url.protocol, host: url.host, context: authContext, needsFormOrigin: true }
}
