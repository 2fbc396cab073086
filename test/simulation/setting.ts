import type { Random } from "./random.js"

/** How one world is set up. Drawn from the seed unless it is given. */
export interface Setting {
  /** `other`: the store of `createStore`, if there is one. */
  readonly store: "memory" | "other"
  readonly strategy: "database" | "jwt"
  /** Instances of the service over one store. */
  readonly instances: 1 | 2 | 3
  /** Whether the provider `south` has `allowDangerousEmailAccountLinking`. */
  readonly isEmailLinked: boolean
  /** Whether `south` has `checks: ["none"]`. */
  readonly isUnchecked: boolean
  /** Whether the attacker can make `south` answer for anyone. */
  readonly isSouthCompromised: boolean
  /** Whether the providers compare code verifiers. */
  readonly isPkceChecked: boolean
  /** Whether the host's `redirect` callback returns every path as it is. */
  readonly isRedirectNaive: boolean
  /** Whether the host bans the attacker's user, by id. */
  readonly isAttackerBanned: boolean
  /** Whether the session cookie has its usual name, which a sibling can plant. Otherwise its name begins with `__Host-`. */
  readonly isSessionPlantable: boolean
  /** Whether stateless sessions are so large that they need several cookies. */
  readonly isSessionLarge: boolean
  /** Whether the adapter has the methods of the contract alone, as published ones do. */
  readonly isAdapterPublished: boolean
  /** Whether the attacker gets a copy of a victim's session cookie. */
  readonly isSessionStolen: boolean
  /** Whether the attacker gets read access to the store. */
  readonly isStoreStolen: boolean
  /** Whether the attacker sees the callback URLs of others. */
  readonly isCallbackLeaked: boolean
  /** Whether the service knows its clients' addresses. */
  readonly isNetworkKnown: boolean
  /** Whether store, mail and providers fail now and then, and instances are killed. */
  readonly isFaulty: boolean
  /** Whether links of `mail` only show the code when another browser opens them. Otherwise they show a button. */
  readonly isLinkClosed: boolean
  /** Whether sessions are tracked, so that people can see and end them. */
  readonly isTracked: boolean
  /** Whether a user has at most two tracked sessions. */
  readonly isSessionCountLimited: boolean
  /** Whether tracked sessions hold for a while when the store cannot be asked. */
  readonly isSessionHeld: boolean
  /** Whether the host uses the built-in passwords, with sign-up and reset. Otherwise it has a directory of its own. */
  readonly hasPasswords: boolean
  /** Whether users can set up a second factor. */
  readonly hasSecondFactors: boolean
  /** Whether the host keeps the tokens of providers fresh, and uses them. */
  readonly keepsTokens: boolean
  /** Whether the host has the pages where users manage their own account. */
  readonly hasAccountArea: boolean
  /** Whether a user is deleted a day after they asked for it. Otherwise at once. */
  readonly isDeletionPlanned: boolean
  /** Whether the host has native apps. */
  readonly hasNativeApps: boolean
  /** Whether the attacker knows the victims' passwords. */
  readonly isPasswordStolen: boolean
  /** Whether everyone needs a second factor. Needs second factors. */
  readonly isFactorRequired: boolean
  /**
   * Whether the app once had stateless sessions that it did not track, and has a half that does not track them to this day.
   * Needs tracked stateless sessions.
   */
  readonly hasHalf: boolean
  /** Steps before the attacker goes home. */
  readonly steps: number
}

export function drawSetting(random: Random): Setting {
  const isSouthCompromised = random.chance(0.2)
  const isAdapterPublished = random.chance(0.2)
  // Published adapters have no records of sessions.
  const isTracked = !isAdapterPublished && random.chance(0.5)
  return {
    store: random.pick(["memory", "memory", "other"]),
    strategy: random.pick(["database", "jwt"]),
    instances: random.pick([1, 2, 3]),
    // The host vouches for a provider that it links by address.
    isEmailLinked: !isSouthCompromised && random.chance(0.4),
    isUnchecked: random.chance(0.15),
    isSouthCompromised,
    isPkceChecked: random.chance(0.6),
    isRedirectNaive: random.chance(0.3),
    isAttackerBanned: random.chance(0.2),
    isSessionPlantable: random.chance(0.5),
    isSessionLarge: random.chance(0.2),
    isAdapterPublished,
    isSessionStolen: random.chance(0.3),
    isStoreStolen: random.chance(0.2),
    isCallbackLeaked: random.chance(0.3),
    isNetworkKnown: random.chance(0.8),
    isFaulty: random.chance(0.5),
    isLinkClosed: random.chance(0.3),
    isTracked,
    isSessionCountLimited: random.chance(0.4),
    isSessionHeld: random.chance(0.3),
    // A reset has to end sessions.
    hasPasswords: isTracked && random.chance(0.5),
    // Second factors bring tracked sessions along.
    hasSecondFactors: isTracked && random.chance(0.7),
    keepsTokens: !isAdapterPublished && random.chance(0.35),
    // A change of the address has to end sessions.
    hasAccountArea: isTracked && random.chance(0.5),
    isDeletionPlanned: random.chance(0.6),
    hasNativeApps: !isAdapterPublished && random.chance(0.3),
    isPasswordStolen: random.chance(0.3),
    steps: random.pick([60, 120, 240, 400]),
    hasHalf: random.chance(0.4),
    isFactorRequired: random.chance(0.3),
  }
}
