// Imported as `@latchkey/core/tokens`: access tokens of providers, kept fresh.
export { type AccessTokenFailure, AccessTokenUnavailable } from "../errors/errors.js"
export type { TokenChange, TokenStore } from "../types/adapter-features.js"
export {
  getAccessToken,
  keepTokens,
  type RequestTokenOptions,
  type ResponseOptions,
  type UnlinkOptions,
  unlinkAccount,
} from "./access-token.js"
export type { KeepTokensOptions, RevocationMoment } from "./keep-tokens.js"
export type { AccessToken, AccessTokenOptions, CookieWriter } from "./place.js"
