// Imported as `@latchkey/next/v4`: what `next-auth` 4 exports, for apps that move. Types are re-exported with `export *`: only
// these can be augmented by an app.
export { customFetch } from "@latchkey/core"
export { AuthError, type AuthErrorType, CredentialsSignin } from "@latchkey/core/errors"
export type * from "@latchkey/core/jwt"
export { decode, encode } from "@latchkey/core/jwt"
export type * from "@latchkey/core/types"
export {
  getToken,
  type NextAuthMiddlewareOptions,
  type NextMiddlewareWithAuth,
  type NextRequestWithAuth,
  withAuth,
} from "./middleware.js"
export {
  type AuthOptions,
  getServerSession,
  type HttpOptions,
  NextAuth,
  NextAuth as default,
  type NextAuthHandler,
  type NextAuthOptions,
  type RouteContext,
} from "./next-auth.js"
