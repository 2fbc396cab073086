import { describe, expect, it } from "vitest"
import { defaultAccount } from "./account-fields.js"

describe("defaultAccount", () => {
  it("OAU-51: keeps only the listed fields", () => {
    const hostile: Record<string, unknown> = JSON.parse('{"access_token":"a","__proto__":{"x":1},"user_id":"7"}')
    expect(Object.keys(defaultAccount({ ...hostile, token_type: "bearer" }))).toEqual(["access_token", "token_type"])
  })

  it("omits fields that the provider did not send", () => {
    expect(defaultAccount({ access_token: "a", expires_at: 5 })).toEqual({ access_token: "a", expires_at: 5 })
  })
})
