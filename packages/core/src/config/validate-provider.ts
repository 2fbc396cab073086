import type { AuthError } from "../errors/auth-error.js"
import { InvalidConfiguration, MissingAuthorize } from "../errors/errors.js"
import { validateOAuth } from "../methods/oauth/validate.js"
import { findBrokenRule, validateFields } from "../methods/option-rules.js"
import { validateWebAuthn } from "../methods/webauthn/validate.js"
import { findVariable } from "../runtime/environment.js"
import type { ResolvedConfig, ResolvedProvider } from "../types/resolved.js"

/** What may stand in a URL path and in the name of an environment variable, and be read in both. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/

/** The first provider that cannot work. */
export function validateProviders(config: ResolvedConfig): AuthError | null {
  const { providers } = config
  for (const provider of providers) {
    const mistake = validateId(provider) ?? validateRules(provider) ?? validateByType(provider, config)
    if (mistake) return mistake
  }
  const ids = providers.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  return twice === undefined ? null : new InvalidConfiguration(`providers.${twice}: two providers have this id`)
}

function validateId({ id }: ResolvedProvider): AuthError | null {
  if (typeof id === "string" && idPattern.test(id)) return null
  return new InvalidConfiguration(
    "providers: each needs an id of letters, digits, dots, dashes and underscores, 128 at most",
  )
}

function validateRules(provider: ResolvedProvider): AuthError | null {
  const broken = findBrokenRule(provider)
  if (broken === null) return null
  const variable = broken.isMissing ? findVariable(provider.id, broken.option) : undefined
  const hint = variable === undefined ? "" : `; ${variable} sets it as well`
  return new InvalidConfiguration(`providers.${provider.id}.${broken.option}: ${broken.sentence}${hint}`)
}

function validateByType(provider: ResolvedProvider, config: ResolvedConfig): AuthError | null {
  const path = `providers.${provider.id}`
  switch (provider.type) {
    case "oauth":
    case "oidc":
      return validateOAuth(provider, path)
    case "credentials":
      if (typeof provider.authorize !== "function") return new MissingAuthorize(`${path}.authorize: must be a function`)
      return validateFields(provider.credentials, `${path}.credentials`)
    case "email":
      if (typeof provider.sendVerificationRequest === "function") return null
      return new InvalidConfiguration(`${path}.sendVerificationRequest: must be a function`)
    case "webauthn":
      return validateFields(provider.formFields, `${path}.formFields`) ?? validateWebAuthn(provider, path, config)
    default:
      return new InvalidConfiguration(`${path}.type: must be oidc, oauth, email, credentials or webauthn`)
  }
}
