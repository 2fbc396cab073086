// Imported as `@latchkey/core/types`. Interfaces that apps extend by module augmentation are exported with `export *`.

export type * from "@latchkey/types"
export type * from "./adapter.js"
export type * from "./adapter-features.js"
export type {
  Awaitable,
  CommonProvider,
  JsonObject,
  JsonValue,
  Optional,
  OptionRule,
  Theme,
} from "./basics.js"
export type * from "./callbacks.js"
export type * from "./config.js"
export type {
  AuthContext,
  CookieOption,
  CookiePurpose,
  CookieSerializeOptions,
  CookiesOptions,
  ResponseCookie,
  ResponseInternal,
} from "./http.js"
export type * from "./jwt.js"
export type * from "./logger.js"
export type * from "./oauth-provider.js"
export type * from "./providers.js"
export type * from "./rate-limit.js"
export type * from "./user.js"
