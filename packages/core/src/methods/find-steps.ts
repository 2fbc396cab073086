import type { ActionContext } from "../features/feature.js"
import { credentialsMethod } from "./credentials/credentials.js"
import { emailMethod } from "./email/email.js"
import type { SignInMethod } from "./method.js"
import { oauthMethod } from "./oauth/oauth.js"
import type { SignInSteps } from "./steps.js"

type StepsLoader = (context: ActionContext) => Promise<SignInSteps>

/**
 * The steps of the methods that plain objects may have, which every app that signs users in bundles. They are not a part of
 * the method, so that a provider's factory does not bring them to code that only reads sessions.
 */
const loaders: ReadonlyMap<unknown, StepsLoader> = new Map<unknown, StepsLoader>([
  [oauthMethod, async (context) => (await import("./oauth/steps.js")).oauthSteps(context)],
  [emailMethod, async (context) => (await import("./email/steps.js")).emailSteps(context)],
  [credentialsMethod, async (context) => (await import("./credentials/steps.js")).credentialsSteps(context)],
])

/** Imports the steps of a method. Called with the first request that needs them. */
export async function loadSteps(method: SignInMethod, context: ActionContext): Promise<SignInSteps> {
  const load = method.load ?? loaders.get(method)
  if (!load) throw new TypeError(`The sign-in method of ${method.label} has no steps`)
  return load(context)
}
