import { customFetch } from "@latchkey/core"
import { AuthError, CredentialsSignin } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import * as client from "../src/client/index.js"
import * as face from "../src/index.js"
import { ALL } from "../src/route.js"

describe("@latchkey/astro", () => {
  it("exports the names in its guide", () => {
    const own = ["AstroAuth", "defineConfig", "getSession", "latchkey", "requireAuth"]
    expect(Object.keys(face).sort()).toEqual([...own, "AuthError", "CredentialsSignin", "customFetch"].sort())
    const clients = [
      "configureAuth",
      "getSession",
      "signIn",
      "signInWithAutofill",
      "signOut",
      "submitCode",
      "updateSession",
    ]
    expect(Object.keys(client).sort()).toEqual(["AuthClientError", ...clients].sort())
  })

  it("re-exports the core's own classes and symbol, which apps compare by identity", () => {
    expect(face.AuthError).toBe(AuthError)
    expect(face.CredentialsSignin).toBe(CredentialsSignin)
    expect(face.customFetch).toBe(customFetch)
  })

  it("answers unknown paths below the endpoints with 404", () => {
    expect(ALL().status).toBe(404)
  })
})
