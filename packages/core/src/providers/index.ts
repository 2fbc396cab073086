// Imported as `@latchkey/core/providers`. Types alone: a provider is imported from its own subpath, and loads no other.
export type * from "../types/basics.js"
export type * from "../types/oauth-provider.js"
export type * from "../types/providers.js"
export type * from "../types/user.js"
