// Imported as `@latchkey/core/providers/apple`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { joinName } from "./_shared/profile.js"

/** Claims of the ID token, and the form fields of the first consent. */
export interface AppleProfile {
  readonly sub: string
  /** May be a relay address. Present at every sign-in if the user shares an email address. */
  readonly email?: string
  /** A string in some responses. */
  readonly email_verified?: boolean | "true" | "false"
  readonly is_private_email?: boolean | "true" | "false"
  /** Only at the user's first sign-in to this app; unsigned. */
  readonly user?: { readonly name?: { readonly firstName?: string; readonly lastName?: string } }
  readonly [claim: string]: AnyValue
}

/**
 * Sign in with Apple (OpenID Connect).
 *
 * Scopes: `name email`. Apple requires `form_post` for them, so the check cookies are `SameSite=None`, https is
 * required, and redirect proxies do not work. The name is returned once, at the first consent; store it then. There
 * is no image. `clientSecret` is a JWT that the app signs with its own key and renews at least every six months.
 * Register the return URL `<origin>/auth/callback/apple`; it must be https and not `localhost`.
 * @see https://developer.apple.com/documentation/signinwithapplerestapi
 */
export function Apple(options: OIDCUserConfig<AppleProfile> = {}): OIDCConfig<AppleProfile> {
  return {
    id: "apple",
    name: "Apple",
    type: "oidc",
    issuer: "https://appleid.apple.com",
    authorization: { params: { scope: "name email", response_mode: "form_post" } },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Apple documents state and nonce, but not PKCE.
    checks: ["nonce", "state"],
    profile: ({ sub, email, user }) => ({
      id: sub,
      name: joinName(user?.name?.firstName, user?.name?.lastName),
      email: email ?? null,
      image: null,
    }),
    style: { brandColor: "#000", mark },
    options,
  }
}

const mark =
  "M12.152 6.896c-.948 0-2.415-1.078-3.96-1.04-2.04.027-3.91 1.183-4.961 3.014-2.117 3.675-.546 9.103 1.519 12.09 1.013 1.454 2.208 3.09 3.792 3.039 1.52-.065 2.09-.987 3.935-.987 1.831 0 2.35.987 3.96.948 1.637-.026 2.676-1.48 3.676-2.948 1.156-1.688 1.636-3.325 1.662-3.415-.039-.013-3.182-1.221-3.22-4.857-.026-3.04 2.48-4.494 2.597-4.559-1.429-2.09-3.623-2.324-4.39-2.376-2-.156-3.675 1.09-4.61 1.09zM15.53 3.83c.843-1.012 1.4-2.427 1.245-3.83-1.207.052-2.662.805-3.532 1.818-.78.896-1.454 2.338-1.273 3.714 1.338.104 2.715-.688 3.559-1.701"

export default Apple
