import { signInMethod } from "../types/basics.js"
import type { ProviderConfig } from "../types/providers.js"
import type { ResolvedProvider } from "../types/resolved.js"
import { credentialsMethod } from "./credentials/credentials.js"
import { emailMethod } from "./email/email.js"
import type { SignInMethod } from "./method.js"
import { oauthMethod } from "./oauth/oauth.js"

/** Methods of the types that hosts write by hand, without a factory. */
const contractMethods: ReadonlyMap<unknown, SignInMethod> = new Map<unknown, SignInMethod>([
  ["oauth", oauthMethod],
  ["oidc", oauthMethod],
  ["email", emailMethod],
  ["credentials", credentialsMethod],
])

/** The method that the provider's factory put on it, or the method of its type. Null if the type is unknown. */
export function findMethod(provider: ProviderConfig | ResolvedProvider): SignInMethod | null {
  // Set by our own factories; the key is a symbol that is not exported to hosts.
  const own = provider[signInMethod] as SignInMethod | undefined
  return own ?? contractMethods.get(provider.type) ?? null
}

/** @throws TypeError for a provider that `validateConfig` would have refused */
export function getMethod(provider: ResolvedProvider): SignInMethod {
  const method = findMethod(provider)
  if (!method) throw new TypeError(`The provider "${provider.id}" has no sign-in method`)
  return method
}
