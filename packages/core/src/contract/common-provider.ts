import type { ProviderType } from "@latchkey/types"

export type * from "@latchkey/types"

/**
 * Says what is wrong with an option's value: the rest of a sentence that begins with the option's path. Null when it
 * will do. The value itself is not repeated, since it may be a secret.
 */
export type OptionRule = (value: unknown) => string | null

/** What every provider has. */
export interface CommonProvider {
  /** Unique among the configured providers; part of URLs. */
  readonly id: string
  /** Shown on the sign-in button. */
  readonly name: string
  readonly type: ProviderType
  /**
   * Rules for options of this provider, by name. One that is broken refuses the configuration. That of an issuer must
   * also accept what `derive` makes of it.
   */
  readonly optionRules?: Readonly<Record<string, OptionRule>>
}
