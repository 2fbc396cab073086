// Imported as `@latchkey/core/providers`. Types alone: a provider is imported from its own subpath, and loads no other.
export type * from "../contract/common-provider.js"
export type * from "../contract/credentials-provider.js"
export type * from "../contract/email-provider.js"
export type * from "../contract/oauth-provider.js"
export type * from "../contract/profile.js"
export type * from "../contract/provider.js"
export type * from "../contract/webauthn-provider.js"
