// Imported as `@latchkey/nuxt/app`.
export { AuthClientError, type Session, type SignInResponse, type SignInStep } from "@latchkey/client"
export {
  configureAuth,
  signIn,
  signInWithAutofill,
  signOut,
  submitCode,
  type UseSession,
  useSession,
} from "./session.js"
