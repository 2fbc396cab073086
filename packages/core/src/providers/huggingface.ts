// Imported as `@latchkey/core/providers/huggingface`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import type { StandardClaims } from "./_shared/profile.js"

/**
 * User claims of Hugging Face, from the ID token or the userinfo endpoint.
 * @see https://huggingface.co/docs/hub/oauth
 */
export type HuggingFaceProfile = StandardClaims

/**
 * Hugging Face sign-in (OpenID Connect).
 *
 * Scopes: `openid profile email` (default); enable each of them for the app. Register the redirect URL
 * `<origin>/auth/callback/huggingface`.
 * @see https://huggingface.co/docs/hub/oauth
 */
export function HuggingFace(options: OIDCUserConfig<HuggingFaceProfile> = {}): OIDCConfig<HuggingFaceProfile> {
  return {
    id: "huggingface",
    name: "Hugging Face",
    type: "oidc",
    issuer: "https://huggingface.co",
    checks: ["state", "pkce"],
    style: { brandColor: "#FFD21E", mark },
    options,
  }
}

const mark =
  "M12 1.1A10.4 10.4 0 0 0 2 14.7l.5-.6.5-.1q.5 0 .9.2l.7.7.7 1q0-.5.2-.9t.8-.5.8.2l.4.4.2.6a9 9 0 0 0 1.7 2.5q1 .9 1 2 0 .8-.3 1.5a11 11 0 0 0 3.8 0q-.4-.7-.3-1.6 0-1 1-1.9a9 9 0 0 0 2-3q0-.3.3-.5l.8-.2q.5.1.8.5t.2.9l.7-1 .7-.6.9-.3.5.1.4.6a10 10 0 0 0 .6-3.2c0-5.7-4.7-10.4-10.5-10.4M8.3 6.6l.7.2a1.5 1.5 0 0 1 .7 2c-.2.3-.8-.2-1.1-.1s-.6.9-1 .7a1.5 1.5 0 0 1 .7-2.8m7.5 0a1.5 1.5 0 0 1 .7 2.8c-.4.2-.5-.6-1-.7-.3-.1-.8.4-1 0a1.5 1.5 0 0 1 .6-2zM5.1 8a1 1 0 1 1 0 2 1 1 0 0 1 0-2M19 8a1 1 0 1 1 0 2 1 1 0 0 1 0-2M8.5 11.5c.6 0 2 1.1 3.6 1.1s3-1.1 3.5-1.1q.3-.1.3.4c0 .9-.4 2.3-1.5 3.2-.2-.7-1.4-1.4-1.7-1.3l-.1.1v.1h-.1l-.1.2v.2l-.3.1-.3-.2-.4-.5h-.2l-.2.1h-.1l-.2.1-.1.1-.1.1-.3.2-.1.2H10v.1l-.1.1-.1.2v.1A4 4 0 0 1 8.1 12q0-.4.3-.4m.8 10.3q1.3-1.6-.3-3.2c-1.2-1-1.8-2.7-1.8-2.7s-.3-1-.8-.9-1 1.5.2 2.4-.3 1.4-.7.6c-.5-.8-1.7-2.9-2.3-3.3s-1.1-.1-1 .7 2.8 2.8 2.6 3.2-1.2-.5-1.2-.5S1 15.6.4 16.3s.5 1.2 2 2.2c1.6 1 1.7 1.2 1.5 1.5s-3.7-2.5-4-1.3 3.5 1.6 3.3 2.4C3 22 .5 19.5 0 20.5s3.5 2 3.5 2c1.3.4 4.6 1 5.7-.6m5.4 0c-.8-1.2-.8-2 .3-3.2 1.2-1 1.8-2.7 1.8-2.7s.3-1 .8-.9 1 1.5-.2 2.4.3 1.4.7.6c.5-.8 1.7-2.9 2.3-3.3s1.1-.1 1 .7-2.8 2.8-2.6 3.2 1.2-.5 1.2-.5 2.9-2.6 3.5-1.9-.5 1.2-2 2.2c-1.6 1-1.7 1.2-1.5 1.5s3.7-2.5 4-1.3-3.5 1.6-3.3 2.4c.2.9 2.7-1.6 3.2-.6s-3.5 2-3.5 2c-1.3.4-4.6 1-5.7-.6"

export default HuggingFace
