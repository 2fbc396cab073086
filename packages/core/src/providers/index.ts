// Imported as `@latchkey/core/providers`. Contains types only; import each provider from its own subpath.
export type * from "../contract/common-provider.js"
export type * from "../contract/credentials-provider.js"
export type * from "../contract/email-provider.js"
export type * from "../contract/oauth-provider.js"
export type * from "../contract/profile.js"
export type * from "../contract/provider.js"
export type * from "../contract/webauthn-provider.js"
