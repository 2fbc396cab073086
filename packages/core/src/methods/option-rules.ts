import type { AuthError } from "../errors/auth-error.js"
import { InvalidConfiguration } from "../errors/errors.js"
import { findVariable } from "../runtime/environment.js"
import type { CommonProvider } from "../types/basics.js"

/** An option that breaks a rule of its provider. */
interface BrokenRule {
  readonly option: string
  /** What is wrong, after the option's path. */
  readonly sentence: string
  readonly isMissing: boolean
}

/** The options of a resolved provider that break one of its `optionRules`. */
export function listBrokenRules(provider: CommonProvider): readonly BrokenRule[] {
  return Object.entries(provider.optionRules ?? {}).flatMap(([option, rule]) => {
    const value: unknown = Reflect.get(provider, option)
    const sentence = rule(value)
    return sentence === null ? [] : [{ option, sentence, isMissing: value === undefined || value === "" }]
  })
}

/** What is wrong with the first option that breaks a rule of its provider. Null if none does. */
export function validateRules(provider: CommonProvider, path: string): AuthError | null {
  const broken = provider.optionRules ? findBrokenRule(provider) : null
  if (broken === null) return null
  const variable = broken.isMissing ? findVariable(provider.id, broken.option) : undefined
  const hint = variable === undefined ? "" : `. You can also set ${variable}`
  return new InvalidConfiguration(`${path}.${broken.option}: ${broken.sentence}${hint}`)
}

/** The first broken rule. An issuer can be missing if the endpoints are configured. */
function findBrokenRule(provider: CommonProvider): BrokenRule | null {
  const isExcused = ({ option, isMissing }: BrokenRule): boolean =>
    option === "issuer" && isMissing && hasOwnAddresses(provider)
  return listBrokenRules(provider).find((broken) => !isExcused(broken)) ?? null
}

/** Whether the host configured the endpoints that the issuer would determine. */
function hasOwnAddresses(provider: CommonProvider): boolean {
  if (Reflect.get(provider, "wellKnown") !== undefined) return true
  const authorization: unknown = Reflect.get(provider, "authorization")
  return typeof authorization === "object" && authorization !== null && Reflect.get(authorization, "url") !== undefined
}

/** Checks the fields of a form. A string would give a field for each of its letters. */
export function validateFields(fields: unknown, path: string): AuthError | null {
  const isWrong = [fields ?? {}, ...Object.values(fields ?? {})].some((each) => Object(each) !== each)
  return isWrong ? new InvalidConfiguration(`${path}: must be an object, and each field in it`) : null
}
