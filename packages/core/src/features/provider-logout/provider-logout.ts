import type { Kinds, OptionKind } from "../../config/options.js"
import { validateFactoryOptions } from "../../config/validate.js"
import type { AuthError } from "../../errors/auth-error.js"
import { InvalidConfiguration } from "../../errors/errors.js"
import { findAdapterMistake } from "../../host/adapter-mistakes.js"
import type { AuthRequest } from "../../http/request.js"
import { asOAuthProvider } from "../../oauth/client.js"
import { findLogoutMistake } from "../../oauth/end-session.js"
import type { ProviderLogout } from "../../types/config.js"
import type { ResolvedConfig } from "../../types/resolved.js"
import type { ActionContext, Feature, FeatureRoutes, ServiceConfig } from "../feature.js"
import { limited } from "../route.js"
import { featureFrame } from "../slots.js"
import { forgetSignIn, leaveProvider, rememberSignIn, returnFromProvider } from "./leave.js"
import { type BackchannelOptions, receiveFrame, receiveLogoutToken } from "./receive.js"

/** Options of {@link providerLogout}. */
export interface ProviderLogoutOptions {
  /**
   * Whether a sign-out also signs the user out at the provider. True: unless the call has `atProvider: false`. `ask`: if
   * the call has `atProvider: true`. False: never. Default: `ask`.
   */
  readonly atProvider?: boolean | "ask" | undefined
  /**
   * Accepts logout tokens at `<basePath>/backchannel-logout/<provider>` and ends the sessions that they name. Needs
   * `session.track`. Default: false.
   */
  readonly backchannel?: boolean | undefined
  /**
   * Ends the session that a provider's page names at `<basePath>/frontchannel-logout/<provider>`. Needs `session.track`.
   * Prefer `backchannel`, which is signed. Default: false.
   */
  readonly frontchannel?: boolean | undefined
  /** Accepts logout tokens without the header `typ`, from providers older than the final specification. Default: false. */
  readonly laxTyp?: boolean | undefined
}

/**
 * Signs users out at their provider, and ends sessions that a provider reports as ended: the value of `providerLogout`. A mistake
 * in the options is reported when the service starts.
 * @example
 * providerLogout: providerLogout({ atProvider: true, backchannel: true })
 */
export function providerLogout(options: ProviderLogoutOptions = {}): ProviderLogout {
  const { atProvider = "ask" } = options
  const feature: ProviderLogout & Feature = {
    feature: "providerLogout",
    frame: featureFrame,
    routes: toRoutes(options),
    validate: (config) => findMistake(options, config),
    onSessionStart: async (signedIn, _, request, context) =>
      atProvider === false ? {} : { cookies: await rememberSignIn(signedIn, request, context) },
    async onSignOut(target, request, context) {
      const leaving = isWanted(request, atProvider) ? await leaveProvider(target, request, context) : null
      return {
        url: leaving?.url ?? target,
        cookies: [...forgetSignIn(request, context), ...(leaving?.cookies ?? [])],
      }
    },
  }
  return Object.freeze(feature)
}

function isWanted({ body }: AuthRequest, atProvider: boolean | "ask"): boolean {
  const asked = String(body?.["atProvider"])
  if (atProvider === false || asked === "false") return false
  return atProvider === true || asked === "true"
}

function toRoutes({ backchannel, frontchannel, laxTyp = false }: ProviderLogoutOptions): FeatureRoutes {
  const received: BackchannelOptions = { laxTyp }
  const receive = (request: AuthRequest, context: ActionContext) => receiveLogoutToken(request, context, received)
  return {
    "signed-out": { GET: returnFromProvider },
    // Not limited: a provider that ends many sessions sends all tokens from one address, and each that is lost is a session
    // that goes on. A token that is wrong costs one signature at most.
    ...(backchannel && { "backchannel-logout/*": { format: "own" as const, POST: receive } }),
    ...(frontchannel && { "frontchannel-logout/*": { format: "own" as const, GET: limited("signOut", receiveFrame) } }),
  }
}

const choice: OptionKind = { words: "true or false", isValid: (value) => typeof value === "boolean" }

const kinds: Kinds<ProviderLogoutOptions> = {
  atProvider: { words: 'true, false or "ask"', isValid: (value) => value === "ask" || typeof value === "boolean" },
  backchannel: choice,
  frontchannel: choice,
  laxTyp: choice,
}

function findMistake(options: ProviderLogoutOptions, config: ServiceConfig): AuthError | null {
  return (
    validateFactoryOptions("providerLogout", options, kinds) ??
    findWrongProvider(config) ??
    findMissingNeed(options, config)
  )
}

function findWrongProvider({ providers }: ResolvedConfig): AuthError | null {
  for (const each of providers) {
    const provider = asOAuthProvider(each)
    const mistake = provider && findLogoutMistake(provider)
    if (mistake) return mistake
  }
  return null
}

/** A logout that is received finds the sessions by their records. */
function findMissingNeed(options: ProviderLogoutOptions, { features, adapter }: ServiceConfig): AuthError | null {
  for (const name of ["backchannel", "frontchannel"] as const) {
    if (options[name] !== true) continue
    const option = `providerLogout.${name}`
    if (!features.some(({ trackSessions }) => trackSessions)) {
      const advice = "Write session: { track: trackSessions() }"
      return new InvalidConfiguration(`${option}: needs records of the sessions. ${advice}`)
    }
    const mistake = findAdapterMistake({ option, methods: ["endSessions"] }, adapter)
    if (mistake) return mistake
  }
  return null
}
