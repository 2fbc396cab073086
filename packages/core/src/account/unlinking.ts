/** A sign-in method of a user. `SignInMethod` is the service's side of one. */
export interface OwnSignInMethod {
  readonly kind: "account" | "passkey" | "password" | "email"
  /** Id of the provider. */
  readonly provider: string
  /** The user's id at the provider, or the id of the passkey. Null for a password and for the email address. */
  readonly providerAccountId: string | null
  /**
   * Whether the user can sign in with it today: its provider is configured and usable, a passkey has its account, and the
   * email address is proved. A password that the app checks itself is not listed, since the service knows nothing about it.
   */
  readonly works: boolean
}

/** The account of a method that has one. */
export type SignInMethodKey = Pick<OwnSignInMethod, "provider" | "providerAccountId">

/** What is known when a user wants to remove a sign-in method. */
export interface UnlinkFacts {
  /** All methods of the user. */
  readonly methods: readonly OwnSignInMethod[]
  /** The one to remove. */
  readonly wanted: SignInMethodKey
}

/**
 * Whether a method may be removed. `unknown`: the user has none of this name. `last-sign-in-method`: they could not sign in
 * again.
 */
export type UnlinkDecision =
  | { readonly kind: "unlink"; readonly method: OwnSignInMethod }
  | { readonly kind: "refuse"; readonly reason: "unknown" | "last-sign-in-method" }

/** Decides whether a user may remove a sign-in method. One that does not work may always go. */
export function decideUnlink({ methods, wanted }: UnlinkFacts): UnlinkDecision {
  const method = methods.find((one) => one.providerAccountId !== null && isSameMethod(one, wanted))
  if (!method) return { kind: "refuse", reason: "unknown" }
  const isNeeded = method.works && !methods.some((one) => one !== method && one.works)
  return isNeeded ? { kind: "refuse", reason: "last-sign-in-method" } : { kind: "unlink", method }
}

function isSameMethod(one: SignInMethodKey, other: SignInMethodKey): boolean {
  return one.provider === other.provider && one.providerAccountId === other.providerAccountId
}
