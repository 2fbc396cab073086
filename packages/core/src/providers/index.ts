// Imported as `@latchkey/core/providers`. Contains types only; import each provider from its own subpath.
export type * from "@latchkey/types"
export type { CommonProvider, OptionRule } from "../types/basics.js"
export type * from "../types/oauth-provider.js"
export type * from "../types/providers.js"
export type * from "../types/user.js"
