/** A way of a user to sign in. */
export interface SignInWay {
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

/** The account of a way that has one. */
export type WayKey = Pick<SignInWay, "provider" | "providerAccountId">

/** What is known when a user wants to remove a way to sign in. */
export interface UnlinkFacts {
  /** All ways of the user. */
  readonly ways: readonly SignInWay[]
  /** The one to remove. */
  readonly wanted: WayKey
}

/** Whether a way may be removed. `unknown`: the user has none of this name. `last-way`: they could not sign in again. */
export type UnlinkDecision =
  | { readonly kind: "unlink"; readonly way: SignInWay }
  | { readonly kind: "refuse"; readonly reason: "unknown" | "last-way" }

/** Decides whether a user may remove a way to sign in. One that does not work may always go. */
export function decideUnlink({ ways, wanted }: UnlinkFacts): UnlinkDecision {
  const way = ways.find((one) => one.providerAccountId !== null && isSameWay(one, wanted))
  if (!way) return { kind: "refuse", reason: "unknown" }
  const isNeeded = way.works && !ways.some((one) => one !== way && one.works)
  return isNeeded ? { kind: "refuse", reason: "last-way" } : { kind: "unlink", way }
}

function isSameWay(one: WayKey, other: WayKey): boolean {
  return one.provider === other.provider && one.providerAccountId === other.providerAccountId
}
