// Imported as `@latchkey/nuxt/app`.
export { AuthClientError, type Session, type SignInResponse } from "@latchkey/client"
export { configureAuth, signIn, signOut, submitCode, type UseSession, useSession } from "./session.js"
