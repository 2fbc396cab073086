// Imported as `@latchkey/solid-start/client`.
export type { Session } from "@latchkey/client"
export { configureAuth, getSession, signIn, signOut, updateSession } from "./auth-client.js"
