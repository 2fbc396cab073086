import { fillMailer } from "../../config/mailer.js"
import type { Feature, FeatureRoutes } from "../../features/feature.js"
import { deferred, guarded, limited } from "../../features/route.js"
import { featureFrame } from "../../features/slots.js"
import { createTracking } from "../../features/tracked-sessions/track-sessions.js"
import type { PasswordForm } from "../../pages/form-model.js"
import { merge } from "../../runtime/merge.js"
import { signInMethod } from "../../types/basics.js"
import type { CredentialInput, CredentialsConfig } from "../../types/providers.js"
import { credentialsMethod } from "../credentials/credentials.js"
import type { SignInMethod } from "../method.js"
import { validateRules } from "../option-rules.js"
import {
  findMistake,
  type PasswordSettings,
  type PasswordsOptions,
  passwordChangedAt,
  passwordId,
  resolveSettings,
} from "./options.js"
import type { OwnPasswords } from "./tools.js"

/** The provider of passwords. */
export interface PasswordProvider extends CredentialsConfig {
  readonly [signInMethod]: object
}

/** Creates the provider: a form on the sign-in page, and the pages around it. */
export function createPasswordProvider(given: PasswordsOptions): PasswordProvider {
  // Apps in JavaScript may leave them out, which `validate` reports.
  const options: PasswordsOptions = { ...given }
  // The labels are in the language of the request.
  const fields: Record<string, CredentialInput> = {
    email: options.find
      ? { type: "text", autocomplete: "username", required: true }
      : { type: "email", autocomplete: "username", required: true },
    password: { type: "password", autocomplete: "current-password", required: true },
  }
  return {
    id: passwordId,
    name: "Password",
    type: "credentials",
    credentials: fields,
    [signInMethod]: createMethod(options),
  }
}

function createMethod(options: PasswordsOptions): SignInMethod<CredentialsConfig> {
  let settings: PasswordSettings | undefined
  // Not before it is needed: the options may be wrong, which `validate` reports.
  const getSettings = () => (settings ??= resolveSettings(options))
  return {
    ...credentialsMethod,
    label: "Passwords",
    accountCredential: "stored-password",
    feature: createFeature(options, getSettings),
    resolve: (facts, given) => merge(facts as CredentialsConfig, given), // as: the factory made it.
    validate: (provider, path) => validateRules(provider, path),
    findDefect: () => null,
    adapterMethods: [
      "createUser",
      "getUser",
      "getUserByEmail",
      "updateUser",
      "createVerificationToken",
      "useVerificationToken",
    ],
    fillNested(provider, fill) {
      const mail = fillMailer(options.mail, fill)
      return mail === options.mail ? provider : createPasswordProvider({ ...options, mail })
    },
    async form({ id, credentials = {} }, { callbackUrl, toUrl }) {
      const { renderSteps, sayForm } = await import("./sign-in-form.js")
      const urls = {
        forgot: toUrl("password/forgot"),
        signUp: options.signUp === false ? undefined : toUrl("password/sign-up"),
      }
      const say: PasswordForm["say"] = (locale, host) => sayForm(urls, options.find !== undefined, locale, host)
      return { kind: "fields", id, name: "password", callbackUrl, fields: credentials, own: { say, renderSteps } }
    },
    load: async (deps) => (await import("./steps.js")).passwordSteps(deps, getSettings()),
  }
}

function createFeature(options: PasswordsOptions, getSettings: () => PasswordSettings): Feature {
  const own: OwnPasswords = { getSettings }
  return {
    feature: "passwords",
    frame: featureFrame,
    own,
    // A reset ends stolen sessions.
    brings: [createTracking()],
    routes: options.signUp === false ? resetRoutes : { ...resetRoutes, ...signUpRoutes },
    validate: (config) => findMistake(options, config),
    async onSessionStart(signedIn, cookies, request, context) {
      if (passwordChangedAt.of(signedIn) !== undefined) {
        const { assertUnchanged } = await import("./stored.js")
        await assertUnchanged({ signedIn, cookies }, request, context)
      }
      // The second step of the sign-in page would show this user to the next one at a shared computer.
      const { forgetFormValues } = await import("../../features/form-values.js")
      const { forgetFormResult } = await import("../../features/form-result.js")
      return { cookies: [...forgetFormValues(request, context), ...forgetFormResult(request, context)] }
    },
    mailer: () => getSettings().sender,
    async titleOf(path, locale) {
      if (path !== "password/change") return undefined
      const { passwordMessages } = await import("./messages.js")
      const { translateFrom } = await import("../../messages/translate.js")
      return translateFrom(passwordMessages, "password.", locale)("change.heading")
    },
    async sentenceOf(error, request, frame, context) {
      const { explainError } = await import("./reply.js")
      return explainError(error, request, frame, context)
    },
    async onAddressRestored(userId, store) {
      const { voidPassword } = await import("./stored.js")
      await voidPassword(userId, getSettings(), store)
    },
  }
}

const resetRoutes: FeatureRoutes = {
  "password/forgot": {
    GET: deferred(async () => (await import("./reset.js")).showForgot),
    POST: guarded(
      limited(
        "signIn",
        deferred(async () => (await import("./reset.js")).submitForgot),
      ),
    ),
  },
  "password/reset": {
    GET: deferred(async () => (await import("./reset.js")).showReset),
    POST: guarded(
      limited(
        "callback",
        deferred(async () => (await import("./reset.js")).submitReset),
      ),
    ),
  },
  "password/change": {
    GET: deferred(async () => (await import("./change.js")).showChange),
    POST: guarded(
      limited(
        "callback",
        deferred(async () => (await import("./change.js")).submitChange),
      ),
    ),
  },
}

const signUpRoutes: FeatureRoutes = {
  "password/sign-up": {
    GET: limited(
      "callback",
      deferred(async () => (await import("./sign-up.js")).showSignUp),
    ),
    POST: guarded(
      limited(
        "signIn",
        deferred(async () => (await import("./sign-up.js")).submitSignUp),
      ),
    ),
  },
}
