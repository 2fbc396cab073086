import { describe, expect, it } from "vitest"
import { isRedirectUri, matchesRedirectUri, toFormTarget, withAnswer } from "./redirect-uri.js"

const registered = [
  "http://127.0.0.1/callback",
  "http://[::1]/callback",
  "https://app.example/native",
  "com.example.app:/callback",
]

describe("a redirect URI of a native app", () => {
  it.each([
    "http://127.0.0.1/callback",
    "http://127.0.0.1:1/callback",
    "http://127.0.0.1:65535/callback",
    "http://[::1]:51004/callback",
    "https://app.example/native",
    "com.example.app:/callback",
  ])("is accepted: %s", (uri) => {
    expect([isRedirectUri(uri), matchesRedirectUri(uri, registered)]).toEqual([true, true])
  })

  it.each([
    ["another host", "http://127.0.0.2:51004/callback"],
    ["a name for the loopback interface", "http://localhost:51004/callback"],
    ["another path", "http://127.0.0.1:51004/other"],
    ["a longer path", "http://127.0.0.1:51004/callback/more"],
    ["a slash at the end", "http://127.0.0.1:51004/callback/"],
    ["a query", "http://127.0.0.1:51004/callback?next=1"],
    ["a fragment", "http://127.0.0.1:51004/callback#x"],
    ["a path that leads back", "http://127.0.0.1:51004/other/../callback"],
    ["an encoded path", "http://127.0.0.1:51004/%63allback"],
    ["a user name", "http://127.0.0.1:80@evil.example/callback"],
    ["a host that begins with the address", "http://127.0.0.1.evil.example/callback"],
    ["a port that is none", "http://127.0.0.1:65536/callback"],
    ["port 0", "http://127.0.0.1:0/callback"],
    ["a port with a leading zero", "http://127.0.0.1:080/callback"],
    ["an address in another notation", "http://2130706433:51004/callback"],
    ["another way to write the IPv6 address", "http://[0:0:0:0:0:0:0:1]:51004/callback"],
    ["the loopback interface over https", "https://127.0.0.1:51004/callback"],
    ["a port of the claimed address", "https://app.example:8443/native"],
    ["a neighbor of the claimed address", "https://app.example.evil.example/native"],
    ["a backslash", "https://app.example\\@evil.example/native"],
    ["a scheme in capitals", "COM.EXAMPLE.APP:/callback"],
    ["a scheme that begins alike", "com.example.app.evil:/callback"],
    ["another path of the scheme", "com.example.app:/callback2"],
    ["a line break", "com.example.app:/callback\n"],
    ["no text", ""],
  ])("NAT-02: is refused with %s", (_, uri) => {
    expect(matchesRedirectUri(uri, registered)).toBe(false)
  })

  it.each([
    "myapp:/callback",
    "javascript:alert(1)//.example",
    "data:text/html,x",
    "http://app.example/native",
    "http://localhost/callback",
    "https://user@app.example/native",
    "https://app.example/native#x",
    "https://app.example/a/../native",
    "https://APP.example/native",
    "com.example.app:callback",
    "http://127.0.0.1",
    `https://app.example/${"x".repeat(512)}`,
    42,
  ])("NAT-02: cannot be registered: %s", (uri) => {
    expect(isRedirectUri(uri)).toBe(false)
  })

  it("becomes a source of the Content-Security-Policy", () => {
    const all = ["http://127.0.0.1:51004/callback", ...registered, "httpd.example.app:/callback"]
    expect(all.map(toFormTarget)).toEqual([
      "http://127.0.0.1:51004",
      "http://127.0.0.1",
      "http:",
      "https://app.example",
      "com.example.app:",
      "httpd.example.app:",
    ])
  })

  it("gets the answer after its own query", () => {
    expect(withAnswer("com.example.app:/callback", { code: "a b" })).toBe("com.example.app:/callback?code=a+b")
    expect(withAnswer("https://app.example/?a=1", { code: "c" })).toBe("https://app.example/?a=1&code=c")
  })
})
