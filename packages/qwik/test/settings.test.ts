import { describe, expect, it } from "vitest"
import { findSettings } from "../src/settings.js"
import { testConfig, toQrl } from "./config.js"
import { visit } from "./visits.js"

describe("the configuration", () => {
  it("is asked for once when it asks for no event", async () => {
    let calls = 0
    const find = toQrl(() => {
      calls += 1
      return testConfig()
    })
    const both = await Promise.all([findSettings(find, visit("/")), findSettings(find, visit("/"))])
    expect(await findSettings(find, visit("/"))).toBe(both[0])
    expect([both[0] === both[1], calls]).toEqual([true, 1])
  })

  it("is asked for again after it failed", async () => {
    let calls = 0
    const find = toQrl(() => {
      calls += 1
      if (calls === 1) throw new TypeError("not yet")
      return testConfig()
    })
    await expect(findSettings(find, visit("/"))).rejects.toThrow("not yet")
    expect((await findSettings(find, visit("/"))).basePath).toBe("/auth")
  })

  it("may be another one for each event", async () => {
    const [one, other] = [testConfig({ basePath: "/one" }), testConfig({ basePath: "/other" })]
    const find = toQrl((event) => (event.url.pathname === "/one" ? one : other))
    const paths = ["/one", "/other", "/one"].map(async (path) => (await findSettings(find, visit(path))).basePath)
    expect(await Promise.all(paths)).toEqual(["/one", "/other", "/one"])
  })

  it("takes secrets and providers from the environment of the platform", async () => {
    const env = {
      AUTH_SECRET: "a secret of the platform, long enough",
      AUTH_DEMO_ID: "an id",
      AUTH_DEMO_ISSUER: "https://idp.test",
    }
    const { secret: _, ...config } = testConfig({ providers: [{ id: "demo", name: "Demo", type: "oidc" }] })
    const settings = await findSettings(
      toQrl(() => config),
      visit("/", { env }),
    )
    expect(settings.config.secret).toEqual([env.AUTH_SECRET])
    expect(settings.config.providers).toMatchObject([{ clientId: "an id", issuer: "https://idp.test" }])
    expect(settings.config.providers[0]).not.toHaveProperty("clientSecret")
  })
})
