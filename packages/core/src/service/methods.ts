import type { CallbackUrls } from "../checks/callback-url.js"
import { checkMaxAgeSeconds, type ResolvedCookies } from "../config/cookies.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import type { ResolvedProvider } from "../config/resolved-provider.js"
import type { ProviderType } from "../contract/common-provider.js"
import { createSealer } from "../crypto/sealer.js"
import { MissingAdapter } from "../errors/configuration.js"
import type { Permission } from "../host/permission.js"
import type { Store } from "../host/store.js"
import type { Limits } from "../limits/limits.js"
import type { Log } from "../log/log.js"
import type { Sessions } from "../session/sessions.js"
import type { SignInMethod } from "../signin/method.js"
import type { AllowedOrigins } from "../web/allowed-origins.js"
import { once } from "../web/once.js"
import type { Visit } from "../web/visit.js"
import { systemClock } from "./system-clock.js"

export interface MethodNeeds {
  readonly cookies: ResolvedCookies
  readonly store: Store | null
  readonly sessions: Sessions
  readonly permission: Permission
  readonly callbackUrls: CallbackUrls
  readonly limits: Limits
  readonly log: Log
  readonly actionUrl: (visit: Visit, path: string) => string
  readonly allowedOrigins: AllowedOrigins | null
}

/** The methods by provider type. A new method is a file and a line here; its code is loaded when it is first used. */
export function createMethods(
  config: ResolvedConfig,
  needs: MethodNeeds,
): (provider: ResolvedProvider) => Promise<SignInMethod> {
  const oauth = once(() => loadOAuth(config, needs))
  const loaders: Readonly<Record<ProviderType, () => Promise<SignInMethod>>> = {
    oauth,
    oidc: oauth,
    email: once(() => loadEmail(config, needs)),
    credentials: once(() => loadCredentials(needs)),
    webauthn: once(() => loadWebAuthn(config, needs)),
  }
  return ({ type }) => loaders[type]()
}

async function loadOAuth({ secrets, requestLimits }: ResolvedConfig, needs: MethodNeeds): Promise<SignInMethod> {
  const [{ oauthMethod }, { createProviderEndpoints }, { createFlows }, { chooseSpentFlows }] = await Promise.all([
    import("../signin/oauth.js"),
    import("../oauth/endpoints.js"),
    import("../checks/flows.js"),
    import("./spent-flows.js"),
  ])
  const sealer = createSealer(secrets, systemClock)
  const flows = createFlows({
    cookies: needs.cookies,
    sealer,
    spent: chooseSpentFlows(needs.store),
    clock: systemClock,
    ttlSeconds: checkMaxAgeSeconds,
    maxFlows: requestLimits.flows,
  })
  return oauthMethod({ ...needs, flows, endpoints: createProviderEndpoints({ log: needs.log, clock: systemClock }) })
}

async function loadEmail({ secrets, theme }: ResolvedConfig, needs: MethodNeeds): Promise<SignInMethod> {
  const { emailMethod } = await import("../signin/email.js")
  const { store } = needs
  if (!store) throw new MissingAdapter("adapter: an email provider needs one")
  return emailMethod({ ...needs, store, secrets, theme, clock: systemClock })
}

async function loadCredentials({ actionUrl, limits }: MethodNeeds): Promise<SignInMethod> {
  const { credentialsMethod } = await import("../signin/credentials.js")
  return credentialsMethod({ limits, signInPage: (visit) => actionUrl(visit, "signin") })
}

async function loadWebAuthn({ secrets, requestLimits }: ResolvedConfig, needs: MethodNeeds): Promise<SignInMethod> {
  const [{ webauthnMethod }, { loadLibrary }, { chooseSpentFlows }] = await Promise.all([
    import("../signin/webauthn.js"),
    import("../signin/webauthn/library.js"),
    import("./spent-flows.js"),
  ])
  const { store, sessions, cookies, actionUrl } = needs
  if (!store) throw new MissingAdapter("adapter: a WebAuthn provider needs one")
  const challenges = {
    cookie: cookies.webauthnChallenge,
    sealer: createSealer(secrets, systemClock),
    spent: chooseSpentFlows(needs.store),
    clock: systemClock,
    ttlSeconds: checkMaxAgeSeconds,
    maxPending: requestLimits.passkeyChallenges,
  }
  const signInPage = (visit: Visit) => actionUrl(visit, "signin")
  return webauthnMethod({ store, sessions, challenges, secrets, library: loadLibrary, signInPage })
}
