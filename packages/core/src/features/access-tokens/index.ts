// Imported as `@latchkey/core/access-tokens`: access tokens of providers, kept fresh.

export { type AccessTokenFailure, AccessTokenUnavailable } from "../../errors/errors.js"
export type { TokenChange, TokenStore } from "../../types/adapter-features.js"
export type { AccessToken, AccessTokenOptions, CookieWriter } from "../functions.js"
export {
  accessTokens,
  type DisconnectOptions,
  disconnectAccount,
  getAccessToken,
  type RequestTokenOptions,
  type ResponseOptions,
} from "./access-token.js"
export type { AccessTokensOptions, RevocationMoment } from "./keep-tokens.js"
