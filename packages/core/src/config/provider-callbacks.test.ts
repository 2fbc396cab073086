import { describe, expect, it } from "vitest"
import { defaultAccount, defaultProfile } from "./provider-callbacks.js"

describe("defaultProfile", () => {
  it("OAU-39: gives no id to a profile that has none", () => {
    expect(defaultProfile({ email: "v@corp.test", name: "n" })).not.toHaveProperty("id")
  })

  it("prefers sub to id, and name to nickname and user name", () => {
    const names = { nickname: "ad", preferred_username: "ada1" }
    expect(defaultProfile({ sub: "s", id: "i", name: "Ada", ...names }).id).toBe("s")
    expect(defaultProfile({ id: "i", name: "Ada", ...names })).toMatchObject({ id: "i", name: "Ada" })
    expect(defaultProfile({ id: "i", ...names }).name).toBe("ad")
    expect(defaultProfile({ id: "i", preferred_username: "ada1" }).name).toBe("ada1")
  })

  it("takes a picture only where it is text", () => {
    expect(defaultProfile({ sub: "s", picture: "https://idp.test/a.png" }).image).toBe("https://idp.test/a.png")
    expect(defaultProfile({ sub: "s", picture: { data: { url: "x" } } }).image).toBeNull()
  })
})

describe("defaultAccount", () => {
  it("OAU-51: keeps the listed fields and nothing else", () => {
    const hostile: Record<string, unknown> = JSON.parse('{"access_token":"a","__proto__":{"x":1},"user_id":"7"}')
    expect(Object.keys(defaultAccount({ ...hostile, token_type: "bearer" }))).toEqual(["access_token", "token_type"])
  })

  it("leaves out what the provider did not send", () => {
    expect(defaultAccount({ access_token: "a", expires_at: 5 })).toEqual({ access_token: "a", expires_at: 5 })
  })
})
