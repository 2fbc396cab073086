import type { AuthConfig } from "@latchkey/core"
import Credentials from "@latchkey/core/providers/credentials"
import { findPerson } from "./people.ts"

/** Secret, issuer and client come from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const authConfig: AuthConfig = {
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    Credentials({
      name: "password",
      credentials: {
        username: { label: "User name", autocomplete: "username", required: true },
        password: { label: "Password", type: "password", autocomplete: "current-password", required: true },
      },
      authorize: ({ username, password }) => findPerson(username, password),
    }),
  ],
}
