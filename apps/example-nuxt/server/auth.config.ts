import { languages } from "@latchkey/core/languages"
import { de } from "@latchkey/core/languages/de"
import Credentials from "@latchkey/core/providers/credentials"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import Passwords from "@latchkey/core/providers/passwords"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { defineAuthConfig } from "@latchkey/nuxt/config"

const { DATA_FILE = "app.db", EMAIL_SERVER = "smtp://127.0.0.1", EMAIL_FROM } = process.env

const adapter = sqlite(DATA_FILE)
const ada = { name: "Ada Lovelace", email: "ada@example.com" }

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export default defineAuthConfig({
  adapter,
  session: { strategy: "jwt" },
  // Users of the company must have a second factor, and set one up before they are signed in. Others may have one.
  secondFactors: secondFactors({
    factors: [totp({ issuer: "Nuxt example" }), recoveryCodes()],
    require: ({ user }) => user.email?.endsWith("@staff.example") ?? false,
  }),
  languages: languages([de]),
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    // For the forms in `app/components/auth`. Looks passwords up in the built-in list of common ones only.
    Passwords({
      mail: Nodemailer({ server: EMAIL_SERVER, ...(EMAIL_FROM && { from: EMAIL_FROM }) }),
      breached: false,
    }),
    Credentials({
      credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
      async authorize({ username, password }) {
        // In your app, look the user up and verify a hash of the password.
        if (username !== "ada" || password !== "correct horse") return null
        // Sessions that can be ended need a stored user.
        const stored = await adapter.getUserByEmail(ada.email)
        return stored ?? adapter.createUser({ ...ada, id: crypto.randomUUID(), emailVerified: null })
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
