// Imported as `@latchkey/core/providers/paypal`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { oneOf, optional } from "./_shared/options.js"

/**
 * A user as returned by the PayPal API.
 * @see https://developer.paypal.com/docs/log-in-with-paypal/integrate/
 */
export interface PayPalProfile {
  /** A URL that ends in the ID. */
  readonly user_id: string
  readonly name?: string
  readonly email?: string
  readonly emails?: readonly { readonly value: string; readonly primary?: boolean }[]
  readonly [field: string]: AnyValue
}

/** Options of the PayPal provider. */
export interface PayPalOptions extends OAuthUserConfig<PayPalProfile> {
  /** `sandbox` for test accounts. Default: `live`. */
  readonly environment?: "live" | "sandbox" | undefined
}

/** Listed explicitly, because the sandbox's discovery document names the live hosts. */
const hosts = {
  live: { web: "https://www.paypal.com", api: "https://api-m.paypal.com" },
  sandbox: { web: "https://www.sandbox.paypal.com", api: "https://api-m.sandbox.paypal.com" },
}

/**
 * Log in with PayPal (OAuth 2.0). PayPal's ID token is optional, so the profile comes from the userinfo endpoint.
 *
 * Scopes: `openid profile email`; enable each of them for the app. The email address and name may be missing; there
 * is no image. Register the return URL `<origin>/auth/callback/paypal`.
 * @see https://developer.paypal.com/docs/log-in-with-paypal/integrate/
 */
export function PayPal(options: PayPalOptions = {}): OAuth2Config<PayPalProfile> {
  const { web, api } = hosts[options.environment ?? "live"] ?? hosts.live
  return {
    id: "paypal",
    name: "PayPal",
    type: "oauth",
    authorization: { url: `${web}/signin/authorize`, params: { scope: "openid profile email" } },
    token: `${api}/v1/oauth2/token`,
    userinfo: `${api}/v1/identity/oauth2/userinfo?schema=paypalv1.1`,
    checks: ["state"],
    optionRules: { environment: optional(oneOf(["live", "sandbox"])) },
    profile: ({ user_id, name, email, emails }) => ({
      id: user_id.slice(user_id.lastIndexOf("/") + 1),
      name: name ?? null,
      email: emails?.find(({ primary }) => primary === true)?.value ?? email ?? null,
      image: null,
    }),
    style: { brandColor: "#002991", mark },
    options,
  }
}

const mark =
  "M15.607 4.653H8.941L6.645 19.251H1.82L4.862 0h7.995c3.754 0 6.375 2.294 6.473 5.513-.648-.478-2.105-.86-3.722-.86m6.57 5.546c0 3.41-3.01 6.853-6.958 6.853h-2.493L11.595 24H6.74l1.845-11.538h3.592c4.208 0 7.346-3.634 7.153-6.949a5.24 5.24 0 0 1 2.848 4.686M9.653 5.546h6.408c.907 0 1.942.222 2.363.541-.195 2.741-2.655 5.483-6.441 5.483H8.714Z"

export default PayPal
