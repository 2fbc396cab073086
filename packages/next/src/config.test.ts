import { describe, expect, it } from "vitest"
import { findMount, toPublicPage } from "./config.js"

interface Given {
  readonly configured?: string
  readonly fromEnv?: string
  readonly appPath?: string
}

describe("findMount", () => {
  it.each<[string, Given, string, string]>([
    ["nothing is set", {}, "/api/auth", "/api/auth"],
    ["AUTH_URL has no path", { fromEnv: "/" }, "/api/auth", "/api/auth"],
    ["AUTH_URL has another path", { fromEnv: "/auth" }, "/auth", "/auth"],
    ["the configuration sets it", { configured: "auth/", fromEnv: "/other" }, "/auth", "/auth"],
    ["a proxy removes a prefix", { fromEnv: "/shop/api/auth" }, "/api/auth", "/shop/api/auth"],
    ["a proxy removes a prefix of another path", { configured: "/auth", fromEnv: "/shop/auth" }, "/auth", "/shop/auth"],
    ["Next has a base path", { appPath: "/sub" }, "/api/auth", "/sub/api/auth"],
    ["the configuration includes Next's base path", { configured: "/sub/auth", appPath: "/sub" }, "/auth", "/sub/auth"],
    ["AUTH_URL includes Next's base path", { fromEnv: "/sub/api/auth", appPath: "/sub" }, "/api/auth", "/sub/api/auth"],
    ["AUTH_URL is only Next's base path", { fromEnv: "/sub", appPath: "/sub" }, "/api/auth", "/sub/api/auth"],
    ["AUTH_URL lacks Next's base path", { fromEnv: "/auth", appPath: "/sub" }, "/auth", "/sub/auth"],
    ["the paths have other letters", { configured: "/café/é", appPath: "/café" }, "/%C3%A9", "/caf%C3%A9/%C3%A9"],
    ["AUTH_URL has them", { fromEnv: "/caf%C3%A9/api/auth", appPath: "/café" }, "/api/auth", "/caf%C3%A9/api/auth"],
    [
      "a proxy removes a prefix before Next's base path",
      { fromEnv: "/shop/sub/api/auth", appPath: "/sub" },
      "/api/auth",
      "/shop/sub/api/auth",
    ],
  ])("finds both paths when %s", (_, { configured, fromEnv, appPath = "" }, path, publicPath) => {
    expect(findMount(configured, fromEnv, appPath)).toEqual({ path, publicPath })
  })

  it("leaves an option of the wrong type to the core", () => {
    expect(findMount(JSON.parse("4"), undefined, "").path).toBe("/api/auth")
  })
})

describe("toPublicPage", () => {
  it.each([
    ["/login", "/sub/login"],
    ["/login?a=/x", "/sub/login?a=/x"],
    ["/", "/sub"],
    ["/sub", "/sub"],
    ["/sub/login", "/sub/login"],
    ["/subway", "/sub/subway"],
    ["//evil.test/x", "//evil.test/x"],
    ["https://app.test/login", "https://app.test/login"],
  ])("turns %s into %s", (page, expected) => {
    expect(toPublicPage(page, "/sub")).toBe(expected)
    expect(toPublicPage(page, "")).toBe(page)
  })
})
