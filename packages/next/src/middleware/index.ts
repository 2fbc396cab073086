// Imported as `@latchkey/next/middleware`: reads sessions and guards pages, without any code that signs users in.
export { AuthError, type AuthErrorType } from "@latchkey/core/errors"
export type { NextAuthCallbacks } from "../config.js"
export type { AuthHandler, NextAuthRequest } from "../guard.js"
export {
  type MiddlewareFunction,
  NextAuth,
  NextAuth as default,
  type NextMiddlewareConfig,
  type NextMiddlewareResult,
  type NextMiddlewareSource,
} from "./middleware.js"
