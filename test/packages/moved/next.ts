// The configuration of a Next.js app that moved: many providers, roles, and an access token in the session.

import type { JWT } from "@latchkey/core/jwt"
import Apple from "@latchkey/core/providers/apple"
import Auth0 from "@latchkey/core/providers/auth0"
import AzureB2C from "@latchkey/core/providers/azure-ad-b2c"
import BoxyHQSAML from "@latchkey/core/providers/boxyhq-saml"
import Cognito from "@latchkey/core/providers/cognito"
import Credentials from "@latchkey/core/providers/credentials"
import Discord from "@latchkey/core/providers/discord"
import GitHub from "@latchkey/core/providers/github"
import GitLab from "@latchkey/core/providers/gitlab"
import Google from "@latchkey/core/providers/google"
import Keycloak from "@latchkey/core/providers/keycloak"
import Passkey from "@latchkey/core/providers/passkey"
import Slack from "@latchkey/core/providers/slack"
import NextAuth, { AuthError, customFetch, type DefaultSession, type NextAuthConfig, type User } from "@latchkey/next"

declare module "@latchkey/next" {
  interface Session {
    accessToken?: string
    error?: "RefreshTokenError"
    user: { id: string; role?: string } & DefaultSession["user"]
  }
  interface User {
    role?: string
  }
}
declare module "@latchkey/core/jwt" {
  interface JWT {
    accessToken?: string
    access_token?: string
    expires_at?: number
    refresh_token?: string
    error?: "RefreshTokenError"
    role?: string
  }
}

const config = {
  theme: { logo: "https://app.example/logo.png" },
  providers: [
    Apple,
    Auth0,
    AzureB2C({
      clientId: process.env.AZURE_ID,
      clientSecret: process.env.AZURE_SECRET,
      issuer: process.env.AZURE_ISSUER,
    }),
    BoxyHQSAML({ clientId: "dummy", clientSecret: "dummy", issuer: process.env.AUTH_BOXYHQ_SAML_ISSUER }),
    Cognito,
    Discord,
    GitHub({
      profile: (profile) => ({
        id: String(profile.id),
        name: profile.name ?? profile.login,
        role: profile.role ?? "user",
      }),
    }),
    GitLab({ baseUrl: new URL("https://git.app.example") }),
    Google({
      authorization: { params: { prompt: "consent", access_type: "offline", response_type: "code" } },
      profile(profile) {
        return { role: profile.role ?? "user", ...profile }
      },
    }),
    Keycloak({ name: "Company login", [customFetch]: (...args) => fetch(...args) }),
    Passkey({
      formFields: { email: { label: "User name", required: true, autocomplete: "username webauthn" } },
    }),
    Slack({ checks: ["nonce"] }),
    Credentials({
      credentials: { email: {}, password: { label: "Password", type: "password" } },
      authorize: async (credentials) => {
        let user = null
        user = await findUser(credentials.email as string, credentials.password as string)
        if (!user) throw new Error("Wrong email or password")
        return user
      },
    }),
  ],
  basePath: "/auth",
  session: { strategy: "jwt", maxAge: 30 * 24 * 60 * 60, updateAge: 24 * 60 * 60 },
  pages: { signIn: "/login", error: "/error" },
  callbacks: {
    authorized({ request, auth }) {
      const { pathname } = request.nextUrl
      if (pathname === "/members") return !!auth
      return true
    },
    async signIn({ account, profile }) {
      if (account?.provider === "google") return !!profile?.email_verified && !!profile.email?.endsWith("@app.example")
      return true
    },
    async redirect({ url, baseUrl }) {
      if (url.startsWith("/")) return `${baseUrl}${url}`
      if (new URL(url).origin === baseUrl) return url
      return baseUrl
    },
    jwt({ token, trigger, session, account, user, profile }) {
      if (trigger === "update") token.name = session.user.name
      if (user) token.role = user.role
      if (profile) token.picture = profile.picture
      if (account?.provider === "keycloak") return { ...token, accessToken: account.access_token }
      return token
    },
    async session({ session, token, newSession, trigger }) {
      if (token?.accessToken) session.accessToken = token.accessToken
      if (trigger === "update" && newSession?.name) session.user.name = newSession.name
      session.user.id = token.sub!
      session.user.role = token.role
      return session
    },
  },
  events: {
    async signIn({ user, isNewUser }) {
      if (isNewUser) console.log(user.email)
    },
    linkAccount: async ({ user, account }) => console.log(user.id, account.provider),
    signOut: (message) => ("token" in message ? console.log(message.token?.sub) : console.log(message.session?.userId)),
  },
  logger: {
    error(error: Error) {
      console.error(error.name, error.message)
    },
    warn: (code) => console.warn(code),
    debug: (code, metadata) => console.debug(code, metadata),
  },
  cookies: {
    pkceCodeVerifier: {
      name: "next-auth.pkce",
      options: { httpOnly: true, sameSite: "none", path: "/", secure: true },
    },
  },
  debug: process.env.NODE_ENV !== "production",
  experimental: { enableWebAuthn: true },
} satisfies NextAuthConfig

export const { handlers, auth, signIn, signOut, unstable_update } = NextAuth(config)
export const { GET, POST } = handlers

/** The middleware. */
export default auth((req) => {
  if (!req.auth && req.nextUrl.pathname !== "/login") {
    return Response.redirect(new URL("/login", req.nextUrl.origin))
  }
})

/** A route handler with a parameter in its path. */
export const read = auth(async (req, ctx) => {
  const { id } = await ctx.params
  return Response.json({ id, name: req.auth?.user?.name })
})

export const stored = NextAuth({
  providers: [
    {
      id: "sso",
      name: "Company login",
      type: "oidc",
      issuer: "https://sso.app.example",
      checks: ["pkce", "state", "nonce"],
      profile(profile) {
        return { id: String(profile.sub), name: profile.name ?? null, email: profile.email ?? profile.upn }
      },
    },
    {
      id: "club",
      name: "Club",
      type: "oauth",
      authorization: { url: "https://club.example/authorize", params: { scope: "members" } },
      token: "https://club.example/token",
      userinfo: {
        url: "https://club.example/me",
        async request({ tokens }: { tokens: { access_token: string; member_id?: string } }): Promise<ClubMember> {
          return { number: tokens.member_id ?? tokens.access_token }
        },
      },
      profile: (profile) => ({ id: profile.number }),
    },
  ],
  callbacks: {
    // With stored sessions, these columns are there.
    async session({ session, user }) {
      const row = await findRow(session.user.email, session.user.id, session.userId, session.sessionToken)
      return { user: { name: row.name, email: user.email }, expires: session.expires }
    },
  },
})

interface ClubMember {
  number: string
}
declare function findRow(email: string, id: string, userId: string, token: string): Promise<{ name: string }>

export const deferred = NextAuth((req) => {
  if (req?.method === "POST") console.log("a sign-in")
  return { providers: [GitHub] }
})

/** A server action. */
export async function logIn(formData: FormData): Promise<string | undefined> {
  try {
    await signIn("credentials", formData)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return error.type === "CredentialsSignin" ? "Wrong email or password" : "Something went wrong"
  }
}

/** The providers for a sign-in page of the app's own. */
export const providerMap = (config.providers as NextAuthConfig["providers"])
  .map((provider) => {
    if (typeof provider === "function") {
      const providerData = provider()
      return { id: providerData.id, name: providerData.name }
    }
    return { id: provider.id, name: provider.name }
  })
  .filter((provider) => provider.id !== "credentials")

/** Refreshes an access token when it has expired. */
export async function refresh(token: JWT): Promise<JWT> {
  if (Date.now() < (token.expires_at ?? 0) * 1000) return token
  if (!token.refresh_token) throw new TypeError("There is no refresh token")
  try {
    const response = await fetch("https://oauth2.googleapis.com/token", {
      method: "POST",
      body: new URLSearchParams({
        client_id: process.env.AUTH_GOOGLE_ID!,
        client_secret: process.env.AUTH_GOOGLE_SECRET!,
        grant_type: "refresh_token",
        refresh_token: token.refresh_token,
      }),
    })
    const tokens = await response.json()
    if (!response.ok) throw tokens
    const fresh = tokens as { access_token: string; expires_in: number; refresh_token?: string }
    token.access_token = fresh.access_token
    token.expires_at = Math.floor(Date.now() / 1000 + fresh.expires_in)
    if (fresh.refresh_token) token.refresh_token = fresh.refresh_token
    return token
  } catch (error) {
    token.error = "RefreshTokenError"
    return token
  }
}

declare function findUser(email: string, password: string): Promise<User | null>
