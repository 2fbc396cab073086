// Imported as `@latchkey/solid-start`.
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
export { getSession } from "./get-session.js"
export { signIn, signOut } from "./server-actions.js"
export { SolidAuth, type SolidAuthHandler, type SolidAuthHandlers } from "./solid-auth.js"
export type { SolidAuthConfig } from "./solid-auth-config.js"
export type { SolidEvent } from "./solid-event.js"
