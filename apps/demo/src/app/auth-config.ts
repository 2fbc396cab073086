import type { AuthConfig, Session } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import { providerLogout } from "@latchkey/core/logout"
import Credentials from "@latchkey/core/providers/credentials"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import OpenIDConnect from "@latchkey/core/providers/oidc"
import Passkey from "@latchkey/core/providers/passkey"
import { trackSessions } from "@latchkey/core/sessions"
import type { PasswordCheck } from "../passwords/passwords.js"

export interface AuthOptions {
  readonly secret: string
  readonly adapter: Adapter
  /** Finds a stored user by id. */
  readonly findUser: Required<Adapter>["getUser"]
  readonly passwords: PasswordCheck
  readonly smtpPort: number
  readonly identityProvider: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string }
}

/** Provider ids are part of the callback URLs. */
export const identityProviderId = "demo-id"
export const passkeyProviderId = "passkey"

/** The user who can sign in with a password from the first start. Not a secret: the sign-in form shows both. */
export const demoUser = {
  username: "ada",
  password: "lovelace-1843",
  name: "Ada Lovelace",
  email: "ada@demo.example",
} as const

export const emailProviderId = "nodemailer"

/** Denied by the `signIn` callback, to demonstrate it. */
const deniedEmail = "mallory@id.example"

/** The demo's authentication. This is what an app of your own would write. */
export function authConfig(options: AuthOptions): AuthConfig {
  return {
    basePath: "/auth",
    secret: options.secret,
    // Safe because the app answers only requests for its own host name.
    trustHost: true,
    adapter: options.adapter,
    session: { strategy: "database", track: trackSessions() },
    logout: providerLogout({ backchannel: true }),
    pages: { verifyRequest: "/check-email" },
    theme: { name: "Latchkey demo" },
    experimental: { enableWebAuthn: true },
    providers: [
      Passkey({ id: passkeyProviderId, name: "a passkey", relayingParty: { name: "Latchkey demo" } }),
      OpenIDConnect({
        ...options.identityProvider,
        id: identityProviderId,
        name: "Demo ID",
        checks: ["pkce", "state", "nonce"],
        authorization: { params: { scope: "openid profile email" } },
      }),
      Nodemailer({
        id: emailProviderId,
        name: "email",
        server: `smtp://127.0.0.1:${options.smtpPort}`,
        from: "Latchkey demo <sign-in@demo.example>",
      }),
      passwordProvider(options),
    ],
    callbacks: {
      signIn: ({ user }) => user.email !== deniedEmail,
      session: ({ session, user }): DemoSession => ({
        user: { id: user.id, name: user.name ?? "", email: user.email },
        expires: new Date(session.expires).toISOString(),
      }),
    },
  }
}

function passwordProvider({ findUser, passwords }: AuthOptions): ReturnType<typeof Credentials> {
  return Credentials({
    name: "password",
    credentials: {
      username: { label: `User name (the demo's is ${demoUser.username})`, autocomplete: "username", required: true },
      password: {
        label: `Password (the demo's is ${demoUser.password})`,
        type: "password",
        autocomplete: "current-password",
        required: true,
      },
    },
    authorize: async ({ username, password }) => {
      const userId = await passwords.findUser(username, password)
      return userId === null ? null : findUser(userId)
    },
  })
}

/** The session that the `session` callback returns. */
export interface DemoSession extends Session {
  readonly user: { readonly id: string; readonly name: string; readonly email: string }
}

export function isDemoSession(session: Session | null): session is DemoSession {
  return session !== null && typeof session.user?.id === "string"
}
