import { customFetch } from "@latchkey/core"
import { AuthError, CredentialsSignin } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import * as face from "../src/index.js"

describe("@latchkey/tanstack-start", () => {
  it("exports the names in its guide", () => {
    const own = ["StartAuth", "getAuth", "requireAuth"]
    expect(Object.keys(face).sort()).toEqual([...own, "AuthError", "CredentialsSignin", "customFetch"].sort())
  })

  it("re-exports the core's own classes and symbol, which apps compare by identity", () => {
    expect(face.AuthError).toBe(AuthError)
    expect(face.CredentialsSignin).toBe(CredentialsSignin)
    expect(face.customFetch).toBe(customFetch)
  })
})
