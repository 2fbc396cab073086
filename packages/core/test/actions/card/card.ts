import { InvalidConfiguration } from "../../../src/errors/errors.js"
import type { SignInMethod } from "../../../src/methods/method.js"
import { merge } from "../../../src/runtime/merge.js"
import { signInMethod } from "../../../src/types/basics.js"
import type { CardConfig } from "./steps.js"

/** Printed cards. Each has a number that signs in once. */
const cardMethod: SignInMethod<CardConfig> = {
  label: "a card provider",
  environmentOptions: () => [],
  resolve: (facts, options) => merge({ numberLength: 16, ...(facts as CardConfig) }, options),
  validate({ numberLength }, path) {
    if (Number.isInteger(numberLength) && Number(numberLength) >= 12) return null
    return new InvalidConfiguration(`${path}.numberLength: must be a whole number, 12 or more`)
  },
  adapterMethods: ["useVerificationToken", "getUserByAccount", "createUser", "linkAccount"],
  callbackMethods: () => ["POST"],
  isCallbackOurForm: true,
  serverStart: "callback",
  form: ({ id, name }, { callbackUrl }) => ({
    kind: "fields",
    id,
    name,
    callbackUrl,
    fields: { email: { label: "Email", type: "email" }, number: { label: "Card number" } },
  }),
  load: async (deps) => (await import("./steps.js")).cardSteps(deps),
}

export function Card(options: Partial<CardConfig> = {}): CardConfig {
  return { id: "card", name: "Card", type: "credentials", [signInMethod]: cardMethod, options }
}
