/**
 * How strongly the user of a session proved who they are. 1: with one factor. 2: with two. 3: with two, of which one is a
 * passkey, which no other site can ask for (phishing resistant).
 */
export type AuthLevel = 1 | 2 | 3

/** When and how the user of a session proved who they are. */
export interface SessionAuth {
  /**
   * When the level was reached, in seconds since 1970-01-01T00:00:00Z: the proofs since then have this level. Later proofs
   * of a lower level do not change it.
   */
  readonly time: number
  /** Values of the claim `amr` (RFC 8176), and `email`, `fed` and `rcv`: see the guide. */
  readonly methods: readonly string[]
  readonly level: AuthLevel
}

/** What a user must have proved, and how recently. */
export interface FreshnessRequirement {
  /** How old the proofs may be. Default: 600. */
  readonly maxAgeSeconds?: number | undefined
  /** How many factors. Default: 1. */
  readonly factors?: 1 | 2 | undefined
  /** Whether one of them must be a passkey, which cannot be given to another site. Default: false. */
  readonly phishingResistant?: boolean | undefined
}
