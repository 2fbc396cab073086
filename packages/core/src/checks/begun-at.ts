import { isLocalHost } from "../http/client-address.js"
import { createAllowedOrigins } from "../http/origin.js"
import type { ResolvedConfig } from "../types/resolved.js"
import { findStateOrigin } from "./state.js"

/** What the app configured about the addresses under which it is reached. */
export type OwnPlaces = Pick<ResolvedConfig, "authUrl" | "allowedOrigins" | "localHosts" | "basePath">

/** A callback that came to another address than the one that the flow began with. */
interface ReturnedElsewhere {
  readonly provider: { readonly id: string; readonly redirectProxyUrl?: string | undefined }
  readonly redirectUri: string
  readonly clientBinding: string
  readonly state: string
}

/** Anyone can cause the search, so the number of addresses is limited. */
const maxAddresses = 50

/**
 * The origin where a flow began, if the app configured it or it is the callback's own host over another scheme. The `state`
 * has only a digest of the address, so a host that nobody configured is never named: a visitor may have chosen it.
 */
export async function findBegunAt(
  returned: ReturnedElsewhere,
  places: OwnPlaces,
  secrets: readonly string[],
): Promise<string | null> {
  const { state, clientBinding } = returned
  for (const redirectUri of listAddresses(returned, places).slice(0, maxAddresses)) {
    const found = await findStateOrigin(state, { redirectUri, clientBinding }, secrets)
    if (found?.isSameHost) return new URL(redirectUri).origin
  }
  return null
}

/** The callback addresses of the app, the likeliest first. */
function listAddresses({ provider, redirectUri }: ReturnedElsewhere, places: OwnPlaces): readonly string[] {
  const { authUrl, allowedOrigins = [], basePath } = places
  const here = URL.parse(redirectUri)
  const configured = [authUrl, ...allowedOrigins].flatMap((address) => URL.parse(address ?? "")?.origin ?? [])
  const origins = new Set([...(here ? listVariants(here, places) : []), ...configured])
  const path = `callback/${provider.id}`
  const proxy = provider.redirectProxyUrl
  const slash = proxy?.endsWith("/") ? "" : "/"
  return [
    ...(proxy === undefined || !URL.canParse(proxy) ? [] : [`${proxy}${slash}${path}`]),
    ...[...origins].map((origin) => `${origin}${basePath}/${path}`),
  ]
}

/** The callback's own host over the other scheme, and the related names that the app answers to. */
function listVariants(here: URL, { allowedOrigins, localHosts }: OwnPlaces): readonly string[] {
  const { protocol, host, hostname, port } = here
  const allowed = createAllowedOrigins(allowedOrigins ?? [])
  const other = host.startsWith("www.") ? host.slice("www.".length) : `www.${host}`
  const names = localHosts && isLocalHost(hostname, localHosts) ? ["localhost", "127.0.0.1", "[::1]"] : []
  return [
    `${protocol === "https:" ? "http:" : "https:"}//${host}`,
    ...[`https://${other}`, `http://${other}`].filter((origin) => {
      const url = URL.parse(origin)
      return url !== null && allowed.includes(url)
    }),
    ...names.map((name) => `${protocol}//${name}${port && `:${port}`}`),
  ]
}
