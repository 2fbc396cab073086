import { customFetch } from "@latchkey/core"
import { AuthError, CredentialsSignin } from "@latchkey/core/errors"
import type { ActionFunction, LoaderFunction, MiddlewareFunction } from "react-router"
import { describe, expect, expectTypeOf, it } from "vitest"
import * as face from "../src/index.js"

describe("@latchkey/react-router", () => {
  it("exports the names in its guide", () => {
    const own = ["ReactRouterAuth", "getAuth", "requireAuth"]
    expect(Object.keys(face).sort()).toEqual([...own, "AuthError", "CredentialsSignin", "customFetch"].sort())
  })

  it("re-exports the core's own classes and symbol, which apps compare by identity", () => {
    expect(face.AuthError).toBe(AuthError)
    expect(face.CredentialsSignin).toBe(CredentialsSignin)
    expect(face.customFetch).toBe(customFetch)
  })

  it("has middleware and handlers of React Router's types", () => {
    const auth = face.ReactRouterAuth({ providers: [], secret: "a secret of at least thirty-two characters" })
    expectTypeOf(auth.middleware).toExtend<MiddlewareFunction<Response>>()
    expectTypeOf(face.requireAuth).toExtend<MiddlewareFunction<Response>>()
    expectTypeOf(auth.handler).toExtend<LoaderFunction & ActionFunction>()
  })
})
