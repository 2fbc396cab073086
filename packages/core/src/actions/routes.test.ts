import { describe, expect, it } from "vitest"
import { actionSetup } from "../../test/setup/action-setup.js"
import { failureOf } from "../../test/setup/failure-of.js"
import { authRequestTo } from "../../test/setup/requests.js"
import { deferred } from "../features/route.js"
import { isAuthAction, type RouteName } from "../http/request.js"
import { authActions } from "../types/basics.js"
import { getRoute, routes } from "./routes.js"

describe("a deferred route", () => {
  it("fails if its import fails", async () => {
    const route = deferred(() => Promise.reject(new Error("no such file")))
    await expect(route(await authRequestTo("/auth/error"), actionSetup().context)).rejects.toThrow("no such file")
  })

  it("is imported no more once its code is there", async () => {
    let loaded = 0
    const route = deferred(async () => {
      loaded++
      return ({ url }) => ({ status: url.pathname.length })
    })
    const { context } = actionSetup()
    for (const path of ["/auth/error", "/auth/signin"]) {
      expect(await route(await authRequestTo(path), context)).toEqual({ status: path.length })
    }
    expect(loaded).toBe(1)
  })
})

/** The responses that the contract requires, by action. */
const answered: Readonly<Record<RouteName, readonly ("GET" | "POST")[]>> = {
  callback: ["GET", "POST"],
  csrf: ["GET"],
  error: ["GET"],
  providers: ["GET"],
  session: ["GET", "POST"],
  signin: ["GET", "POST"],
  signout: ["GET", "POST"],
  "style.css": ["GET"],
  "password.js": ["GET"],
  "wait.js": ["GET"],
  "verify-request": ["GET"],
  "webauthn-options": ["GET"],
  "webauthn.js": ["GET"],
}

const everything = (Object.keys(answered) as RouteName[]).flatMap((route) =>
  (["GET", "POST"] as const).map((method) => [method, route, answered[route].includes(method)] as const),
)

describe("the routes", () => {
  it("are the contract's actions, the stylesheet and the scripts", () => {
    expect(Object.keys(routes).sort()).toEqual(
      [...authActions, "password.js", "style.css", "wait.js", "webauthn.js"].sort(),
    )
  })

  it.each(everything)("%s %s: answered: %s", async (method, route, isAnswered) => {
    const refusal = isAuthAction(route)
      ? { type: "UnknownAction" }
      : { type: "InvalidRequest", status: 405, cause: { allow: "GET" } }
    if (isAnswered) expect(getRoute({ route, method })).toBeTypeOf("function")
    else expect(() => getRoute({ route, method })).toThrow(expect.objectContaining(refusal))
  })

  it.each([
    ["CSRF-01", "/auth/signin"],
    ["CSRF-01", "/auth/signin/oidc"],
    ["CSRF-01", "/auth/signin/cred"],
    ["CSRF-02", "/auth/signout"],
    ["CSRF-16", "/auth/session"],
    ["CSRF-12", "/auth/callback/cred"],
  ])("%s: POST %s requires the CSRF token", async (_, path) => {
    const { act, browser, events } = actionSetup()
    const { error, cookies } = await failureOf(act(path, { form: { password: "right", callbackUrl: "/x" } }))
    expect([error.type, cookies]).toEqual(["MissingCSRF", undefined])
    expect([browser.names(), events.names()]).toEqual([[], []])
  })

  it("CSRF-09: GET of the same paths starts, ends and updates nothing", async () => {
    const { act, post, browser, context } = actionSetup()
    await post("/auth/callback/cred", { password: "right" })
    const { token } = await context.csrf.issue(browser.jar())
    expect((await failureOf(act("/auth/signin/oidc"))).error.type).toBe("UnknownAction")
    expect((await failureOf(act("/auth/callback/cred?password=right"))).error.type).toBe("InvalidProvider")
    expect((await act(`/auth/signout?csrfToken=${token}`)).body?.kind).toBe("html")
    const { body } = await act(`/auth/session?csrfToken=${token}&data=%7B%22name%22%3A%22W%22%7D`)
    expect(body).toMatchObject({ kind: "json", value: { user: { name: "Vera" } } })
  })
})
