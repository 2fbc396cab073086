import { describe, expect, it, vi } from "vitest"
import type { Environment } from "../runtime/environment.js"
import { createActionURL } from "./env.js"

interface Asked {
  readonly trustHost?: boolean
  readonly allowedOrigins?: readonly string[]
  readonly protocol?: string
  readonly headers?: Record<string, string>
  readonly env?: Environment
  readonly basePath?: string
}

const warn = vi.fn()
const untrusted = expect.objectContaining({ type: "UntrustedHost" })

function urlOf({ protocol = "https", headers = { host: "app.test" }, env = {}, ...given }: Asked): string {
  warn.mockClear()
  const config = { logger: { warn }, ...given }
  return createActionURL("signin", protocol, new Headers(headers), env, config).href
}

describe("createActionURL", () => {
  it.each([
    "user@evil.test",
    "user@evil.test/x?",
    "evil.test/path",
    "evil.test?query",
    "evil.test#hash",
    "evil.test\\x",
    "app.test evil.test",
    "app.test:99999",
    "[::1",
  ])("HOST-05: refuses the host %j", (junk) => {
    for (const headers of [{ host: junk }, { host: "app.test", "x-forwarded-host": junk }]) {
      expect(() => urlOf({ headers })).toThrow(untrusted)
    }
  })

  it("HOST-05: refuses a request without a host", () => {
    expect(() => urlOf({ headers: {} })).toThrow(untrusted)
  })

  it.each(["javascript", "ftp", "https://evil.test/", "httpsx"])("HOST-04: refuses the scheme %j", (junk) => {
    expect(() => urlOf({ headers: { host: "app.test", "x-forwarded-proto": junk } })).toThrow(untrusted)
    expect(() => urlOf({ protocol: junk })).toThrow(untrusted)
  })

  it("MODE-02: returns the URL of this machine in production, where no host is configured", () => {
    const env = { NODE_ENV: "production" }
    expect(urlOf({ headers: { host: "localhost:3000" }, env, basePath: "/auth" })).toBe(
      "https://localhost:3000/auth/signin",
    )
    expect(() => urlOf({ headers: { host: "localhost:3000" }, env, trustHost: false })).toThrow(untrusted)
  })

  it.each([{ trustHost: false }, { trustHost: "false" as never }, { env: { NODE_ENV: "production" } }])(
    "HOST-02: refuses an untrusted host: %j",
    (asked) => {
      const headers = { host: "app.test", "x-forwarded-host": "evil.test" }
      expect(() => urlOf({ headers, ...asked })).toThrow(untrusted)
      expect(() => urlOf({ headers, ...asked })).toThrow('"evil.test" (the header X-Forwarded-Host), is not trusted')
      expect(urlOf({ headers, ...asked, env: { AUTH_URL: "https://app.test" } })).toBe("https://app.test/signin")
    },
  )

  it("HOST-03: refuses an origin that is not in allowedOrigins", () => {
    const allowedOrigins = ["https://app.test"]
    for (const headers of [{ host: "evil.test" }, { host: "app.test", "x-forwarded-host": "evil.test" }]) {
      expect(() => urlOf({ headers, allowedOrigins })).toThrow(untrusted)
    }
    expect(() => urlOf({ allowedOrigins, env: { AUTH_URL: "https://other.test" } })).toThrow(/allowedOrigins/)
    expect(urlOf({ allowedOrigins })).toBe("https://app.test/signin")
  })

  it.each([[[]], [["app.test"]], ["https://app.test"]])("refuses invalid allowedOrigins: %j", (allowedOrigins) => {
    // as: JavaScript hosts may pass anything.
    const asked = () => urlOf({ allowedOrigins: allowedOrigins as string[] })
    expect(asked).toThrow(expect.objectContaining({ type: "InvalidConfiguration" }))
  })

  it("HOST-11: refuses a host with a trailing dot unless it is allowed", () => {
    const headers = { host: "app.test." }
    expect(() => urlOf({ headers })).toThrow(untrusted)
    expect(urlOf({ headers, allowedOrigins: ["https://app.test."] })).toBe("https://app.test./signin")
  })

  it("ignores AUTH_URL if it is not a URL", () => {
    expect(urlOf({ env: { AUTH_URL: "app.test/auth" } })).toBe("https://app.test/signin")
  })

  it("HOST-02, HOST-04: ignores all headers if AUTH_URL is set", () => {
    const headers = { host: "evil.test", "x-forwarded-host": "evil.test", "x-forwarded-proto": "http" }
    const url = urlOf({ protocol: "http", headers, env: { AUTH_URL: "https://app.test/api/auth" } })
    expect(url).toBe("https://app.test/api/auth/signin")
  })

  it.each([
    [{ protocol: "https" }, "https://app.test/auth/signin"],
    [{ protocol: "http:" }, "http://app.test/auth/signin"],
    [{ protocol: "" }, "https://app.test/auth/signin"],
    [{ headers: { host: "app.test:8080", "x-forwarded-proto": "http" } }, "http://app.test:8080/auth/signin"],
    [{ headers: { host: "inner", "x-forwarded-host": "app.test" } }, "https://app.test/auth/signin"],
    [
      { headers: { host: "inner", "x-forwarded-host": "app.test, App.test", "x-forwarded-proto": "http,https" } },
      "http://app.test/auth/signin",
    ],
    [{ headers: { host: "[::1]:3000" } }, "https://[::1]:3000/auth/signin"],
  ] as const)("reads the origin of %j from the request", (asked, expected) => {
    expect(urlOf({ ...asked, basePath: "/auth" })).toBe(expected)
  })

  it.each(["auth", "/auth", "/auth/", "//auth//"])("writes single slashes for the base path %s", (basePath) => {
    expect(urlOf({ basePath })).toBe("https://app.test/auth/signin")
    expect(urlOf({ basePath, env: { AUTH_URL: "https://app.test//" } })).toBe("https://app.test/auth/signin")
  })

  it.each(["", "/"])("has no base path for %j", (basePath) => {
    expect(urlOf({ basePath })).toBe("https://app.test/signin")
  })

  it("prefers AUTH_URL to NEXTAUTH_URL, and either to the headers; ignores empty variables", () => {
    const both = { AUTH_URL: "https://new.test", NEXTAUTH_URL: "https://old.test" }
    expect(urlOf({ env: both })).toBe("https://new.test/signin")
    expect(urlOf({ env: { NEXTAUTH_URL: both.NEXTAUTH_URL, AUTH_URL: "" } })).toBe("https://old.test/signin")
    expect(urlOf({ env: { AUTH_URL: "", NEXTAUTH_URL: "" } })).toBe("https://app.test/signin")
    expect(urlOf({ env: { NEXTAUTH_URL: "" } })).toBe("https://app.test/signin")
  })

  it("uses the path of AUTH_URL without a base path", () => {
    expect(urlOf({ env: { AUTH_URL: "https://app.test/api/auth/?a=b#c" } })).toBe("https://app.test/api/auth/signin")
    expect(warn).not.toHaveBeenCalled()
  })

  it("prefers the base path to the path of AUTH_URL, and warns if they differ", () => {
    const url = urlOf({ basePath: "/auth", env: { AUTH_URL: "https://app.test/api/auth" } })
    expect(url).toBe("https://app.test/auth/signin")
    expect(warn.mock.calls).toEqual([["env-url-basepath-mismatch"]])
  })

  it.each(["https://app.test", "https://app.test/", "https://app.test/auth", "https://app.test/auth/"])(
    "does not warn if the base path /auth matches %s",
    (AUTH_URL) => {
      expect(urlOf({ basePath: "/auth", env: { AUTH_URL } })).toBe("https://app.test/auth/signin")
      expect(warn).not.toHaveBeenCalled()
    },
  )

  it("returns the URL of an action with a dash", () => {
    const headers = new Headers({ host: "app.test" })
    expect(createActionURL("webauthn-options", "https", headers, {}, { basePath: "/auth" })).toEqual(
      new URL("https://app.test/auth/webauthn-options"),
    )
  })
})
