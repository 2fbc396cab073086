import { afterEach, describe, expect, it, vi } from "vitest"
import { findEnvironment } from "./environment.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("findEnvironment", () => {
  it("takes what the app hands over before what the process has", async () => {
    vi.stubEnv("AUTH_SECRET", "the process's")
    vi.stubEnv("AUTH_URL", "https://app.test")
    const found = await findEnvironment({ AUTH_SECRET: "the app's" })
    expect([found["AUTH_SECRET"], found["AUTH_URL"]]).toEqual(["the app's", "https://app.test"])
  })

  it("leaves out what is no text", async () => {
    const found = await findEnvironment({ PORT: 3000, AUTH_URL: new URL("https://app.test"), AUTH_SECRET: undefined })
    expect(found).not.toHaveProperty("PORT")
    expect(found["AUTH_URL"]).toBe(process.env["AUTH_URL"])
  })

  it("does with the process alone outside of SvelteKit's build", async () => {
    vi.stubEnv("AUTH_SECRET", "the process's")
    expect((await findEnvironment(undefined))["AUTH_SECRET"]).toBe("the process's")
  })

  it("counts as production once it was built, unless something says otherwise", async () => {
    vi.stubEnv("PROD", true)
    vi.stubEnv("NODE_ENV", undefined)
    expect((await findEnvironment({}))["NODE_ENV"]).toBe("production")
    expect((await findEnvironment({ NODE_ENV: "test" }))["NODE_ENV"]).toBe("test")
  })
})
