import type { AuthConfig, Session } from "@latchkey/core"
import { accountArea } from "@latchkey/core/account-area"
import type { Adapter } from "@latchkey/core/adapters"
import { languages } from "@latchkey/core/languages"
import { allLanguages } from "@latchkey/core/languages/all"
import { type NativeClient, nativeApps } from "@latchkey/core/native-apps"
import { providerLogout } from "@latchkey/core/provider-logout"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import OpenIDConnect from "@latchkey/core/providers/oidc"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import type { SessionAuth } from "@latchkey/core/sessions"

export interface AuthOptions {
  readonly secret: string
  readonly adapter: Adapter
  readonly smtpPort: number
  readonly identityProvider: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string }
}

/** Provider ids are part of the callback URLs. */
export const identityProviderId = "demo-id"
const passkeyProviderId = "passkey"

/** The user who can sign in with a password from the first start. Not a secret: the home page shows both. */
export const demoUser = {
  password: "lovelace-in-1843",
  name: "Ada Lovelace",
  email: "ada@demo.example",
} as const

export const emailProviderId = "nodemailer"

/**
 * The app in `apps/example-electron`, or another one on the same machine.
 * @internal Exported for its tests.
 */
export const desktopClient: NativeClient = {
  id: "demo-desktop",
  name: "Demo for desktops",
  redirectUris: ["http://127.0.0.1/callback"],
}

/**
 * The app in `apps/example-expo`.
 * @internal Exported for its tests.
 */
export const phoneClient: NativeClient = {
  id: "demo-phone",
  name: "Demo for phones",
  redirectUris: ["com.example.latchkey:/callback"],
}

/** Denied by the `signIn` callback, to demonstrate it. */
const deniedEmail = "mallory@id.example"

/** The demo's authentication. This is what an app of your own would write. */
export function authConfig(options: AuthOptions): AuthConfig {
  const server = `smtp://127.0.0.1:${options.smtpPort}`
  return {
    basePath: "/auth",
    secret: options.secret,
    // Safe because the app answers only requests for its own host name.
    trustHost: true,
    adapter: options.adapter,
    session: { strategy: "database" },
    accountArea: accountArea(),
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()], remember: { days: 30 } }),
    providerLogout: providerLogout({ backchannel: true }),
    nativeApps: nativeApps({ clients: [desktopClient, phoneClient] }),
    pages: { verifyRequest: "/check-email" },
    theme: { name: "Latchkey demo" },
    // The sign-in pages and the account area; the pages of the app are in English.
    languages: languages(allLanguages),
    providers: [
      Passkey({ id: passkeyProviderId, relayingParty: { name: "Latchkey demo" } }),
      OpenIDConnect({
        ...options.identityProvider,
        id: identityProviderId,
        name: "Demo ID",
        checks: ["pkce", "state", "nonce"],
        authorization: { params: { scope: "openid profile email" } },
      }),
      Nodemailer({
        id: emailProviderId,
        server,
        from: "Latchkey demo <sign-in@demo.example>",
      }),
      Passwords({
        mail: Nodemailer({ server, from: "Latchkey demo <passwords@demo.example>" }),
        // No request leaves this machine.
        breached: false,
      }),
    ],
    callbacks: {
      signIn: ({ user }) => user.email !== deniedEmail,
      session: ({ session, user }): DemoSession => ({
        user: { id: user.id, name: user.name ?? "", email: user.email },
        expires: new Date(session.expires).toISOString(),
        ...(session.auth && { auth: session.auth }),
      }),
    },
  }
}

/** The session that the `session` callback returns. */
export interface DemoSession extends Session {
  readonly user: { readonly id: string; readonly name: string; readonly email: string }
  readonly auth?: SessionAuth
}

export function isDemoSession(session: Session | null): session is DemoSession {
  return session !== null && typeof session.user?.id === "string"
}
