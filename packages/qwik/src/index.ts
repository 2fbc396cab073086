// Imported as `@latchkey/qwik`.
export {
  type Account,
  type AuthConfig,
  customFetch,
  type DefaultSession,
  type Profile,
  type Session,
  type User,
} from "@latchkey/core"
export { AuthError, CredentialsSignin } from "@latchkey/core/errors"
export type { SignInRequest, SignOutRequest, UserAuth } from "@latchkey/core/integration"
export type { QwikAuthConfig } from "./config.js"
export { type QwikAuth, QwikAuth$, QwikAuthQrl } from "./qwik-auth.qwik.js"
export { getAuth } from "./session.js"
