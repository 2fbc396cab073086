/** What is known when somebody proves an account at an identity provider. Users are named by their ids. */
export interface LinkingFacts {
  /** The user of the browser's live session. */
  readonly signedIn: string | null
  /** The user to whom the account is linked. */
  readonly accountOwner: string | null
  /** The user with the same email address. */
  readonly emailOwner: string | null
  /** Nobody has proved that the address is that user's. */
  readonly isEmailOwnerUnproven: boolean
  /** The host decided that this provider's addresses prove whose account it is. */
  readonly isEmailTrusted: boolean
  /** The provider itself says that the address was not verified. */
  readonly isEmailDenied: boolean
}

export type LinkingDecision =
  | { readonly kind: "continue"; readonly userId: string }
  | { readonly kind: "link"; readonly userId: string }
  | { readonly kind: "create" }
  | { readonly kind: "refuse"; readonly reason: string }

/** Whose account it becomes. Pure: every row of the contract's table is one line here. */
export function decideLinking(facts: LinkingFacts): LinkingDecision {
  const { signedIn, accountOwner, emailOwner } = facts
  if (signedIn !== null) {
    if (accountOwner === null) return { kind: "link", userId: signedIn }
    if (accountOwner === signedIn) return { kind: "continue", userId: signedIn }
    return { kind: "refuse", reason: "The account is linked to another user than the one who is signed in" }
  }
  if (accountOwner !== null) return { kind: "continue", userId: accountOwner }
  if (emailOwner === null) return { kind: "create" }
  if (!facts.isEmailTrusted) {
    return { kind: "refuse", reason: "Another account has the same email address, and the provider may not link by it" }
  }
  if (facts.isEmailDenied) {
    return { kind: "refuse", reason: "Another account has the same email address, which the provider did not verify" }
  }
  if (facts.isEmailOwnerUnproven) {
    return { kind: "refuse", reason: "Another account has the same email address, which nobody proved to be its own" }
  }
  return { kind: "link", userId: emailOwner }
}
