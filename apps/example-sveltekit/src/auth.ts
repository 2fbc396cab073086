import { languages } from "@latchkey/core/languages"
import { de } from "@latchkey/core/languages/de"
import Credentials from "@latchkey/core/providers/credentials"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import Passwords from "@latchkey/core/providers/passwords"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { SvelteKitAuth } from "@latchkey/sveltekit"
import { findUser } from "./users.js"

const { DATA_FILE = "app.db", EMAIL_SERVER, EMAIL_FROM } = process.env

const adapter = sqlite(DATA_FILE)
const mail = Nodemailer({ server: EMAIL_SERVER ?? "smtp://127.0.0.1", ...(EMAIL_FROM && { from: EMAIL_FROM }) })

/** Secret, issuer and client are read from `AUTH_SECRET`, `AUTH_DEMO_ISSUER`, `AUTH_DEMO_ID` and `AUTH_DEMO_SECRET`. */
export const { handle, signIn, signOut } = SvelteKitAuth({
  adapter,
  session: { strategy: "jwt" },
  // Users of the company must have a second factor, and set one up before they are signed in. Others may have one.
  secondFactors: secondFactors({
    factors: [totp({ issuer: "SvelteKit example" }), recoveryCodes()],
    require: ({ user }) => user.email?.endsWith("@staff.example") ?? false,
  }),
  languages: languages([de]),
  pages: { signIn: "/login" },
  providers: [
    { id: "demo", name: "Demo ID", type: "oidc" },
    // For the forms in `src/lib/components/auth`. Looks passwords up in the built-in list of common ones only.
    Passwords({ mail, breached: false }),
    Credentials({
      credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
      authorize: ({ username, password }) => findUser(adapter, username, password),
    }),
    mail,
  ],
  callbacks: {
    jwt({ token, trigger, session }) {
      // Data from the browser is untrusted, so only a name is accepted.
      const update: unknown = trigger === "update" ? session : undefined
      const name = typeof update === "object" && update && "name" in update ? update.name : undefined
      return typeof name === "string" ? { ...token, name } : token
    },
  },
})
