import { describe, expect, it } from "vitest"
import * as face from "../src/index.js"

describe("@latchkey/client", () => {
  it("exports what its guide names", () => {
    const ready = ["configureAuth", "getCsrfToken", "getProviders", "getSession", "signIn", "signOut", "updateSession"]
    const made = ["createAuthClient", "createAuthFunctions", "createSessionStore"]
    expect(Object.keys(face).sort()).toEqual([...ready, ...made, "AuthClientError"].sort())
  })
})
