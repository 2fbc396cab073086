// Imported as `@latchkey/core/integration/reader`: what a guard needs that only reads sessions, without any code that signs
// users in or shows pages.

export { findConfiguredUrl } from "../../config/env.js"
export { appendCookies } from "../../http/caching.js"
export { serializeCookie } from "../../http/cookies.js"
export { isLoopbackAddress } from "../../http/ip-address.js"
export { normalizeBasePath, trimPath } from "../../http/request.js"
export { logRejectedRequest, type RejectedRequest } from "../../serve.js"
export {
  type Caller,
  deriveConfigs,
  findOrigin,
  type HostConfig,
  isBelow,
  type MountOptions,
  type Settings,
  settingsOf,
  toPath,
} from "../config.js"
export { isServicePath, readSession, type SessionAnswer } from "./reader.js"
