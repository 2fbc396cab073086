import { getService } from "./auth.js"
import { InvalidConfiguration } from "./errors/errors.js"
import type { ActionContext } from "./features/feature.js"
import type { AppFunctions, HostConfig, HostRequest } from "./features/functions.js"
import { readCookies } from "./http/cookies.js"
import type { Service } from "./service.js"
import type { SessionRequest } from "./session/session.js"

/** The service as the functions for servers use it. */
interface OpenedService {
  readonly service: Service
  readonly context: ActionContext
  /** The app's request, which has the session cookie, or the token of a native app. */
  readonly visit: SessionRequest
}

/**
 * Opens the service for a request of the app's own code.
 * @param request Its URL must have the scheme of the app's public address, which decides the name of the session cookie.
 * @throws AuthError when the configuration is invalid
 */
export async function openService({ url: address, headers }: HostRequest, config: HostConfig): Promise<OpenedService> {
  const service = getService(config)
  if (service.mistake) throw service.mistake
  const context = service.contextFor({ protocol: findScheme(address) })
  const own = await service.slots.bearer?.readToken(headers, context)
  const sent = own ?? readCookies(headers.get("cookie"))
  const cookies = (await service.slots.acceptor?.readJar({ headers, cookies: sent }, context)) ?? sent
  const visit = {
    headers,
    cookies,
    // Most calls need its scheme only.
    get url() {
      return new URL(address)
    },
  }
  return { service, context, visit }
}

/** @throws TypeError if the address is not a URL */
function findScheme(address: string): string {
  // Parsing a URL takes as long as reading the cookies.
  if (address.startsWith("https://")) return "https:"
  return address.startsWith("http://") ? "http:" : new URL(address).protocol
}

/** What to write for a configuration that lacks a function. */
const missing: Readonly<Record<keyof AppFunctions, string>> = {
  listSessions: "session.track: sessions cannot be listed or ended. Write session: { track: trackSessions() }",
  endSession: "session.track: sessions cannot be listed or ended. Write session: { track: trackSessions() }",
  endOtherSessions: "session.track: sessions cannot be listed or ended. Write session: { track: trackSessions() }",
  signOutEverywhere: "session.track: sessions cannot be listed or ended. Write session: { track: trackSessions() }",
  requireFresh:
    "requireFresh: nothing knows when users sign in. Write session: { track: trackSessions() } or secondFactors: secondFactors({ ... })",
  findAccessToken: "accessTokens: missing. Write accessTokens: accessTokens()",
}

/**
 * A function that a feature of the configuration brings.
 * @throws AuthError when the configuration is invalid or without such a feature
 */
export function getFunction<Name extends keyof AppFunctions>(config: HostConfig, name: Name): AppFunctions[Name] {
  const { mistake, features } = getService(config)
  if (mistake) throw mistake
  const found = features.find(({ functions }) => functions?.[name] !== undefined)?.functions?.[name]
  if (found === undefined) throw new InvalidConfiguration(missing[name])
  return found
}
