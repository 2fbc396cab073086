import { customFetch } from "@latchkey/core"
import { AuthError, CredentialsSignin } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import * as face from "../src/index.js"

describe("@latchkey/next", () => {
  it("exports what its guide names", () => {
    const own = ["NextAuth", "default"]
    expect(Object.keys(face).sort()).toEqual([...own, "AuthError", "CredentialsSignin", "customFetch"].sort())
    expect(face.default).toBe(face.NextAuth)
  })

  it("hands on the very classes and the very symbol of the core, since hosts compare them", () => {
    expect(face.AuthError).toBe(AuthError)
    expect(face.CredentialsSignin).toBe(CredentialsSignin)
    expect(face.customFetch).toBe(customFetch)
  })

  it("gives an app these and nothing else", () => {
    const names = ["auth", "handlers", "signIn", "signOut", "unstable_update", "updateSession"]
    expect(Object.keys(face.NextAuth({ providers: [] })).sort()).toEqual(names)
  })
})
