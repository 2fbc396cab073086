import { describe, expect, it } from "vitest"
import { isServicePath } from "./is-service-path.js"

describe("isServicePath", () => {
  it.each([
    "/auth",
    "/auth/",
    "/auth/unheard-of",
    "/auth/__proto__",
    "/auth/session/of/ada",
    "/auth/Session",
    "/authsession",
    "/session",
    "/other/auth/session",
  ])("leaves %s to the host", (path) => {
    expect(isServicePath(path, "/auth")).toBe(false)
  })

  it.each(["/auth/session", "/auth/signin/github", "/auth/callback/github/", "/auth/style.css", "/auth/webauthn.js"])(
    "knows %s",
    (path) => {
      expect(isServicePath(path, "/auth")).toBe(true)
    },
  )

  it("knows the actions of a service at the root", () => {
    expect([isServicePath("/session", ""), isServicePath("/about", "")]).toEqual([true, false])
  })
})
