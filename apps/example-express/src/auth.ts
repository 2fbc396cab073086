import { accessTokens } from "@latchkey/core/access-tokens"
import Credentials from "@latchkey/core/providers/credentials"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import { trackSessions } from "@latchkey/core/sessions"
import type { ExpressAuthConfig } from "@latchkey/express"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { findUser } from "./users.ts"

const { DATA_FILE = "app.db", EMAIL_SERVER, EMAIL_FROM } = process.env

const adapter = sqlite(DATA_FILE)

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const authConfig: ExpressAuthConfig = {
  adapter,
  // A session that is ended in the list is refused after five seconds at the latest. The default is a minute.
  session: { strategy: "jwt", track: trackSessions({ checkEvery: 5 }) },
  // Keeps the access tokens of Demo ID fresh, for the calls in `demo-id.ts`.
  accessTokens: accessTokens(),
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    Credentials({
      name: "password",
      credentials: {
        username: { label: "User name", autocomplete: "username", required: true },
        password: { label: "Password", type: "password", autocomplete: "current-password", required: true },
      },
      authorize: ({ username, password }) => findUser(adapter, username, password),
    }),
    Nodemailer({ name: "email", server: EMAIL_SERVER, ...(EMAIL_FROM && { from: EMAIL_FROM }) }),
  ],
}
