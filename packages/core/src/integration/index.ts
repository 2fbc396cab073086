// Imported as `@latchkey/core/integration`: what the packages for frameworks are made of.

export { serializeCookie } from "../http/cookies.js"
export { type ActionAnswer, type SignInRequest, signIn, signOut, updateSession } from "./act.js"
export { answerRequest } from "./answer-request.js"
export type { Caller } from "./caller.js"
export { isServicePath } from "./is-service-path.js"
export { errorPageUrl } from "./land-failure.js"
export { findSession, readSession, type SessionAnswer } from "./read-session.js"
export {
  type ConfigSource,
  type HostConfig,
  isBelow,
  type MountOptions,
  resolveSettings,
  type Settings,
  settingsOf,
} from "./settings.js"
export { readSignInForm, type SignInForm } from "./sign-in-form.js"
