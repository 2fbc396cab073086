// Imported as `@latchkey/core/providers/apple`.
import type { OIDCConfig, OIDCUserConfig } from "../contract/oauth-provider.js"

/** Claims of the ID token, and what came with the form at the first consent. */
export interface AppleProfile {
  readonly sub: string
  /** May be a relay address; sent with every sign-in if the person shares one. */
  readonly email?: string
  /** Text in some answers. */
  readonly email_verified?: boolean | "true" | "false"
  readonly is_private_email?: boolean | "true" | "false"
  /** Only when a person signs in to this app for the very first time; unsigned. */
  readonly user?: { readonly name?: { readonly firstName?: string; readonly lastName?: string } }
  readonly [claim: string]: unknown
}

/**
 * Sign in with Apple (OpenID Connect).
 *
 * Scopes: `name email`, for which Apple demands that the callback is a form post: the check cookies are `SameSite=None`, so
 * that https is needed, and redirect proxies do not apply. The name comes once, at the first consent; keep it then. There
 * is no image. `clientSecret` is a JWT that the app signs with its key and renews at least every six months. Register
 * the return URL `<origin>/auth/callback/apple`; it must be https and not `localhost`.
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
    // Apple documents state and nonce, and no PKCE.
    checks: ["nonce", "state"],
    profile: ({ sub, email, user }) => ({
      id: sub,
      name: joinName(user?.name?.firstName, user?.name?.lastName),
      email: email ?? null,
      image: null,
    }),
    style: { brandColor: "#000" },
    options,
  }
}

function joinName(...parts: readonly (string | undefined)[]): string | null {
  return parts.filter(Boolean).join(" ") || null
}

export default Apple
