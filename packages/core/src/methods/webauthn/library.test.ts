import { describe, expect, it } from "vitest"
import { loadLibrary } from "./library.js"

describe("loadLibrary", () => {
  it("names the package to install if it is missing", async () => {
    const missing = new Error("Cannot find package '@simplewebauthn/server'")
    await expect(loadLibrary(() => Promise.reject(missing))).rejects.toMatchObject({
      type: "InvalidConfiguration",
      message: expect.stringContaining("npm install @simplewebauthn/server"),
      cause: { err: missing },
    })
  })

  it("loads the functions that verify responses", async () => {
    expect((await loadLibrary()).verifyAuthenticationResponse).toBeTypeOf("function")
  })
})
