import { describe, expect, it } from "vitest"
import { createTranslator } from "./messages.js"

describe("translate", () => {
  const t = createTranslator({ language: "en", siteName: "app.example" })

  it("fills values in unchanged, even if they look like placeholders", () => {
    expect(t.translate("link.back", { host: "{host}$&" })).toBe("Back to {host}$&")
  })

  it("leaves a placeholder without a value empty", () => {
    expect(t.translate("signIn.with")).toBe("Sign in with ")
  })

  it("fills every placeholder of a message, the host with the site's name", () => {
    expect(t.translate("title.page", { page: "Sign In" })).toBe("Sign In – app.example")
  })
})
