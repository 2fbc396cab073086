import { isIP } from "node:net"
import { EmailSignInError, UnknownAction, UntrustedHost } from "../../../src/errors/errors.js"
import { findClient, parseIpRange } from "../../../src/host/client-address.js"
import { normalizeEmailAddress } from "../../../src/host/email-address.js"
import { parseIpAddress } from "../../../src/http/ip-address.js"
import { createAllowedOrigins, describeHost, resolveOrigin, validateOrigin } from "../../../src/http/origin.js"
import { parseAuthPath } from "../../../src/http/request.js"
import { type FuzzTarget, fromLatin1, fromText, promise, toLatin1, toText } from "../engine/target.js"

const allowed = createAllowedOrigins(["https://app.test", "https://*.ok.test"])

/** The headers Host, X-Forwarded-Proto and X-Forwarded-Host, one value per line. */
export const hosts: FuzzTarget = {
  name: "hosts",
  seeds: () =>
    ["app.test\nhttps\nx.ok.test", "[::1]:3000\nhttp\na.test, b.test", "user@evil.test/x?\nftp\n0x7f.1"].map(
      fromLatin1,
    ),
  dictionary: [
    "\n",
    "app.test",
    ".ok.test",
    "@",
    ":443",
    ":99999",
    "[::1]",
    "https",
    "http:",
    "0x7f.1",
    "127.1",
    "%2e",
    ",",
    "\\",
    "/",
    "?",
    "#",
    "xn--",
  ],
  maxLength: 1_024,
  work: { perByte: 20, perInput: 3_000 },
  check(input) {
    const [host = "", protocol = "", forwarded = ""] = toLatin1(input).split("\n")
    const headers = new Map([
      ["host", host],
      ["x-forwarded-proto", protocol],
      ["x-forwarded-host", forwarded],
    ])
    const shown = describeHost(headers)
    promise(
      /^(?:none|"[\w.:[\]?-]*\.{0,3}" \(the header (?:Host|X-Forwarded-Host)\))$/.test(shown),
      "a host is shown as plain text",
    )
    promise(
      validateOrigin(host) === null || typeof validateOrigin(host) === "string",
      "a validation error is a sentence",
    )
    for (const trustProxy of [true, false]) assertOrigin(headers, trustProxy)
  },
}

function assertOrigin(headers: ReadonlyMap<string, string>, trustProxy: boolean): void {
  let origin: string
  try {
    origin = resolveOrigin(headers, { trustProxy })
  } catch (error) {
    if (error instanceof UntrustedHost) return
    throw error
  }
  const url = new URL(origin)
  promise(url.origin === origin, "an origin is written as browsers write it")
  promise(`${url.username}${url.password}${url.search}${url.hash}` === "", "a header brings no user, query or fragment")
  // An IPv6 address has many spellings; URLs use one.
  const named =
    url.host.startsWith("[") || [...headers.values()].some((value) => value.toLowerCase().includes(url.hostname))
  promise(named, "a host is the one that a header names")
  if (!allowed.includes(url)) return
  promise(
    origin === "https://app.test" || /^https:\/\/[a-z0-9_-]+\.ok\.test$/.test(origin),
    "only listed origins are allowed",
  )
}

/** IP addresses, and the headers in which proxies forward them. */
export const networks: FuzzTarget = {
  name: "networks",
  seeds: () =>
    [
      "6.6.6.6, 1.2.3.4, 10.0.0.1",
      'for=192.0.2.60;proto=http, For="[2001:db8::1]:80"',
      "::ffff:192.0.2.1",
      "fe80::1%eth0",
      "64:ff9b::c000:201",
    ].map(fromLatin1),
  dictionary: [
    "for=",
    '"[',
    ']"',
    "::",
    "ffff:",
    ", ",
    "%eth0",
    "/24",
    "/128",
    "unknown",
    "_hidden",
    "255",
    "0x",
    "10.0.0.1",
    ":80",
  ],
  maxLength: 1_024,
  work: { perByte: 200, perInput: 5_000 },
  check(input) {
    const text = toLatin1(input).replace(/[^\x20-\x7e]/g, "?")
    for (const part of text.split(/[ ,]+/).slice(0, 20)) {
      const address = parseIpAddress(part)
      if (address)
        promise(isIP(part) !== 0 || isIP(part.split("%", 1)[0] ?? "") !== 0, "a parsed address is an IP address")
      if (isIP(part) === 4) promise(address?.version === 4, "every IPv4 address is parsed")
      const range = parseIpRange(part)
      if (range) promise(range.prefixLength >= 0 && range.prefixLength <= 128, "a range has 0 to 128 bits")
    }
    const trusted = [parseIpRange("10.0.0.0/8")].flatMap((range) => range ?? [])
    for (const name of ["x-forwarded-for", "forwarded"]) {
      const { address } = findClient(new Headers({ [name]: text }), { clientAddress: "203.0.113.9" }, trusted)
      promise(address?.value === 0xcb007109n, "a client cannot choose its own address")
    }
    findClient(new Headers({ "x-forwarded-for": text, forwarded: text }), { clientAddress: "10.0.0.1" }, trusted)
  },
}

/** Paths below the base path. */
export const paths: FuzzTarget = {
  name: "paths",
  seeds: () =>
    [
      "/auth/signin/oidc",
      "/auth/session",
      "/auth//callback/%2e%2e/x",
      "/auth/webauthn-options/key?action=register",
    ].map(fromText),
  dictionary: [
    "/auth/",
    "signin",
    "callback/",
    "session",
    "..",
    "%2f",
    "%2e",
    "//",
    "\\",
    "__proto__",
    "?",
    "#",
    ";",
    "style.css",
  ],
  maxLength: 1_024,
  work: { perByte: 20, perInput: 2_000 },
  check(input) {
    const url = URL.parse(`https://app.test/${toText(input).replace(/^\/+/, "")}`)
    if (!url) return
    try {
      const { route, providerId } = parseAuthPath(url.pathname, { basePath: "/auth" })
      promise(url.pathname.startsWith("/auth/"), "a route is below the base path")
      promise(url.pathname.includes(route), "a route is part of the path")
      promise(providerId === undefined || /^[^/]+$/.test(providerId), "a provider id is one path segment")
    } catch (error) {
      if (!(error instanceof UnknownAction)) throw error
    }
  },
}

/** Email addresses. */
export const emailAddresses: FuzzTarget = {
  name: "email-addresses",
  seeds: () =>
    [
      "V@Corp.test",
      "a+b@sub.b\u00fccher.example",
      '"v@corp.test"@evil.test',
      "a@evil.test,v@corp.test",
      "=?utf-8?q?v?=@e.test",
    ].map(fromText),
  dictionary: [
    "@",
    ".",
    "corp.test",
    '"',
    ",",
    ";",
    "<",
    ">",
    "(",
    "\r\n",
    "\0",
    "\uff20",
    "\u3002",
    "xn--",
    "=?",
    "%0a",
    "\u212a",
    "\u0130",
    "[127.0.0.1]",
  ],
  maxLength: 1_024,
  work: { perByte: 20, perInput: 2_000 },
  check(input) {
    const text = toText(input)
    try {
      const address = normalizeEmailAddress(text)
      promise(/^[!-?A-~]+@[a-z0-9.-]+$/.test(address), "an address is one plain address")
      promise(
        !/[",:;<>()[\]\\A-Z]/.test(address),
        "an address has no character that mail servers interpret differently",
      )
      promise(address.length <= 254, "an address has at most 254 characters")
      promise(!address.includes("=?"), "an address contains no encoded word")
      promise(normalizeEmailAddress(address) === address, "normalizing an address twice changes nothing")
    } catch (error) {
      if (!(error instanceof EmailSignInError)) throw error
      promise(text.length < 8 || !error.message.includes(text), "an error message does not repeat the address")
    }
  },
}
