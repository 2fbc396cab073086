import { describe, expect, it } from "vitest"
import { findAppPath, toAppPath } from "./app-paths.js"

describe("toAppPath", () => {
  it.each([
    ["base in SvelteKit 2", { base: "/shop" }, "/shop/auth"],
    ["an empty base", { base: "" }, "/auth"],
    ["resolve in SvelteKit 3", { resolve: (path: string) => `/shop${path}` }, "/shop/auth"],
    ["both", { base: "/shop", resolve: () => "../auth" }, "/shop/auth"],
    ["neither", {}, "/auth"],
  ])("uses %s", (_, paths, expected) => {
    expect(toAppPath("/auth", paths)).toBe(expected)
  })
})

describe("findAppPath", () => {
  it("returns the path unchanged outside SvelteKit's build", async () => {
    expect(await findAppPath("/auth")).toBe("/auth")
  })
})
