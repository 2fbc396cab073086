// The configuration, the routes and the middleware of a Next.js app that moved from version 4.

import BoxyHQSAMLProvider from "@latchkey/core/providers/boxyhq-saml"
import EmailProvider from "@latchkey/core/providers/email"
import GitHubProvider from "@latchkey/core/providers/github"
import NextAuth, {
  type Account,
  type DefaultSession,
  encode,
  getServerSession,
  getToken,
  type NextAuthOptions,
  type Session,
  type SessionStrategy,
} from "@latchkey/next/v4"
import CredentialsProvider from "@latchkey/next/v4/credentials"
import { withAuth } from "@latchkey/next/v4/middleware"
import { getCsrfToken, getProviders, getSession, signIn } from "@latchkey/react/v4"
import type { GetServerSidePropsContext, NextApiRequest, NextApiResponse } from "next"
import type { NextRequest } from "next/server.js"

// `next.ts` of this folder extends the session by another name, and a program may use one name for an interface.
type MovedSession = Session & DefaultSession

type Req = NextApiRequest | GetServerSidePropsContext["req"]
type Res = NextApiResponse | GetServerSidePropsContext["res"]

/** The options depend on the request. */
const getAuthOptions = (req: Req, res: Res): NextAuthOptions => ({
  providers: [
    CredentialsProvider({
      id: "credentials",
      credentials: { email: { type: "email" }, password: { type: "password" } },
      async authorize(credentials, request) {
        if (!credentials) throw new Error("no-credentials")
        const { email, password } = credentials
        if (request.headers["x-blocked"] || !email || !password) return null
        return (await verifyPassword(email, password)) ? { id: email, name: null } : null
      },
    }),
    GitHubProvider({
      clientId: process.env.GITHUB_ID!,
      clientSecret: process.env.GITHUB_SECRET!,
      allowDangerousEmailAccountLinking: true,
    }),
    BoxyHQSAMLProvider({
      authorization: { params: { scope: "" } },
      issuer: "https://id.example",
      clientId: "dummy",
      clientSecret: "dummy",
      httpOptions: { timeout: 30000 },
    }),
    EmailProvider({
      server: { host: "smtp.example", port: 25, auth: { user: "a", pass: "b" } },
      from: "app@example.com",
      sendVerificationRequest: async ({ identifier, url }) => console.log(identifier, url),
    }),
  ],
  pages: { signIn: "/auth/login", verifyRequest: "/auth/verify-request" },
  session: { strategy: process.env.STRATEGY as SessionStrategy, maxAge: 14 * 24 * 60 * 60 },
  secret: process.env.NEXTAUTH_SECRET,
  callbacks: {
    async signIn({ user, account }) {
      res.setHeader("x-tried", String(req.method))
      return account ? isKnown(account) : Boolean(user.email)
    },
    async session({ session, token, user }) {
      session.user.id = token?.sub || user?.id
      return session
    },
    async jwt({ token, trigger, session, account }) {
      if (trigger === "signIn" && account?.provider === "github") return { ...token, sub: account.providerAccountId }
      if (trigger === "update" && "name" in session && session.name) return { ...token, name: session.name }
      return token
    },
  },
  jwt: { encode: async (params) => encode(params) },
})

export async function api(req: NextApiRequest, res: NextApiResponse) {
  return await NextAuth(req, res, getAuthOptions(req, res))
}

const authOptions: NextAuthOptions = { providers: [] }
const handler = NextAuth(authOptions)

export { handler as GET, handler as POST }
export default NextAuth(authOptions)

export const readHere = async (): Promise<MovedSession | null> =>
  (await getServerSession()) ?? getServerSession(authOptions)
export const readThere = async (req: Req, res: Res) => await getServerSession(req, res, getAuthOptions(req, res))

export const middleware = withAuth((req) => console.log(req.nextauth.token?.sub), {
  callbacks: { authorized: ({ token }) => token?.email === "ada@example.com" },
})
export const small = async (req: NextRequest) => ((await getToken({ req })) ? undefined : Response.error())

export const getServerSideProps = async (context: GetServerSidePropsContext) => ({
  props: {
    csrfToken: await getCsrfToken(context),
    providers: await getProviders(),
    session: await getSession(context),
  },
})

export async function logIn(setMessage: (message: { text: string | null }) => void, csrfToken: string | undefined) {
  const response = await signIn("credentials", {
    email: "ada@example.com",
    csrfToken,
    redirect: false,
    callbackUrl: "/",
  })
  if (response && !response.ok) setMessage({ text: response.error })
}

declare function isKnown(account: Account): boolean
declare function verifyPassword(email: string, password: string): Promise<boolean>
