import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findClient, parseIpRange } from "../host/client-address.js"
import type { AuthContext } from "../types/http.js"
import { type IpAddress, parseIpAddress } from "./ip-address.js"

interface Arrival extends AuthContext {
  readonly headers?: Record<string, string>
  readonly trusted?: readonly string[]
}

function find({ headers = {}, trusted = [], ...context }: Arrival) {
  const ranges = trusted.map((text) => {
    const range = parseIpRange(text)
    if (!range) throw new TypeError("invalid range in the test")
    return range
  })
  return findClient(new Headers(headers), context, ranges)
}

const at = (text: string): { readonly address: IpAddress | null } => ({ address: parseIpAddress(text) })
const unknown = { address: null, reason: "no-address" }
const proxy = "10.0.0.1"

describe("findClient without trusted proxies", () => {
  it.each(["x-forwarded-for", "forwarded", "x-real-ip", "cf-connecting-ip", "x-client-ip", "true-client-ip"])(
    "RATE-02: ignores %s",
    (name) => {
      for (const value of ["6.6.6.6", "for=6.6.6.6"]) {
        expect(find({ clientAddress: "198.51.100.7", headers: { [name]: value } })).toEqual(at("198.51.100.7"))
      }
    },
  )

  it.each([undefined, "", "unknown", "/run/app.sock"])(
    "RATE-08: finds no client for the address %j",
    (clientAddress) => {
      expect(find({ clientAddress, headers: { "x-forwarded-for": "6.6.6.6" } })).toEqual(unknown)
    },
  )

  it.each(["127.0.0.1", "10.1.2.3", "172.20.0.1", "192.168.0.1", "::1", "::ffff:127.0.0.1", "fd00::1", "fe80::1"])(
    "finds no client behind the local address %s that forwards",
    (clientAddress) => {
      const forwarding = find({ clientAddress, headers: { "x-forwarded-for": "6.6.6.6" } })
      expect(forwarding).toEqual({ address: null, reason: "unnamed-proxy" })
      expect(find({ clientAddress })).toEqual(at(clientAddress))
    },
  )

  it("accepts an address that a framework determined", () => {
    const headers = { "x-forwarded-for": "6.6.6.6, 10.1.2.3" }
    expect(find({ clientAddress: "10.1.2.3", isForwarded: true, headers })).toEqual(at("10.1.2.3"))
  })
})

describe("findClient with trusted proxies", () => {
  it("ignores headers from an untrusted peer", () => {
    const headers = { "x-forwarded-for": "6.6.6.6" }
    expect(find({ clientAddress: "10.0.0.2", trusted: [proxy], headers })).toEqual(at("10.0.0.2"))
  })

  it.each([
    ["RATE-03: the right-most address that is not a proxy", "6.6.6.6, 1.2.3.4, 10.0.0.1", "1.2.3.4"],
    ["the only address", "1.2.3.4", "1.2.3.4"],
    ["an address with a port", "6.6.6.6, 1.2.3.4:5678", "1.2.3.4"],
    ["an IPv6 address with a port", "[2001:db8::1]:5678", "2001:db8::1"],
    ["a mapped IPv4 address", "::ffff:1.2.3.4", "1.2.3.4"],
    ["the first if all are proxies", "10.0.0.1, 10.0.0.1", "10.0.0.1"],
  ])("reads X-Forwarded-For: %s", (_, list, expected) => {
    const headers = { "x-forwarded-for": list }
    expect(find({ clientAddress: proxy, trusted: [proxy], headers })).toEqual(at(expected))
  })

  it.each([
    ['for=6.6.6.6, for="[2001:db8:cafe::17]:4711"', "2001:db8:cafe::17"],
    ["for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"],
    ["by=203.0.113.43; For=192.0.2.43", "192.0.2.43"],
    ['for=6.6.6.6, for="192.0.2.43:80", for=10.0.0.1', "192.0.2.43"],
    ['for="6.6.6.6, for=192.0.2.43', "192.0.2.43"],
  ])("reads Forwarded %j as RFC 7239 defines it", (forwarded, expected) => {
    expect(find({ clientAddress: proxy, trusted: [proxy], headers: { forwarded } })).toEqual(at(expected))
  })

  it.each(["unknown", "_hidden", "", "6.6.6.6, junk", "6.6.6.6,", "1.2.3.4 5.6.7.8", "[1.2.3.4]"])(
    "finds no client if the proxy wrote %j",
    (list) => {
      for (const headers of [{ "x-forwarded-for": list }, { forwarded: list.replace(/[^, ]+/g, "for=$&") }]) {
        expect(find({ clientAddress: proxy, trusted: [proxy], headers }), JSON.stringify(headers)).toEqual(unknown)
      }
    },
  )

  it("uses the proxy's own address if it forwards nothing", () => {
    expect(find({ clientAddress: proxy, trusted: [proxy] })).toEqual(at(proxy))
  })

  it("RATE-02: ignores two headers that disagree, and uses the address of the proxy", () => {
    const trusted = ["10.0.0.0/8"]
    const told = { "x-forwarded-for": "1.2.3.4", forwarded: "for=6.6.6.6" }
    expect(find({ clientAddress: proxy, trusted, headers: told })).toEqual(at(proxy))
    const same = { "x-forwarded-for": "9.9.9.9, 1.2.3.4", forwarded: "for=1.2.3.4" }
    expect(find({ clientAddress: proxy, trusted, headers: same })).toEqual(at("1.2.3.4"))
  })

  it("is not affected by entries that the client sends", () => {
    const junk = fc.string({ maxLength: 60 }).map((text) => text.replace(/[^\x20-\x7e]/g, ""))
    const visitor = fc.ipV4().filter((text) => !text.startsWith("10."))
    fc.assert(
      fc.property(junk, visitor, fc.boolean(), (left, address, isStandard) => {
        const headers: Record<string, string> = isStandard
          ? { forwarded: `${left}, for=${address}` }
          : { "x-forwarded-for": `${left}, ${address}, 10.0.0.2` }
        expect(find({ clientAddress: proxy, trusted: ["10.0.0.0/8"], headers })).toEqual(at(address))
      }),
      { numRuns: 1000 },
    )
  })
})
