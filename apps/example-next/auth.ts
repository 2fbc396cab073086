import { accessTokens } from "@latchkey/core/access-tokens"
import Credentials from "@latchkey/core/providers/credentials"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import { trackSessions } from "@latchkey/core/sessions"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import NextAuth from "@latchkey/next"
import { findUser } from "./users"

const { DATA_FILE = "app.db", EMAIL_SERVER, EMAIL_FROM } = process.env

const adapter = sqlite(DATA_FILE)

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const { auth, handlers, signIn, signOut, getAccessToken, listSessions, endSession, endOtherSessions } = NextAuth(
  {
    adapter,
    // A session that is ended in the list is refused after five seconds at the latest. The default is a minute.
    session: { strategy: "jwt", track: trackSessions({ checkEvery: 5 }) },
    // Keeps the access tokens of Demo ID fresh, for the calls in `demo-id.ts`.
    accessTokens: accessTokens(),
    pages: { signIn: "/login", verifyRequest: "/check-email" },
    providers: [
      { id: "demo", name: "Demo ID", type: "oidc" },
      Credentials({
        credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
        authorize: ({ username, password }) => findUser(adapter, username, password),
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
  },
)
