// Imported as `@latchkey/client`. The code for passkeys is loaded when one is used.

export type { AppSession, DefaultSession, PublicProvider, Register, Session, User } from "@latchkey/types"
export { type AuthClient, createAuthClient, type GetSessionParams } from "./auth-client.js"
export {
  type AuthFunctions,
  configureAuth,
  createAuthFunctions,
  currentClient,
  getCsrfToken,
  getProviders,
  getSession,
  signIn,
  signInWithAutofill,
  signOut,
  submitCode,
  updateSession,
} from "./auth-functions.js"
export {
  astroBasePath,
  nuxtBasePath,
  reactBasePath,
  solidStartBasePath,
  sveltekitBasePath,
} from "./base-paths.js"
export { type CodeForm, type CodeFormOptions, type CodeFormState, createCodeForm } from "./code-form.js"
export type { SignInOptions, SignOutOptions, SignOutOptions as SignOutParams } from "./form-options.js"
export type {
  AcceptedForm,
  Query,
  Query as SignInAuthorizationParams,
  RefusedForm,
  SignInResponse,
  SignInStep,
} from "./protocol.js"
export {
  AuthClientError,
  type AuthClientErrorCode,
  type Providers,
  type ServiceOptions as AuthClientOptions,
} from "./service.js"
export type { SessionChange } from "./session-changes.js"
export type { SessionState } from "./session-reader.js"
export {
  createSessionStore,
  type RefreshOptions,
  type SessionStore,
  type SessionStoreOptions,
} from "./session-store.js"
export type { AutofillOptions } from "./webauthn/passkeys.js"
