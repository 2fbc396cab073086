import type { CommonProvider } from "../contract/common-provider.js"

/** An option that breaks a rule of its provider. */
export interface BrokenRule {
  readonly option: string
  /** What is wrong, after the option's path. */
  readonly sentence: string
  readonly isMissing: boolean
}

/** The options of a provider that break a rule of it. They were laid over its fields already. */
export function listBrokenRules(provider: CommonProvider): readonly BrokenRule[] {
  return Object.entries(provider.optionRules ?? {}).flatMap(([option, rule]) => {
    const value: unknown = Reflect.get(provider, option)
    const sentence = rule(value)
    return sentence === null ? [] : [{ option, sentence, isMissing: value === undefined || value === "" }]
  })
}

/** The first broken rule that keeps a provider from working. */
export function findBrokenRule(provider: CommonProvider): BrokenRule | null {
  const isExcused = ({ option, isMissing }: BrokenRule): boolean =>
    option === "issuer" && isMissing && hasOwnAddresses(provider)
  return listBrokenRules(provider).find((broken) => !isExcused(broken)) ?? null
}

/** Whether the host wrote down what would be found, or built, by the issuer. */
function hasOwnAddresses(provider: CommonProvider): boolean {
  if (Reflect.get(provider, "wellKnown") !== undefined) return true
  const authorization: unknown = Reflect.get(provider, "authorization")
  return typeof authorization === "object" && authorization !== null && Reflect.get(authorization, "url") !== undefined
}
