import type { CallbackUrls } from "../checks/callback-url.js"
import { createFlows } from "../checks/flows.js"
import { createSpentFlows } from "../checks/spent-flows.js"
import { checkMaxAgeSeconds, type ResolvedCookies } from "../config/cookies.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import type { ResolvedProvider } from "../config/resolved-provider.js"
import type { ProviderType } from "../contract/common-provider.js"
import { createSealer } from "../crypto/sealer.js"
import { InvalidConfiguration, MissingAdapter } from "../errors/configuration.js"
import type { Permission } from "../host/permission.js"
import type { Store } from "../host/store.js"
import type { Log } from "../log/log.js"
import type { SignInMethod } from "../signin/method.js"
import type { Visit } from "../web/visit.js"
import { once } from "./once.js"
import { systemClock } from "./system-clock.js"

export interface MethodNeeds {
  readonly cookies: ResolvedCookies
  readonly store: Store | null
  readonly permission: Permission
  readonly callbackUrls: CallbackUrls
  readonly log: Log
  readonly actionUrl: (visit: Visit, path: string) => string
}

/** Shared by all configurations, so that one that is made anew for each request does not forget. */
const spent = createSpentFlows(systemClock, checkMaxAgeSeconds)

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
    webauthn: refuseWebAuthn,
  }
  return ({ type }) => loaders[type]()
}

async function loadOAuth({ secrets }: ResolvedConfig, needs: MethodNeeds): Promise<SignInMethod> {
  const [{ oauthMethod }, { createProviderEndpoints }] = await Promise.all([
    import("../signin/oauth.js"),
    import("../oauth/endpoints.js"),
  ])
  const sealer = createSealer(secrets, systemClock)
  const flows = createFlows({
    cookies: needs.cookies,
    sealer,
    spent,
    clock: systemClock,
    ttlSeconds: checkMaxAgeSeconds,
  })
  return oauthMethod({ ...needs, flows, endpoints: createProviderEndpoints({ logger: needs.log, clock: systemClock }) })
}

async function loadEmail({ secrets, theme }: ResolvedConfig, needs: MethodNeeds): Promise<SignInMethod> {
  const { emailMethod } = await import("../signin/email.js")
  const { store } = needs
  if (!store) throw new MissingAdapter("adapter: an email provider needs one")
  return emailMethod({ ...needs, store, secrets, theme, clock: systemClock })
}

async function loadCredentials({ actionUrl }: MethodNeeds): Promise<SignInMethod> {
  const { credentialsMethod } = await import("../signin/credentials.js")
  return credentialsMethod({ signInPage: (visit) => actionUrl(visit, "signin") })
}

/** Passkeys are not offered by this release. */
function refuseWebAuthn(): Promise<never> {
  throw new InvalidConfiguration("providers: this release has no providers of type webauthn")
}
