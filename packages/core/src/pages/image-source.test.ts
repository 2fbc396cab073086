import { describe, expect, it } from "vitest"
import { parseLogo, parseProviderLogo } from "./image-source.js"

const site = "https://app.example"

describe("parseLogo", () => {
  it.each([
    "javascript:1",
    " JavaScript:alert(1)",
    "java\nscript:1",
    "vbscript:x",
    "file:///etc/passwd",
    "data:text/html,<script>1</script>",
    "data:image/png;base64,AA==",
    "blob:https://app.example/x",
    "http://",
    "",
  ])("refuses %j", (source) => {
    expect(parseLogo(source, site)).toBeUndefined()
  })

  it.each(["https://cdn.example/logo.png", "http://localhost:3000/logo.svg", "/logo.svg", "logo.svg?v=2"])(
    "takes %j",
    (source) => {
      expect(parseLogo(source, site)).toBe(source)
    },
  )

  it("takes nothing where nothing is given", () => {
    expect(parseLogo(undefined, site)).toBeUndefined()
  })
})

describe("parseProviderLogo", () => {
  it("refuses a data URL that is no image", () => {
    expect(parseProviderLogo("data:text/html,<script>1</script>", site)).toBeUndefined()
    expect(parseProviderLogo("javascript:1//data:image/png,", site)).toBeUndefined()
  })

  it("takes an image in a data URL", () => {
    expect(parseProviderLogo("data:image/svg+xml,%3Csvg/%3E", site)).toBe("data:image/svg+xml,%3Csvg/%3E")
  })

  it("takes what a site's logo may be", () => {
    expect(parseProviderLogo("/github.svg", site)).toBe("/github.svg")
  })
})
