import Credentials from "@latchkey/core/providers/credentials"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { SvelteKitAuth } from "@latchkey/sveltekit"
import { findUser } from "./users.js"

const { DATA_FILE = "app.db", EMAIL_SERVER, EMAIL_FROM } = process.env

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const { handle, signIn, signOut } = SvelteKitAuth({
  adapter: sqlite(DATA_FILE),
  session: { strategy: "jwt" },
  pages: { signIn: "/login" },
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    Credentials({
      credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
      authorize: ({ username, password }) => findUser(username, password),
    }),
    Nodemailer({ server: EMAIL_SERVER ?? "smtp://127.0.0.1", ...(EMAIL_FROM && { from: EMAIL_FROM }) }),
  ],
  callbacks: {
    jwt({ token, trigger, session }) {
      // Data from the browser is untrusted, so only a name is accepted.
      const update: unknown = trigger === "update" ? session : undefined
      const name = typeof update === "object" && update && "name" in update ? update.name : undefined
      return typeof name === "string" ? { ...token, name } : token
    },
  },
})
