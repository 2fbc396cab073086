// Imported as `@latchkey/core/integration`: the shared parts of the framework packages.

export { respondNow } from "../auth.js"
export type { CookieWriter } from "../features/functions.js"
export {
  appendCookies,
  forbidPlatformCaching,
  forbidSharedCaching,
  forbidSharedCachingFromNowOn,
  isSharedCacheField,
  type ResponseFields,
} from "../http/caching.js"
export { isLocalAddress } from "../http/client-address.js"
export { serializeCookie } from "../http/cookies.js"
export { isLoopbackAddress } from "../http/ip-address.js"
export { normalizeBasePath, trimPath } from "../http/request.js"
export { readProcessEnv } from "../runtime/environment.js"
export { andThen } from "../runtime/promise.js"
export {
  type ActionAnswer,
  readFormFields,
  readSignInForm,
  readSignOutForm,
  rememberCookies,
  type SignInForm,
  type SignInRequest,
  type SignOutRequest,
  signIn,
  signOut,
  toChoice,
  toErrorAnswer,
  updateSession,
  withRememberedCookies,
} from "./actions.js"
export { type AuthBinding, type BoundAuth, bindAuth, bindPublicAuth, type GuardedAuth, hasUser } from "./bind-auth.js"
export {
  type Caller,
  type ConfigSource,
  deriveConfigs,
  findOrigin,
  type HostConfig,
  isBelow,
  type MountOptions,
  resolveSettings,
  type Settings,
  settingsOf,
  toPath,
} from "./config.js"
export { refusalText } from "./guard.js"
export { answerAt, answerRequest, isServicePath, readSession, toPublicTarget } from "./handler.js"
export { type SessionAnswer, unsetCookie } from "./reader/reader.js"
export type { CookieOptions, FindCaller } from "./request-auth.js"
export { warnAtStart } from "./start.js"
export type { RequireAuthOptions, SignOutEverywhereOptions, UserAuth, UserSession } from "./user-auth.js"
export { createWebAuth, findContextAddress, type WebAuth, type WebVisit } from "./web-auth.js"
