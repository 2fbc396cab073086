import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { authActions } from "../types/basics.js"
import { toHostRequest } from "./body.js"
import { resolveRequestLimits } from "./limits.js"
import {
  type AuthPath,
  findField,
  isAuthAction,
  normalizeBasePath,
  pageFiles,
  parseAuthPath,
  readRequest,
} from "./request.js"

const routing = { basePath: "/auth", parts: { loadBodyReader: () => import("./body.js") } }

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
  ])("URL-21: does not read %s as a session request", (pathname) => {
    expect(() => parseAuthPath(pathname, { basePath: "/auth" })).toThrow(refusal)
  })

  it.each(["/auth/session", "/auth/session/", "/auth//session", "/auth///session//"])(
    "URL-21: drops the empty segments of %s",
    (pathname) => {
      expect(parseAuthPath(pathname, { basePath: "/auth" })).toEqual({ route: "session", providerId: undefined })
    },
  )

  it("URL-22: treats the base path as text, not as a pattern", () => {
    expect(() => parseAuthPath("/aXth/session", { basePath: "/a.th" })).toThrow(refusal)
    expect(parseAuthPath("/a.th/session", { basePath: "/a.th" }).route).toBe("session")
    expect(parseAuthPath("/a(b/session", { basePath: "/a(b" }).route).toBe("session")
  })

  // Quadratic time would take billions of steps: the test would time out.
  it.each(["a", "/", "%", "a/", "signin/"])(
    "LIM-08: refuses half a million times %j before another segment",
    (piece) => {
      const pathname = `/auth/${piece.repeat(500_000)}`
      for (const end of ["", "/x"]) {
        expect(() => parseAuthPath(`${pathname}${end}`, { basePath: "/auth", featureRoutes: {} })).toThrow(refusal)
      }
    },
  )

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("URL-23: refuses the action %s", (name) => {
    expect(() => parseAuthPath(`/auth/${name}`, { basePath: "/auth" })).toThrow(refusal)
  })

  it("URL-23: returns the provider id as it is in the path", () => {
    for (const id of ["__proto__", "undefined", "..%2fcred", "42-school"]) {
      expect(parseAuthPath(`/auth/signin/${id}`, { basePath: "/auth" })).toEqual({ route: "signin", providerId: id })
    }
  })

  it.each([
    "/auth/session/x",
    "/auth/csrf/x",
    "/auth/style.css/x",
    "/auth/webauthn.js/x",
    "/auth/password.js/x",
    "/auth/wait.js/x",
    "/auth/signin/a/b",
    "/auth/callback/a/b/c",
  ])("refuses %s, which has too many segments", (pathname) => {
    expect(() => parseAuthPath(pathname, { basePath: "/auth" })).toThrow(refusal)
  })

  it("supports an empty base path", () => {
    expect(parseAuthPath("/callback/github", { basePath: "" })).toEqual({ route: "callback", providerId: "github" })
    expect(() => parseAuthPath("/", { basePath: "" })).toThrow(refusal)
  })

  it("agrees with a comparison of whole segments for any base path and path", () => {
    const segment = fc.oneof(
      fc.constantFrom(...authActions, ...pageFiles, "github", "__proto__", "."),
      fc.string({ unit: fc.constantFrom(..."ab.*+?^$()[]{}|\\%-"), minLength: 1, maxLength: 6 }),
    )
    const base = fc.array(segment, { maxLength: 3 })
    const tail = fc.array(fc.oneof(segment, fc.constant("")), { maxLength: 5 })
    fc.assert(
      fc.property(base, fc.option(base), tail, (basePath, otherBase, rest) => {
        const pathname = ["", ...(otherBase ?? basePath), ...rest].join("/")
        const expected = readSegments(pathname, basePath)
        const parse = () => parseAuthPath(pathname, { basePath: basePath.map((text) => `/${text}`).join("") })
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
  const route = [...authActions, ...pageFiles].find((name) => name === action)
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

  it.each(authActions)("accepts %s", (name) => {
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
    ["/gr%c3%b6%C3%9fe", "/gr%C3%B6%C3%9Fe"],
    ["/100%/%zz/%2fa", "/100%/%zz/%2Fa"],
    ["/a(b", "/a(b"],
    ["/a_b/c-1", "/a_b/c-1"],
    ["/a/../b", "/b"],
    ["/a//b", "/a//b"],
    ["/auth\n", "/auth"],
  ])("normalizes %j to %j", (given, expected) => {
    expect(normalizeBasePath(given)).toBe(expected)
  })
})

it("toHostRequest creates a request with the fields as JSON", async () => {
  const body = "name=v&csrfToken=t"
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(body.length),
    "x-real-ip": "192.0.2.1",
    cookie: "a=b",
  }
  const url = "https://app.test/auth/callback/credentials?from=app"
  const request = await readRequest(new Request(url, { method: "POST", body, headers }), routing)
  const hostRequest = toHostRequest(request, { name: "é" })
  expect([hostRequest.method, hostRequest.url]).toEqual(["POST", url])
  expect(await hostRequest.json()).toEqual({ name: "é" })
  expect(Object.fromEntries(hostRequest.headers)).toEqual({
    "content-type": "application/json",
    "x-real-ip": "192.0.2.1",
    cookie: "a=b",
  })
})

const form = { "content-type": "application/x-www-form-urlencoded" }
const post = (body: string, headers: Record<string, string> = form) =>
  new Request("https://app.test/auth/signin/github?a=1", { method: "POST", body, headers })

describe("readRequest", () => {
  it.each(["PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "PROPFIND"])("LIM-04: refuses the method %s", (method) => {
    const request = new Request("https://app.test/auth/session", { method })
    expect(() => readRequest(request, routing)).toThrow(expect.objectContaining({ type: "UnknownAction" }))
  })

  it("refuses a path outside of the service before it reads the body", () => {
    const request = new Request("https://app.test/other", { method: "POST", body: "a=1", headers: form })
    expect(() => readRequest(request, routing)).toThrow(expect.objectContaining({ type: "UnknownAction" }))
    expect(request.bodyUsed).toBe(false)
  })

  it("reads a GET synchronously, with decoded cookies", () => {
    const incoming = new Request("https://app.test/auth/session?x=1", { headers: { cookie: "a=%20b" } })
    const request = readRequest(incoming, routing)
    expect(request).not.toHaveProperty("then")
    expect(request).toMatchObject({
      method: "GET",
      route: "session",
      providerId: undefined,
      body: undefined,
      headers: incoming.headers,
    })
    expect("cookies" in request && request.cookies.get("a")).toBe(" b")
  })

  it("reads the fields of a POST", async () => {
    const request = await readRequest(post("email=c&email=a%40b.test"), routing)
    expect(request).toMatchObject({
      method: "POST",
      route: "signin",
      providerId: "github",
      body: { email: "a@b.test" },
    })
    expect(request.url.searchParams.get("a")).toBe("1")
    expect(findField(request, "email")).toBe("a@b.test")
  })

  it("rejects a request with a malformed body", async () => {
    const request = post("{", { "content-type": "application/json" })
    await expect(readRequest(request, routing)).rejects.toMatchObject({
      type: "InvalidRequest",
      status: 400,
    })
  })
})

describe("findField", () => {
  it("returns own fields that are text", async () => {
    const incoming = post('{"a":"1","b":2,"c":["x"]}', { "content-type": "application/json" })
    const request = await readRequest(incoming, routing)
    expect(["a", "b", "c", "toString", "none"].map((name) => findField(request, name))).toEqual([
      "1",
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it("returns undefined without a body", async () => {
    expect(findField(await readRequest(post("a=1", { "content-type": "text/plain" }), routing), "a")).toBeUndefined()
  })
})

describe("the limits of a request", () => {
  const refused = (status: number) => expect.objectContaining({ type: "InvalidRequest", status })
  const limits = resolveRequestLimits({ urlLength: 50, headerBytes: 20, queryPairs: 3 })
  const reading = (path: string, headers: Record<string, string> = {}) => {
    const request = new Request(`https://app.test/auth/${path}`, { headers })
    return () => readRequest(request, { ...routing, requestLimits: limits })
  }

  it("LIM-05: refuses a longer URL with 414", () => {
    const rest = "https://app.test/auth/session?".length
    expect(reading(`session?${"a".repeat(50 - rest)}`)).not.toThrow()
    expect(reading(`session?${"a".repeat(51 - rest)}`)).toThrow(refused(414))
  })

  it("LIM-05: refuses larger headers with 431", () => {
    for (const path of ["session", "csrf"]) {
      expect(reading(path)).not.toThrow()
      expect(reading(path, { cookie: "a".repeat(14) })).not.toThrow()
      expect(reading(path, { cookie: "a".repeat(21) })).toThrow(refused(431))
    }
    expect(reading("csrf", { a: "b".repeat(9), c: "d".repeat(9) })).not.toThrow()
    expect(reading("csrf", { a: "b".repeat(9), c: "d".repeat(10) })).toThrow(refused(431))
  })

  it("LIM-05: refuses more query parameters with 400", () => {
    for (const query of ["", "?", "?a", "?a=1&b=2&c=3", "?a=%26&&"]) expect(reading(`csrf${query}`)).not.toThrow()
    for (const query of ["?a=1&b=2&c=3&d=4", "?&&&"]) expect(reading(`csrf${query}`)).toThrow(refused(400))
  })
})
