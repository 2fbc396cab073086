import { describe, expect, it } from "vitest"
import { allowsFormAction } from "./form-action.js"

const page = new URL("https://app.test/auth/signin")

describe("allowsFormAction", () => {
  it.each([
    ["form-action 'none'", "https://app.test/x"],
    ["form-action 'self'", "https://idp.test/authorize"],
    ["default-src 'self'; form-action 'self'", "http://app.test/x"],
    ["form-action https://idp.test", "https://evil.test/https://idp.test"],
    ["form-action https://*.idp.test", "https://idp.test/"],
    ["form-action https://*.idp.test", "https://evilidp.test/"],
    ["form-action idp.test", "http://idp.test/"],
    ["form-action https://idp.test", "https://idp.test:8443/"],
    ["form-action *", "javascript:alert(1)"],
    ["form-action https:, form-action 'self'", "https://idp.test/"],
    ["form-action", "https://app.test/"],
  ])("%j forbids %s", (policy, target) => {
    expect(allowsFormAction(policy, page, new URL(target))).toBe(false)
  })

  it.each([
    [null, "https://idp.test/"],
    ["default-src 'none'", "https://idp.test/"],
    ["form-action 'self'", "https://app.test/auth/callback"],
    ["Form-Action 'self' https:", "https://idp.test/"],
    ["form-action https://*.idp.test", "https://a.b.idp.test/"],
    ["form-action https://idp.test:*", "https://idp.test:8443/"],
    ["form-action idp.test/authorize", "https://idp.test/authorize"],
  ])("%j allows %s", (policy, target) => {
    expect(allowsFormAction(policy, page, new URL(target))).toBe(true)
  })
})
