import type { AppSession } from "@latchkey/types"
import type { FreshnessRequirement } from "../account/session-proofs.js"
import type { SessionView } from "../session/own-sessions.js"
import type { Awaitable } from "../types/basics.js"
import type { SessionAuth } from "../types/callbacks.js"
import type { AuthConfig } from "../types/config.js"
import type { ResponseCookie } from "../types/http.js"

/** A configuration for the functions for servers and for integrations: all but `raw`, because they write the responses. */
export type HostConfig = Omit<AuthConfig, "raw">

/** The parts of an app's request that are read. */
export type HostRequest = Pick<Request, "url" | "headers">

/**
 * What apps call and a feature brings: the packages for frameworks find it in the configuration, so that apps without the
 * feature do not bundle it. The functions themselves have the documentation.
 */
export interface AppFunctions {
  listSessions(request: Request, config: HostConfig): Promise<readonly SessionView[]>
  endSession(request: Request, config: HostConfig, id: string): Promise<boolean>
  endOtherSessions(request: Request, config: HostConfig): Promise<number>
  signOutEverywhere(
    config: HostConfig,
    userId: string,
    options?: { readonly except?: string | undefined },
  ): Promise<number>
  requireFresh(request: Request, config: HostConfig, options?: RequireFreshOptions): Promise<FreshSession | Response>
  /** @param writer Undefined if the response cannot set cookies. */
  findAccessToken(
    request: HostRequest,
    config: HostConfig,
    options: AccessTokenOptions,
    writer: CookieWriter | undefined,
  ): Promise<AccessToken>
}

/** What `requireFresh` requires. */
export interface RequireFreshOptions extends FreshnessRequirement {
  /** Where to go afterwards. Default: the requested page; for a form, the page that has it. */
  readonly callbackUrl?: string | undefined
}

/** A session whose user proved recently who they are. */
export type FreshSession = AppSession & {
  /** What was proved recently enough. */
  readonly auth: SessionAuth
}

/** Which token `getAccessToken` returns. */
export interface AccessTokenOptions {
  /** Id of the provider. */
  readonly provider: string
  /** The user's id at the provider, for users with several accounts there. Default: the first one. */
  readonly providerAccountId?: string | undefined
  /** Scopes that the token must have, separated by spaces. Default: any. */
  readonly scope?: string | undefined
  /** How many more seconds the token should be valid. A new token may be valid for less. Default: `refreshBefore`. */
  readonly secondsLeft?: number | undefined
  /**
   * A token that the provider's API refused, such as with status 401. You get another one, even if this one has not expired.
   * Ask once for each refused call.
   */
  readonly not?: string | undefined
}

/** An access token of a provider. Keep it on the server. */
export interface AccessToken {
  /** Send it as `Authorization: Bearer`. */
  readonly accessToken: string
  /** Null if the provider did not say. */
  readonly expiresAt: Date | null
  /** The scopes that the provider granted, separated by spaces. Null if it did not say. */
  readonly scope: string | null
  /** Always lower case. */
  readonly tokenType: string
}

/** The response to a request, as far as it can set cookies. */
export interface CookieWriter {
  /** Whether it still can. */
  canWrite(): Awaitable<boolean>
  /** @throws Error if it cannot */
  write(cookies: readonly ResponseCookie[]): Awaitable<void>
}
