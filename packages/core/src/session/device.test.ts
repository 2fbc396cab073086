import { recordingLogger } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { resolveConfig } from "../config/resolve.js"
import { readCookies } from "../http/cookies.js"
import { createLog } from "../log/log.js"
import { createDescribeDevice, nameDevice } from "./device.js"
import type { DeviceCallback } from "./tracking.js"

const config = resolveConfig({ providers: [], trustedProxies: ["10.0.0.0/8"] }, { isProduction: false })

async function describeWith(device?: DeviceCallback, headers: Record<string, string> = {}, clientAddress?: string) {
  const logger = recordingLogger()
  const describe = createDescribeDevice(device, config, createLog(logger))
  const url = new URL("https://app.test/auth/callback/cred")
  const context = clientAddress === undefined ? {} : { clientAddress }
  const request = { headers: new Headers(headers), url, cookies: readCookies(null), context }
  return { device: await describe(request), logger }
}

describe("createDescribeDevice", () => {
  it.each([
    ["192.0.2.77", "192.0.2.0/24"],
    ["2001:db8:7:8:9::1", "2001:db8:7::/48"],
    ["::ffff:198.51.100.9", "198.51.100.0/24"],
    ["2001:db8::1", "2001:db8::/48"],
  ])("keeps the network of %s, not the address", async (address, network) => {
    expect((await describeWith(undefined, {}, address)).device).toEqual({ userAgent: null, network, label: null })
  })

  it.each(["127.0.0.1", "::1", "::ffff:127.0.0.2"])(
    "keeps no network of %s, which is this machine",
    async (address) => {
      expect((await describeWith(undefined, {}, address)).device.network).toBeNull()
    },
  )

  it("finds the client's network behind a trusted proxy", async () => {
    const { device } = await describeWith(undefined, { "x-forwarded-for": "198.51.100.9" }, "10.1.2.3")
    expect(device.network).toBe("198.51.100.0/24")
  })

  it("SESS-06: keeps text of one line: no control, format or surrogate characters, and at most 256 characters", async () => {
    const device = () => ({
      userAgent: `a\u0000b\u202Ec\r\nd\uD800${"x".repeat(300)}`,
      network: "n".repeat(99),
      label: "\u0007",
    })
    const kept = (await describeWith(device)).device
    expect(kept.userAgent).toBe(`a b c d ${"x".repeat(248)}`)
    expect([kept.network?.length, kept.label]).toEqual([64, null])
  })

  it("keeps nothing when the app's function returns null, anything but text, or throws, which is logged", async () => {
    const nothing = { userAgent: null, network: null, label: null }
    expect((await describeWith(() => null, { "user-agent": "x" })).device).toEqual(nothing)
    expect((await describeWith(() => ({ userAgent: 7 }) as never)).device).toEqual(nothing)
    const { device, logger } = await describeWith(() => {
      throw new Error("no geography")
    })
    expect(device).toEqual(nothing)
    expect(logger.errors.map(({ message }) => message)).toEqual(["session.track: device failed"])
  })

  it("waits for the app's function, whose failure is logged", async () => {
    expect((await describeWith(async () => ({ network: "Oslo" }))).device.network).toBe("Oslo")
    const { device, logger } = await describeWith(() => Promise.reject(new Error("no geography")))
    expect(device).toEqual({ userAgent: null, network: null, label: null })
    expect(logger.errors.map(({ message }) => message)).toEqual(["session.track: device failed"])
  })
})

describe("nameDevice", () => {
  it.each([
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Windows"],
    [
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
      "Chrome on Linux",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
      "Edge on Windows",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15",
      "Safari on macOS",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
    ],
    [
      "Mozilla/5.0 (Linux; Android 15; SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
      "Samsung Internet on Android",
    ],
    ["curl/8.11.0", "curl"],
    ["something else", null],
    [null, null],
  ])("names %s", (userAgent, name) => {
    expect(nameDevice(userAgent)).toBe(name)
  })
})
