import { integer, type Kinds, oneOf } from "../../config/options.js"
import { validateFactoryOptions } from "../../config/validate.js"
import { tokens } from "../../crypto/jwt.js"
import type { AuthError } from "../../errors/auth-error.js"
import { InvalidConfiguration } from "../../errors/errors.js"
import { type AdapterNeeds, findAdapterMistake } from "../../host/adapter-mistakes.js"
import { requireFresh } from "../../require-fresh.js"
import { isDate } from "../../runtime/merge.js"
import { andThen } from "../../runtime/promise.js"
import { databaseSessions } from "../../session/database.js"
import { type JwtSessionOptions, jwtSessions } from "../../session/jwt.js"
import type { Sessions } from "../../session/session.js"
import { expandFacts, shortenFacts } from "../../session/short-facts.js"
import { trackRows } from "../../session/tracked-rows.js"
import { trackTokens } from "../../session/tracked-tokens.js"
import type { DeviceCallback, TrackerDeps, TrackingSettings } from "../../session/tracking.js"
import type { SessionLimit } from "../../types/adapter-features.js"
import type { SessionTracking } from "../../types/config.js"
import type { ResolvedConfig } from "../../types/resolved.js"
import type { Feature } from "../feature.js"
import { sessionRoutes } from "../sessions.js"
import { featureFrame } from "../slots.js"
import { endOtherSessions, endSession, listSessions, signOutEverywhere } from "./manage.js"

/** Options of {@link trackSessions}. */
export interface TrackSessionsOptions {
  /**
   * Seconds until every process refuses an ended stateless session, at most. The store is asked once in this time for each
   * session in use; 0 asks it at each check. At most a day. Default: 60.
   */
  readonly checkEvery?: number | undefined
  /**
   * Returns what a session keeps about the device of a request; null keeps nothing. Default: the user agent, and the
   * network of the address (/24, or /48 with IPv6), not the address itself.
   */
  readonly device?: DeviceCallback | undefined
  /**
   * Whether sessions from before they were tracked stay signed in and get a record at their next use. With true, those whose
   * token was issued before the first session was tracked, a time that the adapter stores with `consumeOnce`,
   * `keepTemporary` and `takeTemporary`. With a date, those whose token was issued before it. Stateless
   * ones need an adapter with `consumeOnce`, `takeLease` and `dropLease`, which keep whether a session has ended before that
   * use. With false their users sign in again. Default: true.
   */
  readonly adopt?: boolean | Date | undefined
  /**
   * How many sessions a user may have, and what happens to one more: the sign-in is refused, or the sessions that were
   * used least recently end. Default: no limit.
   */
  readonly maxPerUser?: SessionLimit | undefined
  /**
   * What happens to stateless sessions while the store cannot be asked. `hold`: they go on for ten times `checkEvery`
   * after the last answer. `refuse`: none is accepted until it answers. Functions for servers then throw, and guards answer
   * 503. Their cookies stay. Default: `hold`.
   */
  readonly whenStoreFails?: "hold" | "refuse" | undefined
}

/**
 * Keeps a record of each session: the value of `session.track`. `Passwords`, `secondFactors` and `accountArea` bring it with
 * its default settings. The adapter needs `createSessionDetail`, `seeSession`, `listSessionsByUserId` and `endSessions`. A
 * mistake in the options is reported when the service starts.
 * @example
 * session: { track: trackSessions({ maxPerUser: { count: 10, over: "end-oldest" } }) }
 */
export function trackSessions(options: TrackSessionsOptions = {}): SessionTracking {
  return createTracking(options)
}

/** As a feature, for those that bring it. They call `findTrackingMistake` in their own `validate`. */
export function createTracking(options: TrackSessionsOptions = {}): SessionTracking & Feature {
  const { checkEvery = 60, device, adopt = true, maxPerUser, whenStoreFails = "hold" } = options
  const settings: TrackingSettings = { checkEvery, device, adopt, maxPerUser, whenStoreFails }
  const tracking: SessionTracking & Feature = {
    feature: "session.track",
    frame: featureFrame,
    routes: sessionRoutes,
    validate: ({ adapter }) =>
      validateFactoryOptions("session.track", options, kinds) ?? findAdapterMistake(needs, adapter),
    trackSessions: (deps) => createSessions(deps, settings),
    functions: { listSessions, endSession, endOtherSessions, signOutEverywhere, requireFresh },
  }
  return Object.freeze(tracking)
}

function createSessions(deps: TrackerDeps, settings: TrackingSettings): Sessions {
  const { config, tokenOptions } = deps
  if (config.session.strategy === "database") {
    return trackRows((store) => databaseSessions({ ...deps, store }, deps), deps, settings)
  }
  const options = tokenOptions.encode || tokenOptions.decode ? tokenOptions : withShortFacts(tokenOptions, deps)
  return trackTokens((callbacks) => jwtSessions(options, { ...deps, callbacks }), deps, settings)
}

/** Tokens in a shorter form, unless the app's own functions write or read them. */
function withShortFacts(options: JwtSessionOptions, { lifetime }: TrackerDeps): JwtSessionOptions {
  return {
    ...options,
    secret: options.secrets,
    isPlain: true,
    encode({ token: claims = {}, secret, salt, maxAge = options.maxAge }) {
      const token = shortenFacts(claims, lifetime.isCapped)
      return tokens.encode({ token, secret, salt, maxAge }, token === claims ? {} : { jti: null })
    },
    decode: (params) => andThen(tokens.decode(params), (claims) => claims && expandFacts(claims, params.token ?? "")),
  }
}

const needs: AdapterNeeds = {
  option: "session.track",
  methods: ["createSessionDetail", "seeSession", "listSessionsByUserId", "endSessions"],
}

/**
 * The mistake of a feature that brings tracking: `session.track` is false, or the adapter lacks methods. Null if none.
 * @param own What the feature itself needs.
 */
export function findTrackingMistake(own: AdapterNeeds, { session, adapter }: ResolvedConfig): AuthError | null {
  const { option, methods } = own
  if (!session.canTrack) {
    const sentence = `needs records of the sessions, but session.track is false. Leave out session.track or ${option}`
    return new InvalidConfiguration(`${option}: ${sentence}`)
  }
  return findAdapterMistake({ option, methods: [...methods, ...needs.methods] }, adapter)
}

const daySeconds = 24 * 60 * 60

const kinds: Kinds<TrackSessionsOptions> = {
  checkEvery: integer(0, daySeconds, `an integer of seconds from 0 to ${daySeconds}`),
  device: { words: "a function", isValid: (value) => typeof value === "function" },
  adopt: {
    words: "true, false or a valid date",
    isValid: (value) => typeof value === "boolean" || (isDate(value) && !Number.isNaN(value.valueOf())),
  },
  maxPerUser: { words: 'an object with a count of at least 1, and over: "refuse" or "end-oldest"', isValid: isLimit },
  whenStoreFails: oneOf("hold", "refuse"),
}

function isLimit(value: unknown): boolean {
  const { count, over }: Partial<Record<string, unknown>> = Object(value)
  return Number.isSafeInteger(count) && Number(count) >= 1 && (over === "refuse" || over === "end-oldest")
}
