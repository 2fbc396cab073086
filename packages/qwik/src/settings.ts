import { type HostConfig, type Settings, settingsOf } from "@latchkey/core/integration"
import type { QwikEvent } from "./qwik-event.js"

/** Everything a host decides. */
export type QwikAuthConfig = HostConfig

/** Finds the configuration for an event. */
export type FindConfig<Event> = (event: Event) => QwikAuthConfig | Promise<QwikAuthConfig>

interface Ask {
  /** As a method, since the host's function takes all that Qwik City gives. */
  ask(event: QwikEvent): Promise<QwikAuthConfig>
}

/** A function of the host behind the boundary that Qwik's optimizer draws around what `$` marks. */
export type ConfigQrl = Ask["ask"] & { resolve(): Promise<{ readonly length: number }> }

type Environment = Readonly<Record<string, string | undefined>>

const onlyConfigs = new WeakMap<ConfigQrl, Promise<QwikAuthConfig>>()
const environments = new WeakMap<QwikAuthConfig, Environment>()

/**
 * The settings for an event. A function without parameters says the same for each visitor, so that it is called once;
 * the environment is read when a configuration is met first.
 */
export async function findSettings(find: ConfigQrl, event: QwikEvent): Promise<Settings> {
  const config = await findConfig(find, event)
  const env = environments.get(config) ?? toEnvironment(event)
  environments.set(config, env)
  const defaultBasePath = `${event.basePathname.replace(/\/$/, "")}/auth`
  return settingsOf(config, { env, defaultBasePath })
}

async function findConfig(find: ConfigQrl, event: QwikEvent): Promise<QwikAuthConfig> {
  const known = onlyConfigs.get(find)
  if (known) return await known
  if ((await find.resolve()).length > 0) return await find(event)
  const only = onlyConfigs.get(find) ?? find(event)
  onlyConfigs.set(find, only)
  // A configuration that could not be made is asked for again.
  only.catch(() => onlyConfigs.delete(find))
  return await only
}

/** By name, as the platform gives them; it lists none. */
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

/** `ORIGIN`, which Qwik City is told, is the app's address for the service as well. */
function findVariable(env: QwikEvent["env"], name: string | symbol): string | undefined {
  if (typeof name === "symbol") return undefined
  if (name !== "AUTH_URL") return env.get(name)
  return env.get("AUTH_URL") || env.get("NEXTAUTH_URL") || env.get("ORIGIN")
}
