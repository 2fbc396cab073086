// Imported as `@latchkey/nuxt/app`.
export { AuthClientError, type Session, type SignInResponse } from "@latchkey/client"
export { configureAuth, signIn, signOut, submitCode } from "./auth.js"
export { type UseSession, useSession } from "./session.js"
