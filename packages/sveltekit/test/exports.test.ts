import { customFetch } from "@latchkey/core"
import { AuthError, CredentialsSignin } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import * as client from "../src/client/index.js"
import * as face from "../src/index.js"

describe("@latchkey/sveltekit", () => {
  it("exports the names in its guide", () => {
    expect(Object.keys(face).sort()).toEqual(["AuthError", "CredentialsSignin", "SvelteKitAuth", "customFetch"])
    expect(Object.keys(client).sort()).toEqual([
      "AuthClientError",
      "getSession",
      "signIn",
      "signInWithAutofill",
      "signOut",
      "submitCode",
      "updateSession",
    ])
  })

  it("re-exports the core's own classes and symbol, which hosts compare by identity", () => {
    expect(face.AuthError).toBe(AuthError)
    expect(face.CredentialsSignin).toBe(CredentialsSignin)
    expect(face.customFetch).toBe(customFetch)
  })
})
