import { isIP } from "node:net"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseIpRange } from "../host/client-address.js"
import { toNetwork } from "../rate-limit/limiter.js"
import { isInRange, isLoopbackAddress, isLoopbackHost, parseIpAddress } from "./ip-address.js"

const networkOf = (text: string) => {
  const address = parseIpAddress(text)
  return address && toNetwork(address)
}

const contains = (range: string, text: string) => {
  const [parsed, address] = [parseIpRange(range), parseIpAddress(text)]
  if (!parsed || !address) throw new TypeError("invalid range in the test")
  return isInRange(address, parsed)
}

describe("parseIpAddress", () => {
  it.each([
    "",
    " ",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "01.2.3.4",
    "1.2.3.4 ",
    "0x7f.1",
    "2130706433",
    "::1]",
    "[::1]",
    ":",
    ":::",
    "1::2::3",
    "12345::",
    "::ffff:1.2.3.256",
    "::1%",
    "fe80::1%eth0%1",
    "localhost",
    "1.2.3.4:80",
    "::1/64",
    `${"0:".repeat(20)}1`,
  ])("rejects %j", (text) => {
    expect(parseIpAddress(text)).toBeNull()
  })

  it.each(["a", ":", ".", "1", "%", "1.", "::", "f:"])("LIM-08: rejects a hundred thousand times %j", (piece) => {
    expect(parseIpAddress(piece.repeat(100_000))).toBeNull()
    expect(parseIpRange(piece.repeat(100_000))).toBeNull()
  })

  it("recognizes embedded IPv4 addresses", () => {
    const plain = parseIpAddress("192.0.2.1")
    expect(plain).toEqual({ version: 4, value: 0xc000_0201n })
    for (const text of ["::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:192.0.2.1", "64:ff9b::192.0.2.1"]) {
      expect(parseIpAddress(text), text).toEqual(plain)
    }
  })

  it("drops the zone of a link-local address", () => {
    expect(parseIpAddress("fe80::1%eth0")).toEqual(parseIpAddress("fe80::1"))
  })

  it("agrees with the platform on which texts are addresses", () => {
    const text = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ unit: fc.constantFrom(..."0123456789abcdef:.%"), maxLength: 45 }),
    )
    fc.assert(
      fc.property(text, (candidate) => {
        expect(parseIpAddress(candidate) !== null, candidate).toBe(isIP(candidate) !== 0)
      }),
      { numRuns: 3000 },
    )
  })

  it("parses all notations of an address to the same value", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const long = groups.map((group) => group.toString(16).padStart(4, "0")).join(":")
        const short = new URL(`http://[${long}]/`).hostname.slice(1, -1)
        expect(parseIpAddress(long.toUpperCase())).toEqual(parseIpAddress(short))
      }),
    )
  })
})

describe("parseIpRange", () => {
  it.each([
    "",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0.0/ 8",
    "10.0.0.0/08x",
    "::/129",
    "x/8",
  ])("rejects %j", (text) => expect(parseIpRange(text)).toBeNull())

  it.each([
    ["10.0.0.0/8", "10.255.255.255", true],
    ["10.0.0.0/8", "11.0.0.0", false],
    ["10.1.2.3/8", "10.9.9.9", true],
    ["192.0.2.1", "192.0.2.1", true],
    ["192.0.2.1", "192.0.2.2", false],
    ["192.0.2.0/31", "192.0.2.2", false],
    ["::ffff:10.0.0.0/104", "10.1.1.1", true],
    ["10.0.0.0/8", "::ffff:10.1.1.1", true],
    ["2001:db8::/32", "2001:db8:ffff::1", true],
    ["2001:db8::/32", "2001:db9::1", false],
    ["::/1", "10.0.0.1", false],
  ])("%s and %s: %s", (range, address, expected) => {
    expect(contains(range, address)).toBe(expected)
  })

  it("contains exactly the addresses with its leading bits", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (one, other, length) => {
        const bits = (text: string) =>
          text
            .split(".")
            .map((part) => Number(part).toString(2).padStart(8, "0"))
            .join("")
            .slice(0, length)
        expect(contains(`${one}/${length}`, other)).toBe(bits(one) === bits(other))
      }),
    )
  })
})

describe("toNetwork", () => {
  it("RATE-04: is the same for all addresses of a /64, and differs between them", () => {
    expect(networkOf("2001:db8:1:2::1")).toBe(networkOf("2001:db8:1:2:ffff:ffff:ffff:ffff"))
    expect(networkOf("2001:db8:1:2::1")).not.toBe(networkOf("2001:db8:1:3::1"))
  })

  it("differs for each IPv4 address, and is the same for its mapped form", () => {
    expect(networkOf("192.0.2.1")).not.toBe(networkOf("192.0.2.2"))
    expect(networkOf("::ffff:192.0.2.1")).toBe(networkOf("192.0.2.1"))
    expect(networkOf("::ffff:192.0.2.1")).not.toBe(networkOf("::ffff:192.0.2.2"))
    expect(networkOf("0.0.0.1")).not.toBe(networkOf("0:0:0:1::1"))
  })
})

describe("isLoopbackAddress", () => {
  it.each([
    ["127.0.0.1", true],
    ["127.9.9.9", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["128.0.0.1", false],
    ["::2", false],
    ["localhost", false],
    ["", false],
  ])("%j: %s", (text, expected) => expect(isLoopbackAddress(text)).toBe(expected))
})

describe("isLoopbackHost", () => {
  const hostOf = (url: string) => new URL(url).hostname

  it.each(["http://localhost", "http://127.1", "http://[::1]"])("accepts %s", (url) => {
    expect(isLoopbackHost(hostOf(url))).toBe(true)
  })

  it.each(["http://localhost.evil.test", "http://127.0.0.1.evil.test", "http://[::2]"])("rejects %s", (url) => {
    expect(isLoopbackHost(hostOf(url))).toBe(false)
  })
})
