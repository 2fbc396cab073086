import type { AuthConfig } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import Credentials from "@latchkey/core/providers/credentials"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import OpenIDConnect from "@latchkey/core/providers/oidc"
import Passkey from "@latchkey/core/providers/passkey"
import type { PasswordCheck } from "../passwords/password-check.js"
import { demoPerson, unwelcomeEmail } from "./demo-person.js"
import { sessionReference, type Visitor } from "./visitor.js"

export interface AuthNeeds {
  readonly secret: string
  readonly adapter: Adapter & Pick<Required<Adapter>, "getUser">
  readonly passwords: PasswordCheck
  readonly smtpPort: number
  readonly identityProvider: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string }
}

/** Id of the local identity provider; part of its callback's address. */
export const identityProviderId = "demo-id"

/** Id of the passkey provider; part of its callback's address. */
export const passkeyProviderId = "passkey"

/** Everything the demo decides about signing in: this is what an app's own configuration looks like. */
export function authConfig(needs: AuthNeeds): AuthConfig {
  return {
    basePath: "/auth",
    secret: needs.secret,
    // The app answers to its own name only, so that the Host header can be believed.
    trustHost: true,
    adapter: needs.adapter,
    session: { strategy: "database" },
    pages: { verifyRequest: "/check-email" },
    experimental: { enableWebAuthn: true },
    providers: [
      Passkey({ id: passkeyProviderId, name: "a passkey", relayingParty: { name: "Latchkey demo" } }),
      OpenIDConnect({
        ...needs.identityProvider,
        id: identityProviderId,
        name: "Demo ID",
        checks: ["pkce", "state", "nonce"],
        authorization: { params: { scope: "openid profile email" } },
      }),
      Nodemailer({
        name: "email",
        server: `smtp://127.0.0.1:${needs.smtpPort}`,
        from: "Latchkey demo <sign-in@demo.example>",
      }),
      passwordProvider(needs),
    ],
    callbacks: {
      signIn: ({ user }) => user.email !== unwelcomeEmail,
      session: ({ session, user }): Visitor => ({
        user: { id: user.id, name: user.name ?? "", email: user.email },
        expires: new Date(session.expires).toISOString(),
        reference: sessionReference(session.sessionToken ?? ""),
      }),
    },
  }
}

function passwordProvider({ adapter, passwords }: AuthNeeds): ReturnType<typeof Credentials> {
  return Credentials({
    name: "password",
    credentials: {
      username: { label: `User name (the demo's is ${demoPerson.username})`, autocomplete: "username", required: true },
      password: {
        label: `Password (the demo's is ${demoPerson.password})`,
        type: "password",
        autocomplete: "current-password",
        required: true,
      },
    },
    authorize: async ({ username, password }) => {
      const userId = await passwords.findUser(username, password)
      return userId === null ? null : adapter.getUser(userId)
    },
  })
}
