import NextAuth from "next-auth"
import Credentials from "next-auth/providers/credentials"
import { credentials, isAuthorized, options } from "./options.ts"

const { handlers, auth } = NextAuth({
  ...options,
  providers: [Credentials(credentials)],
  callbacks: { authorized: ({ auth: session, request }) => isAuthorized(session, request.nextUrl.pathname) },
})

export const { GET, POST } = handlers
export { auth as proxy }
