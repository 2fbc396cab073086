import type { AuthContext } from "@latchkey/core"
import { type Caller, type HostConfig, type MountOptions, readProcessEnv } from "@latchkey/core/integration"
import type { Context, Env } from "hono"

type Environment = MountOptions["env"]

/** The configuration of the host. Guards on other paths find the endpoints by `basePath`. */
export type HonoAuthConfig = HostConfig

/**
 * A configuration, or a function that returns the one for a request. Return the same object for the same case: Latchkey
 * resolves each configuration object once. See `fromBindings`.
 */
export type HonoConfigSource<E extends Env = Env> =
  | HonoAuthConfig
  | ((c: Context<E>) => HonoAuthConfig | PromiseLike<HonoAuthConfig>)

/** How clients reach the app. */
export interface HonoAuthOptions {
  /**
   * Trust `X-Forwarded-Proto` and `X-Forwarded-Host`. Set it only if all requests come through a proxy that sets both.
   * Not needed with `AUTH_URL`. Default: false.
   */
  readonly trustProxy?: boolean | undefined
}

type Created = HonoAuthConfig | PromiseLike<HonoAuthConfig>

interface KnownConfig {
  readonly bindings: ReadonlyMap<string, unknown>
  readonly config: HonoAuthConfig
}

/**
 * Creates the configuration from a worker's bindings, and again only when a binding changes:
 * `HonoAuth(fromBindings((env: Bindings) => ({ adapter: adapterFor(env.DB), providers: [GitHub] })))`.
 *
 * Not needed for environment variables such as `AUTH_SECRET` and `AUTH_GITHUB_ID`: bindings with a string value are part
 * of the environment.
 * @param create Must depend on its argument alone.
 */
export function fromBindings<Bindings extends object>(
  create: (bindings: Bindings) => Created,
): (c: Context) => Created {
  let known: KnownConfig | undefined
  return ({ env }) => {
    const bindings = new Map<string, unknown>(Object.entries(env ?? {}))
    if (known && isSame(known.bindings, bindings)) return known.config
    const created = create(env as Bindings) // The app declares its bindings' type.
    // Keeps the configuration, not its promise: the platform ends the work of a request when its visitor leaves.
    const keep = (config: HonoAuthConfig): HonoAuthConfig => {
      if (!(known && isSame(known.bindings, bindings))) known = { bindings, config }
      return known.config
    }
    return "then" in created ? created.then(keep) : keep(created)
  }
}

/** The environment last created for each configuration: the same object until a variable changes. */
const environments = new WeakMap<HonoAuthConfig, { readonly bindings: Texts; readonly env: Environment }>()

type Texts = ReadonlyMap<string, string>

/**
 * Returns the strings among a worker's bindings and the variables of the process; bindings win. On servers the bindings
 * are request and response, in a new object each time.
 */
export function findEnvironment(bindings: unknown, config: HonoAuthConfig): Environment {
  const texts = readTexts(bindings)
  if (texts.size === 0) return readProcessEnv()
  const last = environments.get(config)
  if (last && isSame(last.bindings, texts)) return last.env
  const env = { ...readProcessEnv(), ...Object.fromEntries(texts) }
  environments.set(config, { bindings: texts, env })
  return env
}

function readTexts(bindings: unknown): Texts {
  const texts = new Map<string, string>()
  if (typeof bindings !== "object" || bindings === null) return texts
  for (const [name, value] of Object.entries(bindings)) if (typeof value === "string") texts.set(name, value)
  return texts
}

function isSame(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  if (one.size !== other.size) return false
  for (const [name, value] of one) if (!other.has(name) || other.get(name) !== value) return false
  return true
}

/** The caller of a request. The URL has the host, which a test's request has no header for. */
export function toCaller(c: Context, { trustProxy }: HonoAuthOptions): Caller {
  return { headers: c.req.raw.headers, method: c.req.raw.method, url: c.req.url, trustProxy, context: readContext(c) }
}

/** Reads the client address and the request ID. */
function readContext(c: Context): AuthContext {
  const requestId: unknown = c.get("requestId")
  return {
    clientAddress: findSocketAddress(c),
    requestId: typeof requestId === "string" ? requestId : undefined,
    proxySetting: "HonoAuth(config, { trustProxy: true })",
  }
}

/** What the servers of the runtimes pass to `app.fetch` beside the request. */
interface ServerBindings {
  /** Set by `@hono/node-server`. */
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: unknown } }
  /** Set by `Deno.serve`. */
  readonly remoteAddr?: { readonly hostname?: unknown }
  /** `Bun.serve` passes its server, or the app passes `{ server }`. */
  readonly server?: BunServer
}

interface BunServer {
  requestIP?(request: Request): { readonly address: unknown } | null
}

/** The address of the socket. Elsewhere the host names the platform's header with `clientAddress` in the configuration. */
function findSocketAddress(c: Context): string | undefined {
  const env = (c.env ?? {}) as ServerBindings & BunServer // The server of the runtime sets it.
  const address = env.incoming?.socket?.remoteAddress ?? env.remoteAddr?.hostname ?? askBun(env.server ?? env, c)
  return typeof address === "string" ? address : undefined
}

/** Only on Bun: on a worker, any property of a service binding is a function that calls the other service. */
function askBun(server: BunServer, c: Context): unknown {
  return "Bun" in globalThis ? server.requestIP?.(c.req.raw)?.address : undefined
}
