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
  validate(provider, path) {
    const mistake = findMistake(provider)
    return mistake === null ? null : new InvalidConfiguration(`${path}.${mistake}`)
  },
  // A key or a region is needed to send a mail, and for nothing else.
  findDefect: validateRules,
  adapterMethods: ["createVerificationToken", "useVerificationToken", "getUserByEmail"],
  callbackMethods: () => ["GET", "POST"],
  isCallbackOurForm: true,
  serverStart: "signin",
  completingField: "code",
  form: ({ id, name, code = false }, { signinUrl }) => ({ kind: "email", id, name, signinUrl, hasCode: code }),
}

function findMistake({
  sendVerificationRequest,
  code = false,
  opening = "get",
  maxAge = 1,
}: EmailConfig): string | null {
  if (typeof sendVerificationRequest !== "function") return "sendVerificationRequest: must be a function"
  // A number from a missing variable is NaN. Some centuries later, dates end.
  if (typeof maxAge !== "number" || !(maxAge > 0 && maxAge < 1e10)) return "maxAge: must be a number of seconds above 0"
  if (typeof code !== "boolean") return "code: must be true or false"
  const isKnown = opening === "get" || opening === "confirm" || (code && opening === "code")
  return isKnown ? null : "opening: must be confirm, get, or (with code: true) code"
}
