import { describe, expect, it } from "vitest"
import { loadLibrary } from "./library.js"

describe("loadLibrary", () => {
  it("says which package is to be installed when it is not there", async () => {
    const missing = new Error("Cannot find package '@simplewebauthn/server'")
    await expect(loadLibrary(() => Promise.reject(missing))).rejects.toMatchObject({
      type: "InvalidConfiguration",
      message: expect.stringContaining("npm install @simplewebauthn/server"),
      cause: { err: missing },
    })
  })

  it("gives what verifies responses", async () => {
    expect((await loadLibrary()).verifyAuthenticationResponse).toBeTypeOf("function")
  })
})
