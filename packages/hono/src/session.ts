import type { AppSession } from "@latchkey/core"
import {
  type BoundAuth,
  bindAuth,
  type Caller,
  forbidSharedCaching,
  type Settings,
  settingsOf,
  type UserAuth,
} from "@latchkey/core/integration"
import type { Context, Env } from "hono"
import {
  findEnvironment,
  type HonoAuthConfig,
  type HonoAuthOptions,
  type HonoConfigSource,
  toCaller,
} from "./config.js"

/** The signed-in user. */
export interface AuthUser {
  readonly session: AppSession
  /** The user of the session. */
  readonly user: NonNullable<AppSession["user"]>
}

declare module "hono" {
  interface ContextVariableMap {
    /** The session and the actions of the request. Set by `HonoAuth` and `initAuthConfig`. */
    auth: UserAuth
    /** Set by `requireAuth`. */
    authUser: AuthUser
  }
}

/**
 * Returns the signed-in user with the current session, or null when signed out. Reads the session once for each request,
 * and renews its cookie.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export async function getAuthUser(c: Context): Promise<AuthUser | null> {
  const session = await getState(c).bound.auth.getSession()
  return session?.user ? { session, user: session.user } : null
}

/** Shared by the middlewares of one request. */
interface AuthState {
  readonly bound: BoundAuth<Response>
  readonly caller: () => Caller
  /** @param mountPath Without a trailing slash. Default: only the configuration and the environment set the base path. */
  findSettings(mountPath?: string): Promise<Settings>
}

const states = new WeakMap<Context, AuthState>()

/** Sets `c.get("auth")`. A function is called when the configuration is first needed. */
export function initState<E extends Env>(
  c: Context<E>,
  source: HonoConfigSource<E>,
  options: HonoAuthOptions = {},
): void {
  let config: Promise<HonoAuthConfig> | undefined
  const resolve = async () => (typeof source === "function" ? await source(c) : source)
  const caller = () => toCaller(c, options)
  async function findSettings(mountPath = ""): Promise<Settings> {
    config ??= resolve()
    const known = await config
    return settingsOf(known, { env: findEnvironment(c.env, known), mountPath })
  }
  const bound = bindAuth<Response>({
    findCaller: async () => ({ caller: caller(), settings: await findSettings() }),
    readTarget: () => readTarget(c.req.url),
    refuse: (response) => response,
  })
  states.set(c, { bound, caller, findSettings })
  c.set("auth", bound.auth)
}

/**
 * Path and query where Hono's router finds them. Some servers, such as Deno's, leave dot segments in the URL of a request:
 * parsing would resolve them, and the guard would judge another page than the one that is shown.
 */
function readTarget(url: string): string {
  return url.slice(url.indexOf("/", url.indexOf(":") + 4))
}

/** @throws Error if no middleware has set the configuration of the request */
export function getState(c: Context): AuthState {
  const state = states.get(c)
  if (state) return state
  throw new Error(
    "The request has no authentication configuration. Mount initAuthConfig(config), or HonoAuth(config), for all paths and before the code that uses it",
  )
}

/** Adds the pending cookies after the handler has run, because its own `Response` drops headers that were set before. */
export function sendCookies(c: Context): void {
  const { bound } = getState(c)
  const lines = bound.takeCookies(c.res.headers.getSetCookie())
  if (c.res.status === 101) return // The response to an upgrade cannot be changed.
  for (const [name, value] of Object.entries(bound.takeHeaders())) c.header(name, value)
  for (const line of lines) c.header("set-cookie", line, { append: true })
  if (lines.length === 0 && !bound.hasRefused()) return
  // The headers of some responses, such as `Response.redirect`, are immutable. With cookies, it is a copy already.
  if (lines.length === 0) c.res = new Response(c.res.body, c.res)
  forbidSharedCaching(c.res.headers)
}
