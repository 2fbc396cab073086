import Credentials from "@latchkey/core/providers/credentials"
import type { ElysiaAuthConfig } from "@latchkey/elysia"
import { findUser } from "./users.ts"

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const authConfig: ElysiaAuthConfig = {
  pages: { signIn: "/login" },
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    Credentials({ authorize: ({ username, password }) => findUser(username, password) }),
  ],
}
