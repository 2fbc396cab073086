import type { NextRequest } from "next/server.js"
import { describe, expectTypeOf, it } from "vitest"
import { type AuthError, type AuthErrorType, NextAuth, type NextAuthConfig, type Session } from "../src/index.js"

const { auth, signIn, signOut, unstable_update } = NextAuth({ providers: [] })

/** What Next's build checks of a route. */
type RouteHandler = (
  request: NextRequest,
  context: { params: Promise<{ id: string }> },
) => Promise<Response> | Response | Promise<void> | void

describe("the types of an app", () => {
  it("know that a redirect does not come back, and an address does", () => {
    expectTypeOf(() => signIn("github")).returns.resolves.toBeNever()
    expectTypeOf(() => signIn("github", new FormData())).returns.resolves.toBeNever()
    expectTypeOf(() => signIn("github", { redirect: false })).returns.resolves.toBeString()
    expectTypeOf(() => signOut({ redirectTo: "/" })).returns.resolves.toBeNever()
    expectTypeOf(() => signOut({ redirect: false })).returns.resolves.toBeString()
    expectTypeOf(unstable_update).returns.resolves.toEqualTypeOf<Session | null>()
  })

  it("fit what Next asks of routes", () => {
    expectTypeOf(auth(() => new Response())).toExtend<RouteHandler>()
    expectTypeOf(
      auth(async (request, { params }: { params: Promise<{ id: string }> }) => {
        expectTypeOf(request.auth).toEqualTypeOf<Session | null>()
        return Response.json(await params)
      }),
    ).toExtend<RouteHandler>()
    expectTypeOf(auth((request) => void request.auth)).toBeFunction()
  })

  it("name every error", () => {
    expectTypeOf<AuthError["type"]>().toEqualTypeOf<AuthErrorType>()
    expectTypeOf<"CredentialsSignin">().toExtend<AuthErrorType>()
  })

  it("take the question of the proxy", () => {
    const config = {
      providers: [],
      callbacks: { authorized: ({ auth, request }) => !!auth || request.url === "" },
    } as const satisfies NextAuthConfig
    expectTypeOf(config).toExtend<NextAuthConfig>()
  })
})
