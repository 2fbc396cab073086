// Imported as `@latchkey/core/providers/shopify`.

import type { AnyValue } from "@latchkey/types"
import type {
  AuthorizationResponseContext,
  OAuth2Config,
  OAuthUserConfig,
  UserinfoRequestContext,
} from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { deriveFromIssuer, matching } from "./_shared/options.js"
import { joinName } from "./_shared/profile.js"
import { assertSuccess, conformFields, withTokenType } from "./_shared/request.js"

/**
 * A user as returned by the Shopify API.
 * @see https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/authorization-code-grant
 */
export interface ShopifyProfile {
  readonly id: number
  readonly first_name?: string
  readonly last_name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly [field: string]: AnyValue
}

/**
 * Shopify sign-in for merchants' staff (OAuth 2.0). Requires `issuer`, the shop's URL:
 * `https://<shop>.myshopify.com`.
 *
 * Scope: `read_products`, because Shopify requires at least one; separate several scopes with commas. The token
 * belongs to a user, and the token response contains the profile. There is no image. Register the redirect URL
 * `<origin>/auth/callback/shopify`.
 * @see https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/authorization-code-grant
 */
export function Shopify(options: OAuthUserConfig<ShopifyProfile> = {}): OAuth2Config<ShopifyProfile> {
  return {
    id: "shopify",
    name: "Shopify",
    type: "oauth",
    derive: deriveFromIssuer((base) => ({
      authorization: {
        url: `${base}/admin/oauth/authorize`,
        params: { scope: "read_products", "grant_options[]": "per-user" },
        conform: assertSignature,
      },
      token: { url: `${base}/admin/oauth/access_token`, conform: conformFields(withTokenType) },
    })),
    userinfo: { request: findStaff },
    client: { token_endpoint_auth_method: "client_secret_post" },
    checks: ["state"],
    // This host receives the secret.
    optionRules: {
      issuer: matching(
        /^https:\/\/[a-z0-9][a-z0-9-]*\.myshopify\.com\/?$/,
        "must be the shop's URL, such as https://harbour.myshopify.com",
      ),
    },
    profile: ({ id, first_name, last_name, email }) => ({
      id: id.toString(),
      name: joinName(first_name, last_name),
      email: email ?? null,
      image: null,
    }),
    style: { brandColor: "#7AB55C", mark },
    options,
  }
}

/** Shopify signs its callbacks with the client's secret and names the shop in them. */
async function assertSignature({ parameters, provider }: AuthorizationResponseContext): Promise<undefined> {
  if (parameters.has("error")) return
  const signature = parameters.get("hmac") ?? ""
  parameters.delete("hmac")
  parameters.sort()
  const isOfShop = parameters.get("shop") === new URL(String(provider.issuer)).hostname
  const isSigned = await verifyHmac(String(parameters), signature, String(provider.clientSecret))
  if (!isOfShop || !isSigned) throw new Error("The callback's signature does not belong to the shop")
}

async function verifyHmac(text: string, signature: string, secret: string): Promise<boolean> {
  if (!/^[\da-f]{64}$/.test(signature)) return false
  const encoder = new TextEncoder()
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["verify"])
  const bytes = Uint8Array.from(signature.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  return crypto.subtle.verify("HMAC", key, bytes, encoder.encode(text))
}

/** A token without a user belongs to the shop. */
function findStaff(context: UserinfoRequestContext): Profile {
  const staff: unknown = context.tokens["associated_user"]
  assertSuccess(typeof staff === "object" && staff !== null, context)
  return { ...Object(staff) }
}

const mark =
  "m15.34 23.98 7.21-1.56-2.62-17.73c-.02-.12-.12-.2-.21-.2l-1.93-.13s-1.28-1.27-1.44-1.41l-.12-.08-.92 21.1zM11.7 11.3s-.81-.43-1.77-.43c-1.45 0-1.5.9-1.5 1.14 0 1.23 3.23 1.72 3.23 4.63 0 2.3-1.44 3.76-3.4 3.76-2.36 0-3.54-1.46-3.54-1.46l.64-2.09s1.25 1.07 2.28 1.07c.68 0 .98-.55.98-.94 0-1.61-2.66-1.69-2.66-4.35-.03-2.24 1.57-4.42 4.83-4.42 1.26 0 1.87.36 1.87.36l-.94 2.72zM11.17.82q.2 0 .4.14c-.98.46-2.06 1.63-2.5 3.99q-1 .32-1.9.57c.53-1.78 1.78-4.69 4-4.69zm1.24 2.95v.13l-2.4.74c.47-1.78 1.33-2.65 2.09-2.97.19.5.3 1.17.3 2.1m.53-2.23c.7.07 1.14.86 1.43 1.75l-1.15.37V3.4q0-1.12-.28-1.87m3 1.28-.08.02-.72.21C14.72 1.83 13.97.7 12.64.7h-.12c-.38-.49-.85-.7-1.25-.7-3.11 0-4.6 3.88-5.07 5.85l-2.16.67c-.67.21-.7.23-.77.87-.08.46-1.83 14.06-1.83 14.06L15 24z"

export default Shopify
