import Credentials from "@latchkey/core/providers/credentials"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import type { ExpressAuthConfig } from "@latchkey/express"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { findUser } from "./users.ts"

const { DATA_FILE = "app.db", EMAIL_SERVER, EMAIL_FROM } = process.env

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const authConfig: ExpressAuthConfig = {
  adapter: sqlite(DATA_FILE),
  session: { strategy: "jwt" },
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    Credentials({
      name: "password",
      credentials: {
        username: { label: "User name", autocomplete: "username", required: true },
        password: { label: "Password", type: "password", autocomplete: "current-password", required: true },
      },
      authorize: ({ username, password }) => findUser(username, password),
    }),
    Nodemailer({ name: "email", server: EMAIL_SERVER, ...(EMAIL_FROM && { from: EMAIL_FROM }) }),
  ],
}
