import Credentials from "@latchkey/core/providers/credentials"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import NextAuth from "@latchkey/next"
import { findUser } from "./users"

const { DATA_FILE = "app.db", EMAIL_SERVER, EMAIL_FROM } = process.env

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const { auth, handlers, signIn, signOut } = NextAuth({
  adapter: sqlite(DATA_FILE),
  session: { strategy: "jwt" },
  pages: { signIn: "/login" },
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    Credentials({
      credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
      authorize: ({ username, password }) => findUser(username, password),
    }),
    Nodemailer({ server: EMAIL_SERVER, ...(EMAIL_FROM && { from: EMAIL_FROM }) }),
  ],
  callbacks: {
    jwt({ token, trigger, session }) {
      // Data from the browser is untrusted, so only a name is accepted.
      const name: unknown =
        trigger === "update" && typeof session === "object" && session && Reflect.get(session, "name")
      return typeof name === "string" ? { ...token, name } : token
    },
    authorized: ({ auth, request }) => auth !== null || !request.nextUrl.pathname.startsWith("/private"),
  },
})
