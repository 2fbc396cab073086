// Imported as `@latchkey/core/providers/microsoft-entra-id`.

import type { AnyValue } from "@latchkey/types"
import type { HookProvider, MarkPath, OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { matching, optional } from "./_shared/options.js"

/**
 * User claims of Microsoft Entra ID, from the ID token or the userinfo endpoint.
 * @see https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
export interface MicrosoftEntraIDProfile {
  /** Differs between apps; stable for a user within an app. */
  readonly sub: string
  /** The user's tenant. */
  readonly tid?: string
  /** The user's ID in all apps of the tenant. */
  readonly oid?: string
  readonly name?: string
  /** Set by the tenant and not verified, so it does not identify the user. */
  readonly email?: string
  readonly preferred_username?: string
  readonly [claim: string]: AnyValue
}

/** Options of the Microsoft Entra ID provider. */
export interface MicrosoftEntraIDOptions extends OIDCUserConfig<MicrosoftEntraIDProfile> {
  /**
   * A tenant's ID or domain, `common`, `organizations` or `consumers`. Default: `common`. An `issuer` such as
   * `https://login.microsoftonline.com/<tenant>/v2.0` has the same effect.
   */
  readonly tenantId?: string | undefined
  /** Width and height of the photo in pixels. Default: 48. */
  readonly profilePhotoSize?: 48 | 64 | 96 | 120 | 240 | 360 | 432 | 504 | 648 | undefined
}

/**
 * Microsoft Entra ID sign-in (OpenID Connect), formerly Azure AD; with `common` or `consumers`, also for personal
 * accounts.
 *
 * Scopes: `openid profile email User.Read`. The last one is for the photo, which is fetched from Microsoft Graph and
 * becomes a `data:` URL, or null without a photo. The email address may be missing and is not verified. With
 * `common`, users of every tenant can sign in; to admit some, compare `profile.tid` in the `signIn` callback.
 * Register the redirect URI `<origin>/auth/callback/microsoft-entra-id` for the platform "Web".
 * @see https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc
 */
export function MicrosoftEntraID(options: MicrosoftEntraIDOptions = {}): OIDCConfig<MicrosoftEntraIDProfile> {
  const { tenantId = "common", profilePhotoSize: size = 48 } = options
  return {
    id: "microsoft-entra-id",
    name: "Microsoft Entra ID",
    type: "oidc",
    optionRules: { issuer: optional(issuerRule), tenantId: optional(tenantRule) },
    derive: (given) => {
      const issuer = given.issuer ?? `https://login.microsoftonline.com/${tenantId}/v2.0`
      return { issuer, isIssuer: createTenantCheck(issuer) }
    },
    authorization: { params: { scope: "openid profile email User.Read" } },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Without the optional claim `login_hint`, the user chooses the account to sign out of.
    logout: { params: { id_token_hint: null, logout_hint: "{claim:login_hint}", state: null } },
    profile: async ({ sub, name, email }, { access_token }, provider) => ({
      id: sub,
      name: name ?? null,
      email: email ?? null,
      image: provider ? await requestPhoto(provider, { size, accessToken: String(access_token) }) : null,
    }),
    style: { brandColor: "#0078d4", mark },
    options,
  }
}

const issuerRule = matching(
  /^https:\/\/[^/?#\s]+\/[^/?#\s]+\/v2\.0\/?$/,
  "must be an authority such as https://login.microsoftonline.com/common/v2.0",
)

const tenantRule = matching(/^[\w.-]+$/, "must be a tenant's ID or domain, or common, organizations or consumers")

type IssuerCheck = NonNullable<OIDCConfig["isIssuer"]>

const guid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const placeholder = "{tenantid}"
/** The tenant of all personal accounts. */
const personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

/**
 * Accepts an issuer by its tenant. Discovery contains a placeholder for a shared authority, and the tenant's ID for a
 * domain, while an ID token always contains the ID, which must match its `tid` claim.
 * @see https://learn.microsoft.com/entra/identity-platform/access-tokens#validate-the-issuer
 */
function createTenantCheck(configured: string): IssuerCheck {
  const own = parseIssuer(configured)
  return (issuer, claims) => {
    const found = parseIssuer(issuer)
    if (own === null || found === null || found.origin !== own.origin) return false
    const isToken = Object.keys(claims).length > 0
    return isToken
      ? found.tenant === claims["tid"] && isTenantOf(own.tenant, found.tenant)
      : isAnnouncedTenantOf(own.tenant, found.tenant)
  }
}

function isTenantOf(authority: string, tenant: string): boolean {
  if (!guid.test(tenant)) return false
  if (authority === "common") return true
  if (authority === "organizations") return tenant !== personalTenant
  if (authority === "consumers") return tenant === personalTenant
  // For a domain, the issuer must equal the one in the discovery document, which the caller compares.
  return guid.test(authority) && tenant.toLowerCase() === authority.toLowerCase()
}

function isAnnouncedTenantOf(authority: string, tenant: string): boolean {
  const isShared = authority === "common" || authority === "organizations"
  if (isShared && tenant === placeholder) return true
  const isDomain = authority.includes(".")
  return isDomain ? guid.test(tenant) : isTenantOf(authority, tenant)
}

interface TenantIssuer {
  readonly origin: string
  readonly tenant: string
}

function parseIssuer(issuer: string): TenantIssuer | null {
  const [, origin, tenant] = /^(https:\/\/[^/]+)\/([^/]+)\/v2\.0\/?$/.exec(issuer) ?? []
  return origin === undefined || tenant === undefined ? null : { origin, tenant }
}

/** @see https://learn.microsoft.com/graph/deployments */
function graphOriginOf(issuer: string): string {
  if (issuer.startsWith("https://login.microsoftonline.us/")) return "https://graph.microsoft.us"
  if (issuer.startsWith("https://login.partner.microsoftonline.cn/")) return "https://microsoftgraph.chinacloudapi.cn"
  return "https://graph.microsoft.com"
}

interface PhotoRequest {
  /** Width and height in pixels. */
  readonly size: number
  readonly accessToken: string
}

const photoDeadlineMs = 3_000
const maxPhotoBytes = 200_000

/** Null on any failure: many users have no photo, and a missing photo must not prevent a sign-in. */
async function requestPhoto(
  { issuer = "", fetch }: HookProvider,
  { size, accessToken }: PhotoRequest,
): Promise<string | null> {
  try {
    const response = await fetch(`${graphOriginOf(issuer)}/v1.0/me/photos/${size}x${size}/$value`, {
      headers: { authorization: `Bearer ${accessToken}`, accept: "image/*" },
      signal: AbortSignal.timeout(photoDeadlineMs),
    })
    const type = response.headers.get("content-type") ?? "image/jpeg"
    if (!response.ok || !/^image\/[\w.+-]+$/.test(type)) return null
    const bytes = new Uint8Array(await response.arrayBuffer())
    return bytes.length > 0 && bytes.length <= maxPhotoBytes ? `data:${type};base64,${toBase64(bytes)}` : null
  } catch {
    return null
  }
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
}

const mark: readonly MarkPath[] = [
  { path: "M11.4 11.4H0V0h11.4Z", color: "#f25022" },
  { path: "M24 11.4H12.6V0H24Z", color: "#7fba00" },
  { path: "M11.4 24H0V12.6h11.4Z", color: "#00a4ef" },
  { path: "M24 24H12.6V12.6H24Z", color: "#ffb900" },
]

export default MicrosoftEntraID
