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
  "M15.337 23.979l7.216-1.561s-2.604-17.613-2.625-17.73c-.018-.116-.114-.192-.211-.192s-1.929-.136-1.929-.136-1.275-1.274-1.439-1.411c-.045-.037-.075-.057-.121-.074l-.914 21.104h.023zM11.71 11.305s-.81-.424-1.774-.424c-1.447 0-1.504.906-1.504 1.141 0 1.232 3.24 1.715 3.24 4.629 0 2.295-1.44 3.76-3.406 3.76-2.354 0-3.54-1.465-3.54-1.465l.646-2.086s1.245 1.066 2.28 1.066c.675 0 .975-.545.975-.932 0-1.619-2.654-1.694-2.654-4.359-.034-2.237 1.571-4.416 4.827-4.416 1.257 0 1.875.361 1.875.361l-.945 2.715-.02.01zM11.17.83c.136 0 .271.038.405.135-.984.465-2.064 1.639-2.508 3.992-.656.213-1.293.405-1.889.578C7.697 3.75 8.951.84 11.17.84V.83zm1.235 2.949v.135c-.754.232-1.583.484-2.394.736.466-1.777 1.333-2.645 2.085-2.971.193.501.309 1.176.309 2.1zm.539-2.234c.694.074 1.141.867 1.429 1.755-.349.114-.735.231-1.158.366v-.252c0-.752-.096-1.371-.271-1.871v.002zm2.992 1.289c-.02 0-.06.021-.078.021s-.289.075-.714.21c-.423-1.233-1.176-2.37-2.508-2.37h-.115C12.135.209 11.669 0 11.265 0 8.159 0 6.675 3.877 6.21 5.846c-1.194.365-2.063.636-2.16.674-.675.213-.694.232-.772.87-.075.462-1.83 14.063-1.83 14.063L15.009 24l.927-21.166z"

export default Shopify
