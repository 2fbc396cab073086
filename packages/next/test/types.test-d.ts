import type { NextRequest } from "next/server.js"
import { describe, expectTypeOf, it } from "vitest"
import { type AuthError, type AuthErrorType, NextAuth, type NextAuthConfig, type Session } from "../src/index.js"

const { auth, signIn, signOut, unstable_update } = NextAuth({ providers: [] })

/** The type that Next's build checks a route against. */
type RouteHandler = (
  request: NextRequest,
  context: { params: Promise<{ id: string }> },
) => Promise<Response> | Response | Promise<void> | void

describe("the types of an app", () => {
  it("are never for a redirect and a string for a returned URL", () => {
    expectTypeOf(() => signIn("github")).returns.resolves.toBeNever()
    expectTypeOf(() => signIn("github", new FormData())).returns.resolves.toBeNever()
    expectTypeOf(() => signIn("github", { redirect: false })).returns.resolves.toBeString()
    expectTypeOf(() => signOut({ redirectTo: "/" })).returns.resolves.toBeNever()
    expectTypeOf(() => signOut({ redirect: false })).returns.resolves.toBeString()
    expectTypeOf(unstable_update).returns.resolves.toEqualTypeOf<Session | null>()
  })

  it("match Next's route handlers", () => {
    expectTypeOf(auth(() => new Response())).toExtend<RouteHandler>()
    expectTypeOf(
      auth(async (request, { params }: { params: Promise<{ id: string }> }) => {
        expectTypeOf(request.auth).toEqualTypeOf<Session | null>()
        return Response.json(await params)
      }),
    ).toExtend<RouteHandler>()
    expectTypeOf(auth((request) => void request.auth)).toBeFunction()
  })

  it("accept functions of the proxy that return null or nothing, as those of next-auth do", () => {
    const isOut = (path: string) => path === "/out"
    expectTypeOf(auth(() => null)).toBeFunction()
    expectTypeOf(auth(async () => null)).toBeFunction()
    expectTypeOf(auth(async () => {})).toBeFunction()
    expectTypeOf(auth(({ nextUrl }) => (isOut(nextUrl.pathname) ? null : new Response()))).toBeFunction()
    expectTypeOf(auth(({ nextUrl }) => (isOut(nextUrl.pathname) ? Response.error() : undefined))).toBeFunction()
    expectTypeOf(
      auth(({ auth: session, nextUrl }) => {
        if (!session) return Response.redirect(new URL("/login", nextUrl))
        if (isOut(nextUrl.pathname)) return null
        return
      }),
    ).toBeFunction()
  })

  it("list every error type", () => {
    expectTypeOf<AuthError["type"]>().toEqualTypeOf<AuthErrorType>()
    expectTypeOf<"CredentialsSignin">().toExtend<AuthErrorType>()
  })

  it("accept the authorized callback", () => {
    const config = {
      providers: [],
      callbacks: { authorized: ({ auth, request }) => !!auth || request.url === "" },
    } as const satisfies NextAuthConfig
    expectTypeOf(config).toExtend<NextAuthConfig>()
  })
})
