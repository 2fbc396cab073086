import { describe, expect, it } from "vitest"
import { phrase } from "./words.js"

describe("phrase", () => {
  it("fills values in as they are, also where they look like a place to fill", () => {
    expect(phrase("en", "way.back", { host: "{host}$&" })).toBe("Back to {host}$&")
  })

  it("leaves out what is not given", () => {
    expect(phrase("en", "way.back")).toBe("Back to ")
  })

  it("fills each place of a sentence", () => {
    expect(phrase("en", "title.page", { page: "Sign In", host: "app.example" })).toBe("Sign In – app.example")
  })
})
