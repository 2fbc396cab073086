// Imported as `@latchkey/node`.
export type { OriginOptions } from "@latchkey/core"
export {
  type ConfigSource,
  type GuardAnswer,
  refusalText,
  type Settings,
  toPath,
} from "@latchkey/core/integration"
export { type Exchange, signIn, signOut, updateSession } from "./actions.js"
export {
  believesForwarded,
  type CallerOptions,
  type FoundCaller,
  findCaller,
  fromNodeHeaders,
  type NodeRequest,
  readContext,
  resolveOrigin,
  resolveSettings,
  type TrustRule,
} from "./config.js"
export { decideGuard, requireAuth } from "./guard.js"
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
export { getAccessToken, getSession, requireFresh, type TokenCallerOptions } from "./session.js"
export { endOtherSessions, endSession, listSessions, signOutEverywhere } from "./user-sessions.js"
