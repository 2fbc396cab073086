import { describe, expect, it } from "vitest"
import { renameParameter, withRenamedParameter } from "./rename-parameter.js"

describe("a renamed parameter", () => {
  it("leaves no other of its new name behind, which a visitor may have added", () => {
    const parameters = new URLSearchParams("client_key=evil&client_id=ours&a=b")
    expect(String(renameParameter(parameters, "client_id", "client_key"))).toBe("client_key=ours&a=b")
  })

  it("keeps the rest of the URL", () => {
    const url = new URL("https://vendor.test/authorize?client_id=c&scope=a%20b#wechat_redirect")
    expect(withRenamedParameter(url, "client_id", "appid").href).toBe(
      "https://vendor.test/authorize?appid=c&scope=a+b#wechat_redirect",
    )
  })
})
