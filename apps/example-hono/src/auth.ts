import Credentials from "@latchkey/core/providers/credentials"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import type { HonoAuthConfig } from "@latchkey/hono"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { findUser } from "./users.ts"

const { DATA_FILE = "app.db", EMAIL_SERVER, EMAIL_FROM } = process.env

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const authConfig: HonoAuthConfig = {
  adapter: sqlite(DATA_FILE),
  session: { strategy: "jwt" },
  pages: { signIn: "/login" },
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    Credentials({ authorize: ({ username, password }) => findUser(username, password) }),
    Nodemailer({ server: EMAIL_SERVER, ...(EMAIL_FROM && { from: EMAIL_FROM }) }),
  ],
}
