import { signInMethod } from "../types/basics.js"
import type { ProviderConfig } from "../types/providers.js"
import type { ResolvedProvider } from "../types/resolved.js"
import { credentialsMethod } from "./credentials/credentials.js"
import { emailMethod } from "./email/email.js"
import type { SignInMethod } from "./method.js"
import { oauthMethod } from "./oauth/oauth.js"

/** The methods of providers that hosts write by hand, without a factory. */
const methodsByType: ReadonlyMap<unknown, SignInMethod> = new Map<unknown, SignInMethod>([
  ["oauth", oauthMethod],
  ["oidc", oauthMethod],
  ["email", emailMethod],
  ["credentials", credentialsMethod],
])

/** The method that the provider's factory put on it, else the method of its type. Null if the type is unknown. */
export function findMethod(provider: ProviderConfig | ResolvedProvider): SignInMethod | null {
  // The public type hides what a method is; factories set nothing else.
  const ownMethod = provider[signInMethod] as SignInMethod | undefined
  return ownMethod ?? methodsByType.get(provider.type) ?? null
}

/** @throws TypeError for a provider that `validateConfig` rejects */
export function getMethod(provider: ResolvedProvider): SignInMethod {
  const method = findMethod(provider)
  if (!method) throw new TypeError(`The provider "${provider.id}" has no sign-in method`)
  return method
}

/** What to change about a provider without a method, as the rest of a message that begins with the provider's path. */
export function explainMissingMethod({ type }: ResolvedProvider): string {
  if (type === "webauthn") return ": create it with Passkey() or WebAuthn()"
  return ".type: must be oidc, oauth, email, credentials or webauthn"
}
