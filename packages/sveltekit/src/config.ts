/// <reference path="../types/env.d.ts" />
import { logRejectedRequest } from "@latchkey/core"
import { MissingSecret } from "@latchkey/core/errors"
import {
  type Caller,
  type ConfigSource,
  type HostConfig,
  type MountOptions,
  readProcessEnv,
  resolveSettings,
  type Settings,
} from "@latchkey/core/integration"
import type { RequestEvent } from "@sveltejs/kit"
import { findAppPath } from "./app-paths.js"

/** The configuration of the service. */
export type SvelteKitAuthConfig = HostConfig

/** Options of `SvelteKitAuth` besides the configuration. */
export interface SvelteKitAuthOptions {
  /**
   * The app's private variables: `import * as env from "$app/env/private"` in SvelteKit 3. Default:
   * `$env/dynamic/private`, which holds all of them in SvelteKit 2. The process's environment supplies the others.
   */
  readonly env?: Variables | undefined
}

/** Environment variables by name. Values other than strings are ignored, since an app may have parsed its variables. */
type Variables = Readonly<Record<string, unknown>>

/** Creates a function that resolves the configuration for an event. It reads the environment and the mount path once. */
export function settingsFinder(
  config: ConfigSource<RequestEvent>,
  variables: Variables | undefined,
): (event: RequestEvent) => Promise<Settings> {
  const basePath = findAppPath("/auth")
  let mount: MountOptions | undefined
  const createMount = async (): Promise<MountOptions> => {
    const [env, defaultBasePath] = await Promise.all([findEnvironment(variables), basePath])
    return { env, defaultBasePath }
  }
  return async (event) => {
    // Not earlier: SvelteKit sets the variables after it has loaded the app's modules.
    const created = mount ?? (await createMount())
    mount ??= created // The options, not their promise: an edge platform ends the work of a visitor who leaves.
    const settings = await resolveSettings(config, event, mount)
    if (!settings.config.secret?.length) explainMissingSecret(event, settings)
    return settings
  }
}

/** Configurations whose missing secret was explained, so that the log has it once. */
const explained = new WeakSet<Settings>()

/** Logs why `AUTH_SECRET` of the file `.env` may not arrive, unless SvelteKit prerenders, where no secret is needed. */
function explainMissingSecret(event: CallerEvent, settings: Settings): void {
  if (explained.has(settings) || isPrerender(event)) return
  explained.add(settings)
  const { logger } = settings.config
  const error = new MissingSecret(
    "AUTH_SECRET is not set. SvelteKit 3 passes on only the variables of .env that src/env.ts declares: defineEnvVars({ AUTH_SECRET: {} }). A built server reads no .env: start it with node --env-file=.env",
  )
  logRejectedRequest(error, { headers: event.request.headers, ...(logger && { logger }) })
}

/**
 * The environment of the app: SvelteKit's private variables, then those of the process.
 * @param given The private variables that the app passes. Default: `$env/dynamic/private`.
 * @internal Exported for its tests.
 */
export async function findEnvironment(given: Variables | undefined): Promise<MountOptions["env"]> {
  const own = given ?? (await importVariables())
  // Not every adapter sets `NODE_ENV` for a built server.
  const mode = import.meta.env?.PROD ? { NODE_ENV: "production" } : {}
  return { ...mode, ...toStrings(readProcessEnv()), ...toStrings(own) }
}

/** Fails outside SvelteKit's build, and while SvelteKit 2 prerenders; the process's environment remains. */
async function importVariables(): Promise<Variables> {
  try {
    const { env } = await import("$env/dynamic/private")
    return { ...env }
  } catch {
    return {}
  }
}

function toStrings(variables: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  )
}

/** The parts of an event that identify its caller. */
export type CallerEvent = Pick<RequestEvent, "request" | "url" | "getClientAddress">

/**
 * The caller behind an event. A form with an `Origin` needs no CSRF token: browsers always send the header, and the
 * service rejects a foreign one. A request without `Origin` needs a token.
 */
export function toCaller({ request, url, getClientAddress }: CallerEvent): Caller {
  const { headers, method } = request
  const context = { clientAddress: findAddress(getClientAddress), isVerifiedForm: headers.has("origin"), proxySetting }
  return { headers, method, protocol: url.protocol, host: url.host, context }
}

const proxySetting = "PROTOCOL_HEADER=x-forwarded-proto and HOST_HEADER=x-forwarded-host (adapter-node)"

/** SvelteKit throws while it prerenders, and with adapters that do not know the address. */
function findAddress(getClientAddress: () => string): string | undefined {
  try {
    return getClientAddress()
  } catch {
    return undefined
  }
}

/**
 * Whether SvelteKit itself sent the request while it prerenders, perhaps without the secrets of the server. It says so when it
 * is asked for the address. Servers that do not know addresses, such as one on a UNIX socket, give another answer or none.
 */
export function isPrerender({ request: { headers }, getClientAddress }: CallerEvent): boolean {
  if (headers.has("cookie") || headers.has("authorization")) return false
  try {
    getClientAddress()
    return false
  } catch (error) {
    return /prerender/i.test(String(error))
  }
}
