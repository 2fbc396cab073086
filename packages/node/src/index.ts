// Imported as `@latchkey/node`.
export type { OriginOptions } from "@latchkey/core"
export {
  type ConfigSource,
  type Settings,
  toPath,
} from "@latchkey/core/integration"
export { auth, bindExchange, findBound } from "./auth.js"
export {
  type CallerOptions,
  type FoundCaller,
  findCaller,
  fromNodeHeaders,
  type NodeRequest,
  readContext,
  resolveOrigin,
  resolveSettings,
  type TrustRule,
  withForwarded,
} from "./config.js"
export {
  type AnswerOptions,
  answerRequest,
  createNodeListener,
  type Next,
  type NodeHandlerOptions,
  type NodeListener,
  toListener,
  toNodeHandler,
} from "./handler.js"
export { type BodyOptions, readTarget, toWebRequest, type WebRequestOptions } from "./request.js"
export { type Finish, keepPrivate, type NodeResponse, readSetCookies, sendWebResponse, setCookies } from "./response.js"
