import { customFetch } from "@latchkey/core"
import { AuthError, CredentialsSignin } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import * as face from "../src/index.js"
import * as middleware from "../src/middleware/index.js"

describe("@latchkey/next", () => {
  it("exports the names in its guide", () => {
    const own = ["NextAuth", "default"]
    expect(Object.keys(face).sort()).toEqual([...own, "AuthError", "CredentialsSignin", "customFetch"].sort())
    expect(face.default).toBe(face.NextAuth)
  })

  it("re-exports the core's own classes and symbol, which hosts compare by identity", () => {
    expect(face.AuthError).toBe(AuthError)
    expect(face.CredentialsSignin).toBe(CredentialsSignin)
    expect(face.customFetch).toBe(customFetch)
  })

  it("returns exactly the documented members from NextAuth", () => {
    const functions = [
      "endOtherSessions",
      "endSession",
      "getAccessToken",
      "getSession",
      "listSessions",
      "requireAuth",
      "requireFresh",
      "signOutEverywhere",
    ]
    const names = ["auth", "handlers", "signIn", "signOut", "unstable_update", "updateSession", ...functions].sort()
    expect(Object.keys(face.NextAuth({ providers: [] })).sort()).toEqual(names)
  })
})

describe("@latchkey/next/middleware", () => {
  it("exports the names in its guide, and only what reads sessions", () => {
    expect(Object.keys(middleware).sort()).toEqual(["AuthError", "NextAuth", "default"])
    expect(middleware.AuthError).toBe(AuthError)
    expect(Object.keys(middleware.default({}))).toEqual(["auth"])
  })
})
