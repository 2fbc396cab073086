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
  validate({ sendVerificationRequest, code = false, opening = "get" }, path) {
    if (typeof sendVerificationRequest !== "function")
      return new InvalidConfiguration(`${path}.sendVerificationRequest: must be a function`)
    if (typeof code !== "boolean") return new InvalidConfiguration(`${path}.code: must be true or false`)
    if (code ? ["confirm", "code", "get"].includes(opening) : ["confirm", "get"].includes(opening)) return null
    return new InvalidConfiguration(`${path}.opening: must be confirm, get, or (with code: true) code`)
  },
  // A key or a region is needed to send a mail, and for nothing else.
  findDefect: validateRules,
  adapterMethods: ["createVerificationToken", "useVerificationToken", "getUserByEmail"],
  callbackMethods: () => ["GET", "POST"],
  isCallbackOurForm: true,
  serverStart: "signin",
  completingField: "code",
  form: ({ id, name, maxAge }, { signinUrl }) => ({ kind: "email", id, name, signinUrl, maxAgeSeconds: maxAge }),
  load: async (deps) => (await import("./steps.js")).emailSteps(deps),
}
