import { describe, expect, it } from "vitest"
import { readDemoOptions } from "./demo-options.js"

describe("readDemoOptions", () => {
  it.each(["http", "-1", "65536", "3000.5", "1e3", " 80"])("refuses the port %j and names the variable", (text) => {
    expect(() => readDemoOptions({ PORT: text }, "/data")).toThrow(/^PORT must be/)
    expect(() => readDemoOptions({ LATCHKEY_DEMO_SMTP_PORT: text }, "/data")).toThrow(
      /^LATCHKEY_DEMO_SMTP_PORT must be/,
    )
  })

  it("leaves out what the environment does not say", () => {
    expect(readDemoOptions({ PORT: "" }, "/data")).toEqual({ dataFolder: "/data", ports: {} })
  })

  it("reads the data folder and every port", () => {
    const env = {
      LATCHKEY_DEMO_DATA: "/other",
      PORT: "8080",
      LATCHKEY_DEMO_IDP_PORT: "0",
      LATCHKEY_DEMO_SMTP_PORT: "65535",
    }
    expect(readDemoOptions(env, "/data")).toEqual({
      dataFolder: "/other",
      ports: { app: 8080, identityProvider: 0, smtp: 65_535 },
    })
  })
})
