import { describe, expect, it } from "vitest"
import { findMount, toPublicPage } from "./app-paths.js"

interface Said {
  readonly configured?: string
  readonly fromEnv?: string
  readonly appPath?: string
}

describe("findMount", () => {
  it.each<[string, Said, string, string]>([
    ["nothing is said", {}, "/api/auth", "/api/auth"],
    ["AUTH_URL has no path", { fromEnv: "/" }, "/api/auth", "/api/auth"],
    ["AUTH_URL has another", { fromEnv: "/auth" }, "/auth", "/auth"],
    ["the configuration says it", { configured: "auth/", fromEnv: "/other" }, "/auth", "/auth"],
    ["a proxy takes the beginning away", { fromEnv: "/shop/api/auth" }, "/api/auth", "/shop/api/auth"],
    [
      "a proxy takes the beginning of another away",
      { configured: "/auth", fromEnv: "/shop/auth" },
      "/auth",
      "/shop/auth",
    ],
    ["Next has a base path", { appPath: "/sub" }, "/api/auth", "/sub/api/auth"],
    ["the configuration repeats Next's", { configured: "/sub/auth", appPath: "/sub" }, "/auth", "/sub/auth"],
    ["AUTH_URL repeats Next's", { fromEnv: "/sub/api/auth", appPath: "/sub" }, "/api/auth", "/sub/api/auth"],
    ["AUTH_URL repeats Next's alone", { fromEnv: "/sub", appPath: "/sub" }, "/api/auth", "/sub/api/auth"],
    ["AUTH_URL does not know Next's", { fromEnv: "/auth", appPath: "/sub" }, "/auth", "/sub/auth"],
    [
      "a proxy stands before Next's",
      { fromEnv: "/shop/sub/api/auth", appPath: "/sub" },
      "/api/auth",
      "/shop/sub/api/auth",
    ],
  ])("knows both paths where %s", (_, { configured, fromEnv, appPath = "" }, path, publicPath) => {
    expect(findMount(configured, fromEnv, appPath)).toEqual({ path, publicPath })
  })

  it("leaves an option of another type to the core", () => {
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
  ])("takes %s to %s", (page, expected) => {
    expect(toPublicPage(page, "/sub")).toBe(expected)
    expect(toPublicPage(page, "")).toBe(page)
  })
})
