import Credentials from "@latchkey/core/providers/credentials"
import type { NestAuthConfig } from "@latchkey/nestjs"
import { findUser } from "./users.js"

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const authConfig: NestAuthConfig = {
  pages: { signIn: "/login" },
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    Credentials({ authorize: ({ username, password }) => findUser(username, password) }),
  ],
}
