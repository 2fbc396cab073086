import { InvalidConfiguration } from "../../errors/errors.js"
import { merge } from "../../runtime/merge.js"
import type { EmailConfig } from "../../types/providers.js"
import type { SignInMethod } from "../method.js"
import { validateRules } from "../option-rules.js"

/** Links sent by email. */
export const emailMethod: SignInMethod<EmailConfig> = {
  label: "an email provider",
  environmentOptions: () => ["apiKey"],
  resolve: (facts, options) => merge(facts as EmailConfig, options),
  validate({ sendVerificationRequest }, path) {
    if (typeof sendVerificationRequest === "function") return null
    return new InvalidConfiguration(`${path}.sendVerificationRequest: must be a function`)
  },
  // A key or a region is needed to send a mail, and for nothing else.
  findDefect: validateRules,
  adapterMethods: ["createVerificationToken", "useVerificationToken", "getUserByEmail"],
  callbackMethod: () => "GET",
  isCallbackOurForm: false,
  serverStart: "signin",
  form: ({ id, name, maxAge }, { signinUrl }) => ({ kind: "email", id, name, signinUrl, maxAgeSeconds: maxAge }),
  load: async (deps) => (await import("./steps.js")).emailSteps(deps),
}
