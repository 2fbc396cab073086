import Credentials from "@latchkey/core/providers/credentials"
import type { ExpressAuthConfig } from "@latchkey/express"
import { findUser } from "./users.ts"

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const authConfig: ExpressAuthConfig = {
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
  ],
  callbacks: {
    jwt({ token, trigger, session }) {
      // Data from the browser is untrusted, so only a name is accepted.
      const update: unknown = trigger === "update" ? session : undefined
      const name = typeof update === "object" && update && "name" in update ? update.name : undefined
      return typeof name === "string" ? { ...token, name } : token
    },
  },
}
