import { Auth, customFetch } from "@latchkey/core"
import { type ProviderLogoutOptions, providerLogout } from "@latchkey/core/provider-logout"
import type { AuthConfig, OIDCUserConfig } from "@latchkey/core/types"
import { type FakeIdentityProvider, fakeIdentityProvider, type IdentityProviderOptions } from "@latchkey/testkit"
import { type Answer, readAnswer, requestTo } from "./requests.js"
import { openTracked, type Strategy, type TrackedHost } from "./tracked-setup.js"

export interface LogoutHost extends TrackedHost {
  readonly idp: FakeIdentityProvider
  /** The provider's session and user of the latest sign-in there. */
  lastAtProvider(): { readonly sid: string; readonly sub: string }
  /**
   * Sends a logout token, as the provider does.
   * @param own Changes the configuration. Given: another process gets the token.
   */
  sendToken(token: string, path?: string, own?: Partial<AuthConfig>): Promise<Answer>
}

export interface LogoutHostOptions {
  readonly logout?: ProviderLogoutOptions
  readonly provider?: OIDCUserConfig
  readonly idp?: IdentityProviderOptions
  /** Wraps the `fetch` that reaches the provider. */
  readonly fetch?: (real: typeof fetch) => typeof fetch
  readonly config?: Partial<Pick<AuthConfig, "callbacks">>
}

export const backchannel = "/auth/backchannel-logout/oidc"

/** A host that tracks its sessions, with an OpenID Connect provider that ends them. */
export function openLogoutHost(strategy: Strategy, options: LogoutHostOptions = {}): LogoutHost {
  const {
    logout = { backchannel: true, frontchannel: true },
    provider,
    idp: at,
    fetch: wrap,
    config: changes,
  } = options
  const idp = fakeIdentityProvider(at)
  const own = { ...provider, ...(wrap && { [customFetch]: wrap(idp.fetch) }) }
  const tracked = openTracked(strategy, {}, { idp, oidc: own, providerLogout: providerLogout(logout), ...changes })
  return {
    ...tracked,
    idp,
    lastAtProvider() {
      const token = idp.issued.findLast(({ name }) => name === "id token")?.value ?? ""
      return readClaims(token) as { sid: string; sub: string }
    },
    async sendToken(token, path = backchannel, own) {
      const request = requestTo(path, { form: { logout_token: token } })
      const { handler, config } = tracked.host
      return readAnswer(
        await (own ? Auth(request, { ...config, providerLogout: providerLogout(logout), ...own }) : handler(request)),
      )
    },
  }
}

/** The claims of a signed token. */
export function readClaims(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
}
