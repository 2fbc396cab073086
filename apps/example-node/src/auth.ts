import type { AuthConfig } from "@latchkey/core"
import Credentials from "@latchkey/core/providers/credentials"
import { findUser } from "./users.ts"

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const authConfig: AuthConfig = {
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
}
