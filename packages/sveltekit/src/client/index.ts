// Imported as `@latchkey/sveltekit/client`.
export { AuthClientError, type AuthClientErrorCode, type SignInOptions, type SignInResponse } from "@latchkey/client"
export { getSession, signIn, signOut, updateSession } from "./auth-client.js"
