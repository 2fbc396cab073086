import { describe, expect, it } from "vitest"
import { findSettings } from "../src/config.js"
import { testConfig, toQrl } from "./config.js"
import { createEvent } from "./events.js"

describe("findSettings", () => {
  it("calls a function without parameters no more once it returned", async () => {
    let calls = 0
    const find = toQrl(() => {
      calls += 1
      return testConfig()
    })
    const both = await Promise.all([findSettings(find, createEvent("/")), findSettings(find, createEvent("/"))])
    expect(await findSettings(find, createEvent("/"))).toBe(both[0])
    expect(both[0]).toBe(both[1])
    const before = calls
    await findSettings(find, createEvent("/"))
    expect(calls).toBe(before)
  })

  it("does not wait for a call that never ends, as on an edge platform whose visitor left", async () => {
    const configs = [new Promise<never>(() => {}), testConfig()]
    const find = toQrl(() => configs.shift() ?? expect.fail("called too often"))
    void findSettings(find, createEvent("/"))
    expect((await findSettings(find, createEvent("/"))).basePath).toBe("/auth")
    expect((await findSettings(find, createEvent("/"))).basePath).toBe("/auth")
  })

  it("calls a function again after it failed", async () => {
    let calls = 0
    const find = toQrl(() => {
      calls += 1
      if (calls === 1) throw new TypeError("not yet")
      return testConfig()
    })
    await expect(findSettings(find, createEvent("/"))).rejects.toThrow("not yet")
    expect((await findSettings(find, createEvent("/"))).basePath).toBe("/auth")
  })

  it("calls a function with a parameter for each event", async () => {
    const [one, other] = [testConfig({ basePath: "/one" }), testConfig({ basePath: "/other" })]
    const find = toQrl((event) => (event.url.pathname === "/one" ? one : other))
    const paths = ["/one", "/other", "/one"].map(async (path) => (await findSettings(find, createEvent(path))).basePath)
    expect(await Promise.all(paths)).toEqual(["/one", "/other", "/one"])
  })

  it("reads secrets and providers from the platform's environment", async () => {
    const env = {
      AUTH_SECRET: "a secret of the platform, long enough",
      AUTH_DEMO_ID: "an id",
      AUTH_DEMO_ISSUER: "https://idp.test",
    }
    const { secret: _, ...config } = testConfig({ providers: [{ id: "demo", name: "Demo", type: "oidc" }] })
    const settings = await findSettings(
      toQrl(() => config),
      createEvent("/", { env }),
    )
    expect(settings.config.secret).toEqual([env.AUTH_SECRET])
    expect(settings.config.providers).toMatchObject([{ clientId: "an id", issuer: "https://idp.test" }])
    expect(settings.config.providers[0]).not.toHaveProperty("clientSecret")
  })
})
