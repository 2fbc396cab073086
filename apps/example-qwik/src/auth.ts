import Credentials from "@latchkey/core/providers/credentials"
import type { QwikAuthConfig } from "@latchkey/qwik"

/** What is asked of the service. Secrets and addresses come from the environment: AUTH_SECRET, AUTH_DEMO_ID and so on. */
export const authConfig: QwikAuthConfig = {
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    Credentials({
      credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
      authorize({ username, password }) {
        // Yours looks the user up and compares a hash of the password.
        if (username !== "ada" || password !== "correct horse") return null
        return { id: "ada", name: "Ada Lovelace", email: "ada@example.com" }
      },
    }),
  ],
  pages: { signIn: "/login" },
  callbacks: {
    jwt({ token, trigger, session }) {
      // What a client asks to be changed is untrusted: only a name is taken.
      const name: unknown = trigger === "update" && Object(session).name
      return typeof name === "string" ? { ...token, name } : token
    },
  },
}
