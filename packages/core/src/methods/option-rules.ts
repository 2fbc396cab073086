import type { AuthError } from "../errors/auth-error.js"
import { InvalidConfiguration } from "../errors/errors.js"
import type { CommonProvider } from "../types/basics.js"

/** An option that breaks a rule of its provider. */
interface BrokenRule {
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

/** A text would be a form with a field for each of its letters. */
export function validateFields(fields: unknown, path: string): AuthError | null {
  const isWrong = [fields ?? {}, ...Object.values(fields ?? {})].some((each) => Object(each) !== each)
  return isWrong ? new InvalidConfiguration(`${path}: must be an object, and each field in it`) : null
}
