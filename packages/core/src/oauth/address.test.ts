import { describe, expect, it } from "vitest"
import { assertDiscoveredUrl, isPrivateHost } from "./address.js"

const hostOf = (url: string) => new URL(url).hostname

describe("isPrivateHost", () => {
  it.each([
    "http://10.0.0.1",
    "http://0x7f.1",
    "http://2130706433",
    "http://0.0.0.0",
    "http://100.64.1.1",
    "http://169.254.169.254",
    "http://172.16.0.1",
    "http://172.31.255.255",
    "http://192.168.1.1",
    "http://198.18.0.1",
    "http://255.255.255.255",
    "http://[::]",
    "http://[::1]",
    "http://[fd00::1]",
    "http://[fe80::1]",
    "http://[::ffff:10.0.0.1]",
    "http://[::ffff:7f00:1]",
    "http://[64:ff9b::169.254.169.254]",
    "http://localhost",
    "http://localhost.",
    "http://a.localhost",
    "http://metadata.google.internal",
  ])("OAU-45: is true for %s", (url) => {
    expect(isPrivateHost(hostOf(url))).toBe(true)
  })

  it.each([
    "https://idp.test",
    "https://8.8.8.8",
    "https://172.32.0.1",
    "https://100.128.0.1",
    "https://192.169.0.1",
    "https://[2001:4860:4860::8888]",
    "https://[::ffff:8.8.8.8]",
    "https://internal.example",
    "https://fd.example",
  ])("is false for %s", (url) => {
    expect(isPrivateHost(hostOf(url))).toBe(false)
  })
})

describe("assertDiscoveredUrl", () => {
  const check = (url: string, from: string, allowInsecureRequests = false) =>
    assertDiscoveredUrl(new URL(url), new URL(from), { endpoint: "token", allowInsecureRequests })

  it.each([
    "http://127.0.0.1:6379/",
    "http://169.254.169.254/",
    "file:///etc/passwd",
    "https://10.0.0.1/",
    "https://[fd00::1]/",
  ])("OAU-45: rejects %s in a document from a public address", (url) => {
    expect(() => check(url, "https://idp.test/")).toThrow(expect.objectContaining({ code: "address-refused" }))
  })

  it("rejects plain http in a document that came over https, even if plain http is allowed", () => {
    expect(() => check("http://idp.test/token", "https://idp.test/", true)).toThrow(/plain http/)
  })

  it("accepts private addresses in a document from a private address", () => {
    expect(() => check("http://127.0.0.1:8080/token", "http://localhost:8080/")).not.toThrow()
    expect(() => check("https://10.0.0.2/token", "https://10.0.0.1/")).not.toThrow()
    expect(() => check("http://idp.corp.internal/token", "http://idp.corp.internal/", true)).not.toThrow()
    expect(() => check("https://login.example/token", "https://idp.test/")).not.toThrow()
  })
})
