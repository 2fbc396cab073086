import Credentials from "@latchkey/core/providers/credentials"
import NextAuth from "@latchkey/next"
import { credentials, isAuthorized, options } from "./options.ts"

const { handlers, auth } = NextAuth({
  ...options,
  // The peers do not count attempts, and one client makes all of these.
  rateLimit: false,
  providers: [Credentials(credentials)],
  callbacks: { authorized: ({ auth: session, request }) => isAuthorized(session, request.nextUrl.pathname) },
})

export const { GET, POST } = handlers
export { auth as proxy }
