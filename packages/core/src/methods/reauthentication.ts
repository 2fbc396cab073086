import type { AuthMethod } from "../account/proof.js"
import type { Store } from "../host/store.js"
import type { AdapterUser } from "../types/adapter.js"
import type { EmailConfig } from "../types/providers.js"
import type { ResolvedProvider } from "../types/resolved.js"
import { getMethod } from "./find-method.js"

/** The user who is asked again. */
export interface ReturningUser {
  readonly user: AdapterUser
  readonly userId: string
  /** The ids of the providers that the session's proofs came from. */
  readonly provedBy: ReadonlySet<string | undefined>
}

/** What each type of provider proves. A passkey also verifies its owner. */
const methodsByType: Readonly<Record<ResolvedProvider["type"], readonly AuthMethod[]>> = {
  oauth: ["fed"],
  oidc: ["fed"],
  email: ["email"],
  credentials: ["pwd"],
  webauthn: ["swk", "user"],
}

/** What a sign-in with a provider would prove. Nothing for a type that the service does not know. */
export function methodsOf({ type }: ResolvedProvider): readonly AuthMethod[] {
  return Object.hasOwn(methodsByType, type) ? methodsByType[type] : []
}

export function isPasskeyProvider({ type }: { readonly type: string }): boolean {
  return type === "webauthn"
}

/** Whether a user can add accounts of the provider to their own. */
export function isLinkable(provider: ResolvedProvider): boolean {
  return methodsOf(provider).includes("fed")
}

/** Whether the provider checks passwords that the adapter has. */
export function isOwnPassword(provider: ResolvedProvider): boolean {
  return isAnsweredAtOnce(provider) && getMethod(provider).feature !== undefined
}

export function isMailProvider(provider: ResolvedProvider): provider is EmailConfig {
  return provider.type === "email"
}

/** Whether sign-ins with the provider have a stored account. */
export function hasAccounts({ type }: { readonly type: string }): boolean {
  return type === "oauth" || type === "oidc" || isPasskeyProvider({ type })
}

/** Whether the answer to a provider's form says at once who the user is, without a mail or another site. */
export function isAnsweredAtOnce({ type }: ResolvedProvider): boolean {
  return type === "credentials"
}

/** Whether a user can sign in with a provider, as far as the store tells. One that is not linked would be added. */
export async function canReturn(
  provider: ResolvedProvider,
  { user, userId, provedBy }: ReturningUser,
  store: Store,
): Promise<boolean> {
  if (isPasskeyProvider(provider)) return (await store.listAuthenticatorsByUserId(userId)).length > 0
  if (isMailProvider(provider)) return Boolean(user.email)
  if (isAnsweredAtOnce(provider)) {
    return !isOwnPassword(provider) || !store.has("getPassword") || (await store.getPassword(userId)) !== null
  }
  if (provedBy.has(provider.id)) return true
  if (!store.has("listAccountsByUserId")) return false
  return (await store.listAccountsByUserId(userId)).some((account) => account.provider === provider.id)
}
