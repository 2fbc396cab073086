import { describe, expect, it } from "vitest"
import { findAppPath, toAppPath } from "./app-paths.js"

describe("toAppPath", () => {
  it.each([
    ["base of SvelteKit 2", { base: "/shop" }, "/shop/auth"],
    ["an empty base", { base: "" }, "/auth"],
    ["resolve of SvelteKit 3", { resolve: (path: string) => `/shop${path}` }, "/shop/auth"],
    ["both", { base: "/shop", resolve: () => "../auth" }, "/shop/auth"],
    ["neither", {}, "/auth"],
  ])("follows %s", (_, paths, expected) => {
    expect(toAppPath("/auth", paths)).toBe(expected)
  })
})

describe("findAppPath", () => {
  it("leaves a path as it is outside of SvelteKit's build", async () => {
    expect(await findAppPath("/auth")).toBe("/auth")
  })
})
