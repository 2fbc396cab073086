import type { ResponseCookie } from "@latchkey/core"
import { type HostConfig, type SessionAnswer, type Settings, settingsOf } from "@latchkey/core/integration"
import type { Context, Env } from "hono"
import { findEnvironment } from "./environment.js"

/** Everything a host decides. `basePath` says where the service is, for guards on other paths. */
export type HonoAuthConfig = HostConfig

/**
 * A configuration, or a function that finds the one for a request. It should give the same object as often as it can,
 * since what an object says is worked out once and kept with it: see `fromBindings`.
 */
export type HonoConfigSource<E extends Env = Env> =
  | HonoAuthConfig
  | ((c: Context<E>) => HonoAuthConfig | PromiseLike<HonoAuthConfig>)

/** How the app is reached. */
export interface HonoAuthOptions {
  /**
   * Believes `X-Forwarded-Proto` and `X-Forwarded-Host`. Only for a server that nobody reaches but through a proxy that
   * sets both. Not needed where `AUTH_URL` says the public address. Default: false.
   */
  readonly trustProxy?: boolean
}

/** What the middlewares of one request share. */
interface RequestState {
  readonly findConfig: () => Promise<HonoAuthConfig>
  readonly options: HonoAuthOptions
  session: Promise<SessionAnswer> | undefined
  cookies: readonly ResponseCookie[]
}

const states = new WeakMap<Context, RequestState>()

/** The function of a source is called when somebody first asks, and once for a request. */
export function initState<E extends Env>(
  c: Context<E>,
  source: HonoConfigSource<E>,
  options: HonoAuthOptions = {},
): void {
  let config: Promise<HonoAuthConfig> | undefined
  const find = async () => (typeof source === "function" ? await source(c) : source)
  const findConfig = () => {
    config ??= find()
    return config
  }
  states.set(c, { findConfig, options, session: undefined, cookies: [] })
}

/** @throws Error where no middleware of ours has run for the request */
export function getState(c: Context): RequestState {
  const state = states.get(c)
  if (state) return state
  throw new Error(
    "No configuration of the authentication is known here: mount initAuthConfig(config), or HonoAuth(config), for all paths and before whatever asks who somebody is",
  )
}

/** @param mountPath Without a trailing slash. Empty: only the configuration and the environment say where. */
export async function findSettings(c: Context, mountPath = ""): Promise<Settings> {
  const given = await getState(c).findConfig()
  return settingsOf(given, { env: findEnvironment(c.env, given), mountPath })
}

/** Cookies of an action, for the answer of the request. They take the place of those that told the same before. */
export function keepCookies(c: Context, cookies: readonly ResponseCookie[]): void {
  const state = getState(c)
  state.cookies = [...withoutFamilies(state.cookies, cookies), ...cookies]
}

/** Cookies of a session that was only read, for the answer of the request. What an action said stands. */
export function keepRenewed(c: Context, cookies: readonly ResponseCookie[]): void {
  const state = getState(c)
  state.cookies = [...state.cookies, ...withoutFamilies(cookies, state.cookies)]
}

/** What was kept for the answer, once. */
export function takeCookies(c: Context): readonly ResponseCookie[] {
  const state = getState(c)
  const { cookies } = state
  state.cookies = []
  return cookies
}

function withoutFamilies(
  cookies: readonly ResponseCookie[],
  others: readonly ResponseCookie[],
): readonly ResponseCookie[] {
  const families = new Set(others.map(({ name }) => toFamily(name)))
  return cookies.filter(({ name }) => !families.has(toFamily(name)))
}

/** A long session is cut into `<name>.0`, `<name>.1` and so on: one of them speaks for all. */
export function toFamily(name: string): string {
  return name.replace(/\.\d+$/, "")
}
