import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { authActions } from "../contract/action.js"
import { type AuthPath, isAuthAction, normalizeBasePath, parseAuthPath } from "./auth-path.js"

const refusal = expect.objectContaining({ type: "UnknownAction" })

describe("parseAuthPath", () => {
  it.each([
    "/authsession",
    "/AUTH/session",
    "/auth/%73ession",
    "/auth/session;x",
    "/auth/Session",
    "/auth",
    "/session",
  ])("URL-21: does not take %s for a session request", (pathname) => {
    expect(() => parseAuthPath(pathname, "/auth")).toThrow(refusal)
  })

  it.each(["/auth/session", "/auth/session/", "/auth//session", "/auth///session//"])(
    "URL-21: drops the empty segments of %s",
    (pathname) => {
      expect(parseAuthPath(pathname, "/auth")).toEqual({ route: "session", providerId: undefined })
    },
  )

  it("URL-22: takes the base path as text, not as a pattern", () => {
    expect(() => parseAuthPath("/aXth/session", "/a.th")).toThrow(refusal)
    expect(parseAuthPath("/a.th/session", "/a.th").route).toBe("session")
    expect(parseAuthPath("/a(b/session", "/a(b").route).toBe("session")
  })

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("URL-23: knows no action %s", (name) => {
    expect(() => parseAuthPath(`/auth/${name}`, "/auth")).toThrow(refusal)
  })

  it("URL-23: hands a provider id on as it stands in the path", () => {
    for (const id of ["__proto__", "undefined", "..%2fcred", "42-school"]) {
      expect(parseAuthPath(`/auth/signin/${id}`, "/auth")).toEqual({ route: "signin", providerId: id })
    }
  })

  it.each([
    "/auth/session/x",
    "/auth/csrf/x",
    "/auth/style.css/x",
    "/auth/webauthn.js/x",
    "/auth/signin/a/b",
    "/auth/callback/a/b/c",
  ])("refuses %s, which has a segment too many", (pathname) => {
    expect(() => parseAuthPath(pathname, "/auth")).toThrow(refusal)
  })

  it("answers at the root", () => {
    expect(parseAuthPath("/callback/github", "")).toEqual({ route: "callback", providerId: "github" })
    expect(() => parseAuthPath("/", "")).toThrow(refusal)
  })

  it("agrees with a reading of whole segments, whatever base path and path are", () => {
    const segment = fc.oneof(
      fc.constantFrom(...authActions, "style.css", "webauthn.js", "github", "__proto__", "."),
      fc.string({ unit: fc.constantFrom(..."ab.*+?^$()[]{}|\\%-"), minLength: 1, maxLength: 6 }),
    )
    const base = fc.array(segment, { maxLength: 3 })
    const tail = fc.array(fc.oneof(segment, fc.constant("")), { maxLength: 5 })
    fc.assert(
      fc.property(base, fc.option(base), tail, (basePath, otherBase, rest) => {
        const pathname = ["", ...(otherBase ?? basePath), ...rest].join("/")
        const expected = readSegments(pathname, basePath)
        const parse = () => parseAuthPath(pathname, basePath.map((text) => `/${text}`).join(""))
        if (expected === null) expect(parse).toThrow(refusal)
        else expect(parse()).toEqual(expected)
      }),
      { numRuns: 2_000 },
    )
  })
})

/** The contract's rule, segment by segment. */
function readSegments(pathname: string, base: readonly string[]): AuthPath | null {
  const [, ...segments] = pathname.split("/")
  if (base.some((text, index) => segments[index] !== text)) return null
  const [action, id, ...more] = segments.slice(base.length).filter((text) => text.length > 0)
  const route = [...authActions, "style.css" as const, "webauthn.js" as const].find((name) => name === action)
  if (route === undefined || more.length > 0) return null
  const takesId = route === "signin" || route === "callback" || route === "webauthn-options"
  return id === undefined || takesId ? { route, providerId: id } : null
}

describe("isAuthAction", () => {
  it.each(["", "Signin", "style.css", "webauthn.js", "constructor", "__proto__", "signin/github"])(
    "refuses %j",
    (text) => {
      expect(isAuthAction(text)).toBe(false)
    },
  )

  it.each(authActions)("knows %s", (name) => {
    expect(isAuthAction(name)).toBe(true)
  })
})

describe("normalizeBasePath", () => {
  it.each([
    ["", ""],
    ["/", ""],
    ["///", ""],
    ["auth", "/auth"],
    ["/auth", "/auth"],
    ["/auth/", "/auth"],
    ["//api/auth//", "/api/auth"],
    ["/größe", "/gr%C3%B6%C3%9Fe"],
    ["/a(b", "/a(b"],
  ])("makes of %j the path %j", (given, expected) => {
    expect(normalizeBasePath(given)).toBe(expected)
  })
})
