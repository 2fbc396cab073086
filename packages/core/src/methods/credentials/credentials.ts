import { MissingAuthorize } from "../../errors/errors.js"
import { merge } from "../../runtime/merge.js"
import type { CredentialsConfig } from "../../types/providers.js"
import type { SignInMethod } from "../method.js"
import { validateFields, validateRules } from "../option-rules.js"

/** The `authorize` callback of a factory that was called without one. */
export const withoutAuthorize = (): null => null

/** A form that the host's `authorize` callback checks. */
export const credentialsMethod: SignInMethod<CredentialsConfig> = {
  label: "a credentials provider",
  environmentOptions: () => [],
  resolve: (facts, options) => merge(facts as CredentialsConfig, options),
  validate(provider, path) {
    const { authorize, credentials } = provider
    if (typeof authorize !== "function") return new MissingAuthorize(`${path}.authorize: must be a function`)
    return validateRules(provider, path) ?? validateFields(credentials, `${path}.credentials`)
  },
  findDefect(provider, path) {
    if (provider.authorize !== withoutAuthorize) return null
    return new MissingAuthorize(`${path}.authorize: missing. Set it to a function that returns the user, or null`)
  },
  adapterMethods: [],
  accountCredential: "password",
  callbackMethods: () => ["POST"],
  isCallbackOurForm: true,
  serverStart: "callback",
  form: ({ id, name, credentials = {} }, { callbackUrl }) => ({
    kind: "fields",
    id,
    name,
    callbackUrl,
    fields: credentials,
  }),
}
