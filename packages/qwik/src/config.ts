import { type Caller, type HostConfig, type MountOptions, type Settings, settingsOf } from "@latchkey/core/integration"

/** The configuration of the service. The base path is `basePath`, else the path of `AUTH_URL`, else `/auth` in the app. */
export type QwikAuthConfig = HostConfig

/** Returns the configuration for an event. */
export type FindConfig<Event> = (event: Event) => QwikAuthConfig | Promise<QwikAuthConfig>

/** The host's `FindConfig` as Qwik's optimizer passes it: loaded when it is first called. */
export type ConfigQrl = Call["call"] & { resolve(): Promise<{ readonly length: number }> }

interface Call {
  /** A method, for its bivariant parameter: the host's function takes Qwik City's full event. */
  call(event: QwikEvent): Promise<QwikAuthConfig>
}

/** The parts of Qwik City's request events that are used. */
export interface QwikEvent {
  /** Without the `/q-data.json` that Qwik's client adds when it requests only the data of a page. */
  readonly url: URL
  /** The base path of the whole app. */
  readonly basePathname: string
  readonly request: Request
  readonly headers: Headers
  readonly cookie: { set(name: string, value: string): void }
  readonly env: { get(key: string): string | undefined }
  readonly sharedMap: Map<string, unknown>
  readonly clientConn: { readonly ip?: string }
  readonly headersSent?: boolean
  readonly redirect: (statusCode: 303, url: string) => unknown
  readonly send: (response: Response) => unknown
}

const proxySetting = "ORIGIN=<the app's address>"

/** The caller behind an event. With `ORIGIN` set, Qwik City's URL has that origin. */
export function toCaller({ request, url, clientConn }: Pick<QwikEvent, "request" | "url" | "clientConn">): Caller {
  const { protocol, host } = url
  return {
    headers: request.headers,
    method: request.method,
    protocol,
    host,
    context: { clientAddress: clientConn.ip, proxySetting },
  }
}

type Environment = MountOptions["env"]

const environments = new WeakMap<QwikAuthConfig, Environment>()

/** The settings for an event. The environment is read once for each configuration. */
export async function findSettings(find: ConfigQrl, event: QwikEvent): Promise<Settings> {
  const config = await findConfig(find, event)
  const env = environments.get(config) ?? toEnvironment(event)
  environments.set(config, env)
  const defaultBasePath = `${event.basePathname.replace(/\/$/, "")}/auth`
  return settingsOf(config, { env, defaultBasePath })
}

/** The configurations of functions without parameters, which return the same one for every event. */
const fixedConfigs = new WeakMap<ConfigQrl, QwikAuthConfig>()

async function findConfig(find: ConfigQrl, event: QwikEvent): Promise<QwikAuthConfig> {
  const known = fixedConfigs.get(find)
  if (known) return known
  if ((await find.resolve()).length > 0) return await find(event)
  const created = await find(event)
  // Keeps the configuration, not its promise: an edge platform ends the work of an event when its visitor leaves.
  const config = fixedConfigs.get(find) ?? created
  fixedConfigs.set(find, config)
  return config
}

/** Reads variables by name, since the platform's environment cannot be listed. */
function toEnvironment({ env }: QwikEvent): Environment {
  return new Proxy<Environment>(
    {},
    {
      get: (_, name) => findVariable(env, name),
      getOwnPropertyDescriptor(_, name) {
        const value = findVariable(env, name)
        return value === undefined ? undefined : { value, configurable: true }
      },
    },
  )
}

/** `AUTH_URL` defaults to `ORIGIN`, which Qwik City requires in production. */
function findVariable(env: QwikEvent["env"], name: string | symbol): string | undefined {
  if (typeof name === "symbol") return undefined
  if (name !== "AUTH_URL") return env.get(name)
  return env.get("AUTH_URL") || env.get("NEXTAUTH_URL") || env.get("ORIGIN")
}
