import { describe, expect, it } from "vitest"
import { AuthError } from "../errors/auth-error.js"
import { nativeApps } from "../features/native-apps/native-apps.js"
import { type HostConfig, settingsOf } from "./config.js"
import { decideGuard, type GuardedRequest } from "./guard.js"

const html = "text/html,application/xhtml+xml,*/*;q=0.8"

const defaults: GuardedRequest = {
  method: "GET",
  accept: html,
  authorization: null,
  target: "/private",
  findOrigin: () => "https://app.test",
}

function decide(request: Partial<GuardedRequest> = {}, pages: HostConfig["pages"] = {}) {
  const settings = settingsOf({ providers: [], basePath: "/auth", pages }, { env: {} })
  return decideGuard({ ...defaults, ...request }, settings)
}

describe("decideGuard", () => {
  it("sends a page load to the sign-in page, with the way back", () => {
    expect(decide({ target: "/private?tab=1" })).toEqual({
      kind: "signIn",
      url: "/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D1",
      headers: { "cache-control": "private, no-store" },
    })
    expect(decide({}, { signIn: "/login?a=1#top" })).toMatchObject({ url: "/login?a=1&callbackUrl=%2Fprivate#top" })
  })

  it.each([
    ["text/*", "signIn"],
    ["text/html;q=0.4,application/*;q=0.5", "refuse"],
    ["text/html;q=x", "refuse"],
    ["*/*", "refuse"],
    [undefined, "refuse"],
  ] as const)("compares the quality of HTML and JSON in %s: %s", (accept, kind) => {
    expect(decide({ accept }).kind).toBe(kind)
  })

  it("refuses other methods than GET and HEAD", () => {
    expect(decide({ method: "HEAD" }).kind).toBe("signIn")
    expect(decide({ method: "POST" }).kind).toBe("refuse")
  })

  it.each(["/login?a=1", "https://app.test/login"])("lets the app's own sign-in page %s through", (signIn) => {
    expect(decide({ target: "/login", method: "POST" }, { signIn })).toEqual({ kind: "pass" })
    expect(decide({ target: "/login/more" }, { signIn }).kind).toBe("signIn")
  })

  it("compares the sign-in page as browsers encode it, and its origin", () => {
    expect(decide({ target: "/l%C3%B6gin" }, { signIn: "/lögin" })).toEqual({ kind: "pass" })
    expect(decide({ target: "//evil.test/login" }, { signIn: "/login" }).kind).toBe("signIn")
    expect(decide({ target: "/login" }, { signIn: "https://elsewhere.test/login" }).kind).toBe("signIn")
  })

  it.each(["/login#/secrets", "/login?a#/secrets", "/login#"])(
    "CONF-02: guards the target %s, which some routers take for another page",
    (target) => {
      expect(decide({ target }, { signIn: "/login" }).kind).toBe("signIn")
    },
  )

  it("throws for the built-in sign-in page", () => {
    expect(() => decide({ target: "/auth/signin?a=1" })).toThrow(AuthError)
  })

  it("NAT-23: tells native apps how to sign in, if there are any", () => {
    const native = nativeApps({ clients: [{ id: "ios", name: "App", redirectUris: ["com.example.app:/callback"] }] })
    const settings = settingsOf({ providers: [], basePath: "/auth", nativeApps: native }, { env: {} })
    const refuse = (authorization: string | null) =>
      decideGuard({ ...defaults, accept: "application/json", authorization }, settings)
    const unkept = { "cache-control": "private, no-store" }
    const headers = (challenge: string) => ({ kind: "refuse", headers: { ...unkept, "www-authenticate": challenge } })
    expect(refuse(null)).toEqual(headers("Bearer"))
    expect(refuse("Basic YTpi")).toEqual(headers("Bearer"))
    expect(refuse("bearer latchkey_x")).toEqual(headers('Bearer error="invalid_token"'))
    expect(decide({ accept: "application/json" })).toEqual({ kind: "refuse", headers: unkept })
  })
})
