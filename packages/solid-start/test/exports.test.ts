import { customFetch } from "@latchkey/core"
import { AuthError, CredentialsSignin } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import * as face from "../src/index.js"

describe("@latchkey/solid-start", () => {
  it("exports what its guide names", () => {
    const own = ["SolidAuth", "getSession", "signIn", "signOut"]
    expect(Object.keys(face).sort()).toEqual([...own, "AuthError", "CredentialsSignin", "customFetch"].sort())
  })

  it("hands on the very classes and the very symbol of the core, since hosts compare them", () => {
    expect(face.AuthError).toBe(AuthError)
    expect(face.CredentialsSignin).toBe(CredentialsSignin)
    expect(face.customFetch).toBe(customFetch)
  })
})
