import { afterEach, describe, expect, it, vi } from "vitest"
import { isProduction } from "./environment.js"

describe("isProduction", () => {
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
  })

  it.each([
    ["production", true],
    ["development", false],
    ["", false],
  ])("with NODE_ENV %j is %s", (value, expected) => {
    vi.stubEnv("NODE_ENV", value)
    expect(isProduction()).toBe(expected)
  })

  it("is false where there is no process", () => {
    vi.stubGlobal("process", undefined)
    expect(isProduction()).toBe(false)
  })
})
