import { customFetch } from "@latchkey/core"
import { AuthError, CredentialsSignin } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import * as face from "../src/index.js"

describe("@latchkey/elysia", () => {
  it("exports the documented names", () => {
    const own = ["ElysiaAuth", "requireAuth"]
    const shared = ["AuthError", "CredentialsSignin", "customFetch"]
    expect(Object.keys(face).sort()).toEqual([...own, ...shared].sort())
  })

  it("re-exports the core's own classes and symbol, which hosts compare", () => {
    expect(face.AuthError).toBe(AuthError)
    expect(face.CredentialsSignin).toBe(CredentialsSignin)
    expect(face.customFetch).toBe(customFetch)
  })
})
