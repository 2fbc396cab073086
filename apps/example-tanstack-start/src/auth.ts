import Credentials from "@latchkey/core/providers/credentials"
import { StartAuth } from "@latchkey/tanstack-start"

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const auth = StartAuth({
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    Credentials({
      credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
      authorize({ username, password }) {
        // In your app, look the user up and verify a hash of the password.
        if (username !== "ada" || password !== "correct horse") return null
        return { id: "ada", name: "Ada Lovelace", email: "ada@example.com" }
      },
    }),
  ],
  pages: { signIn: "/login" },
  callbacks: {
    jwt({ token, trigger, session }) {
      // Data from the browser is untrusted, so only a name is accepted.
      const name: unknown = trigger === "update" && Object(session).name
      return typeof name === "string" ? { ...token, name } : token
    },
  },
})
