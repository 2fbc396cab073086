import { InvalidCheck, InvalidConfiguration, UntrustedHost } from "../errors/errors.js"
import { type AllowedOrigins, isHttp } from "../http/origin.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"

type ProxiedProvider = Pick<ResolvedOAuthProvider, "id" | "redirectProxyUrl" | "isFormPost">

/**
 * The `redirect_uri` of a flow: the redirect proxy's callback, or this service's own. A form post is never proxied, since
 * a redirect would lose the form.
 * @throws InvalidConfiguration unless the proxy's address is an http(s) URL
 */
export function resolveRedirectUri(provider: ProxiedProvider, callbackUrl: string): string {
  const proxy = findProxyUrl(provider)
  return proxy === null ? callbackUrl : `${proxy.origin}${proxy.pathname.replace(/\/+$/, "")}/callback/${provider.id}`
}

export interface ProxyQuestion {
  readonly provider: ProxiedProvider
  /** Of this service. */
  readonly origin: string
  /** Callback URL of the service where the flow began, from the sealed state. */
  readonly stateOrigin: string | undefined
  /** Null: not configured, so that nothing is forwarded. */
  readonly allowedOrigins: AllowedOrigins | null
}

/**
 * Where this service, as the redirect proxy, forwards a callback; null when the sign-in completes here. The caller adds
 * the query.
 *
 * A state sealed with the shared secret is not enough: an attacker who begins a flow with a forged Host header chooses
 * the origin in it, and would receive a victim's code.
 * @throws InvalidCheck when the state does not name a callback of this provider
 * @throws UntrustedHost when it names an origin that the configuration does not list
 */
export function decideProxy({ provider, origin, stateOrigin, allowedOrigins }: ProxyQuestion): URL | null {
  const proxy = findProxyUrl(provider)
  if (proxy === null || proxy.origin !== origin || stateOrigin === undefined) return null
  const target = URL.parse(stateOrigin)
  if (target === null || !isCallback(target, provider.id)) {
    throw new InvalidCheck("The state does not name a callback that a redirect proxy may forward to", {
      provider: provider.id,
    })
  }
  if (target.origin === origin) return null
  if (allowedOrigins?.includes(target)) return target
  throw new UntrustedHost(
    `The sign-in began at ${target.origin}, which this redirect proxy does not forward to. If it is one of your services, list it: allowedOrigins: ["${target.origin}"]`,
    { provider: provider.id },
  )
}

function findProxyUrl({ id, redirectProxyUrl, isFormPost }: ProxiedProvider): URL | null {
  if (isFormPost || redirectProxyUrl === undefined) return null
  const url = URL.parse(redirectProxyUrl)
  if (isHttp(url)) return url
  throw new InvalidConfiguration(`providers.${id}.redirectProxyUrl: must be an absolute http(s) URL`)
}

function isCallback(url: URL, providerId: string): boolean {
  const isBare = url.search === "" && url.hash === "" && url.username === "" && url.password === ""
  return isBare && isHttp(url) && url.pathname.endsWith(`/callback/${providerId}`)
}
