import Credentials from "@latchkey/core/providers/credentials"
import type { FastifyAuthConfig } from "@latchkey/fastify"
import { findPerson } from "./people.ts"

/** Secret, issuer and client come from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const authConfig: FastifyAuthConfig = {
  pages: { signIn: "/login" },
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    Credentials({ authorize: ({ username, password }) => findPerson(username, password) }),
  ],
}
