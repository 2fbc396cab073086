import { BoxyHQSAML } from "@latchkey/core/providers/boxyhq-saml"
import type { NextApiRequest, NextApiResponse } from "next"
import type { NextFetchEvent, NextRequest } from "next/server.js"
import { describe, expectTypeOf, it } from "vitest"
import CredentialsProvider from "../src/v4/credentials.js"
import NextAuth, {
  type AuthOptions,
  getServerSession,
  type NextAuthOptions,
  type Session,
  type SessionStrategy,
  withAuth,
} from "../src/v4/index.js"

/** The types that Next's build checks a route against. */
type RouteHandler = (request: NextRequest, context: { params: Promise<{ nextauth: string[] }> }) => Promise<Response>
type ApiRoute = (request: NextApiRequest, response: NextApiResponse) => unknown
type Middleware = (request: NextRequest, event: NextFetchEvent) => Promise<Response>

declare const req: NextApiRequest
declare const res: NextApiResponse
declare const strategy: SessionStrategy

const provider = CredentialsProvider({
  credentials: { email: { type: "email" }, code: {} },
  async authorize(credentials, request) {
    expectTypeOf(credentials).toEqualTypeOf<Record<"email" | "code", string> | undefined>()
    const { email, code } = credentials || {}
    expectTypeOf(email).toEqualTypeOf<string | undefined>()
    expectTypeOf(request.headers["user-agent"]).toEqualTypeOf<string | undefined>()
    return code ? { id: "ada" } : null
  },
})

const authOptions: NextAuthOptions = {
  providers: [provider, BoxyHQSAML({ issuer: "https://id.test", httpOptions: { timeout: 30_000 } })],
  session: { strategy, maxAge: 60 },
  callbacks: { jwt: ({ token }) => token },
}

describe("the types of an app of version 4", () => {
  it("fit routes of both routers, with the options alone and with the request first", () => {
    expectTypeOf(NextAuth(authOptions)).toExtend<RouteHandler>()
    expectTypeOf(NextAuth(authOptions)).toExtend<ApiRoute>()
    expectTypeOf(NextAuth(req, res, authOptions)).resolves.toBeVoid()
    expectTypeOf<AuthOptions>().toExtend<NextAuthOptions>()
  })

  it("return the session for no, one and three arguments", () => {
    expectTypeOf(getServerSession()).resolves.toEqualTypeOf<Session | null>()
    expectTypeOf(getServerSession(authOptions)).resolves.toEqualTypeOf<Session | null>()
    expectTypeOf(getServerSession(req, res, authOptions)).resolves.toEqualTypeOf<Session | null>()
  })

  it("fit the middleware in each of its forms", () => {
    expectTypeOf(withAuth).toExtend<Middleware>()
    expectTypeOf(withAuth({ pages: { signIn: "/login" } })).toExtend<Middleware>()
    const own = withAuth((request) => void request.nextauth.token?.sub, {
      callbacks: { authorized: ({ token, req }) => token !== null && req.method === "GET" },
    })
    expectTypeOf(own).toExtend<Middleware>()
  })
})
