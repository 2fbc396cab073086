import { InvalidConfiguration } from "./errors/errors.js"
import type { ActionContext } from "./features/feature.js"
import { readCookies } from "./http/cookies.js"
import { getService, type Service } from "./service.js"
import type { SessionRequest } from "./session/session.js"
import type { AuthConfig } from "./types/config.js"

/** A configuration for the functions for servers and for integrations: all but `raw`, because they write the responses. */
export type HostConfig = Omit<AuthConfig, "raw">

/** The parts of an app's request that are read. */
export type HostRequest = Pick<Request, "url" | "headers">

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
  const own = await service.bearer?.readToken(headers, context)
  const cookies = own ?? readCookies(headers.get("cookie"))
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

/**
 * The value of an option, as its factory made it: the public type hides what it is. What an app calls from its own code
 * comes with it, so that apps without the option do not bundle it.
 * @param missing What to write, for a configuration without it.
 * @throws AuthError when the configuration is invalid or without the option
 */
function getFeature<Made>(config: HostConfig, value: object | undefined, missing: string): Made {
  const { mistake } = getService(config)
  if (mistake) throw mistake
  if (!value) throw new InvalidConfiguration(missing)
  return value as Made
}

/** @throws AuthError when the configuration is invalid or without `session.track` */
export function getTracking<Tracking>(config: HostConfig): Tracking {
  const missing = "session.track: sessions cannot be listed or ended. Write session: { track: trackSessions() }"
  return getFeature(config, config.session?.track, missing)
}

/**
 * The feature that knows how users proved who they are: `secondFactors`, else `session.track`.
 * @throws AuthError when the configuration is invalid or has neither
 */
export function getProofReader<Reader>(config: HostConfig): Reader {
  const missing =
    "requireFresh: nothing knows when users sign in. Write session: { track: trackSessions() } or secondFactors: secondFactors({ ... })"
  return getFeature(config, config.secondFactors ?? config.session?.track, missing)
}

/** @throws AuthError when the configuration is invalid or without `accessTokens` */
export function getTokenKeeper<Keeper>(config: HostConfig): Keeper {
  return getFeature(config, config.accessTokens, "accessTokens: missing. Write accessTokens: accessTokens()")
}
