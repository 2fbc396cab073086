import { describe, expect, it } from "vitest"
import type { UserinfoRequestContext } from "../../types/oauth-provider.js"
import type { ProfileRequest } from "./json-request.js"
import {
  conformFields,
  renameParameter,
  requestGraphQL,
  requestProfile,
  withRenamedParameter,
  withScopeString,
  withTokenType,
} from "./request.js"

describe("conformFields", () => {
  const conform = conformFields(withTokenType)

  it.each([
    ["text that is not JSON", new Response("<html>"), "<html>", 200],
    ["a list", new Response("[1]"), "[1]", 200],
    ["null", new Response("null"), "null", 200],
    ["an error response", Response.json({ error: "x" }, { status: 401 }), '{"error":"x"}', 401],
  ])("leaves %s unchanged", async (_, response, text, status) => {
    const conformed = await conform(response)
    expect([await conformed.text(), conformed.status]).toEqual([text, status])
  })

  it("turns a response into an error response if the repair returns an error", async () => {
    const response = await conformFields(() => ({ error: "invalid_grant" }))(Response.json({ code: 4 }))
    expect([await response.json(), response.status]).toEqual([{ error: "invalid_grant" }, 400])
  })

  it("repairs the fields of a JSON object", async () => {
    expect(await (await conform(Response.json({ access_token: "a" }))).json()).toEqual({
      access_token: "a",
      token_type: "bearer",
    })
  })
})

describe("withTokenType", () => {
  it("adds a missing token type and keeps an existing one", () => {
    expect(withTokenType({ a: 1 })).toEqual({ a: 1, token_type: "bearer" })
    expect(withTokenType({ token_type: "mac" })).toEqual({ token_type: "mac" })
  })
})

describe("withScopeString", () => {
  it("joins a list of scopes", () => {
    expect(withScopeString({ a: 1, scope: ["x", "y"] })).toEqual({ a: 1, scope: "x y" })
    expect(withScopeString({ scope: "x y" })).toEqual({ scope: "x y" })
    expect(withScopeString({ a: 1 })).toEqual({ a: 1 })
  })
})

const token = "c4n4ry-token"

interface Call {
  readonly url: string
  readonly init: RequestInit
}

function contextFor(response: Response): { readonly calls: readonly Call[]; readonly context: UserinfoRequestContext } {
  const calls: Call[] = []
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    calls.push({ url: String(input), init })
    return response
  }
  const context: UserinfoRequestContext = {
    tokens: { access_token: token },
    url: new URL("https://api.test/me?a=b"),
    callback: new URLSearchParams(),
    provider: { id: "harbour", name: "Harbour", fetch },
    verifyJwt: () => Promise.reject(new Error("not expected")),
  }
  return { calls, context }
}

describe("requestProfile", () => {
  it.each([
    [
      "an error status",
      Response.json({ id: 1 }, { status: 403 }),
      "The profile request to Harbour failed with status 403",
    ],
    ["a redirect", new Response(null, { status: 302 }), "The profile request to Harbour failed with status 302"],
    ["text that is not JSON", new Response("<html>"), "The profile response from Harbour is not JSON"],
    ["a list", Response.json([1]), "is not a JSON object"],
    ["an error with status 200", Response.json({ id: 1, error: { code: 190 } }), "reports an error"],
  ])("rejects %s without leaking the token", async (_, response, message) => {
    const error: unknown = await requestProfile(contextFor(response).context).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain(message)
    expect(String(error)).not.toContain(token)
  })

  it("fails without a URL", async () => {
    const context = { ...contextFor(Response.json({})).context, url: undefined }
    await expect(requestProfile(context)).rejects.toThrow("providers.harbour.userinfo.url: missing")
  })

  it.each<[string, ProfileRequest, string, string | null]>([
    ["in a header", {}, "https://api.test/me?a=b", `Bearer ${token}`],
    ["in the query", { token: { query: "t" } }, `https://api.test/me?a=b&t=${token}`, null],
    ["not at all", { token: "none" }, "https://api.test/me?a=b", null],
    ["to another URL", { url: "https://api.test/you" }, "https://api.test/you", `Bearer ${token}`],
  ])("sends the token %s", async (_, request, url, authorization) => {
    const { calls, context } = contextFor(Response.json({ id: 1, error: null }))
    expect(await requestProfile(context, request)).toEqual({ id: 1, error: null })
    expect(calls[0]?.url).toBe(url)
    expect(new Headers(calls[0]?.init.headers).get("authorization")).toBe(authorization)
  })

  it("sends the token in a custom header, and posts a form", async () => {
    const body = new URLSearchParams({ x: "1" })
    const { calls, context } = contextFor(Response.json({}))
    await requestProfile(context, { method: "POST", body, token: { header: "x-token" } })
    expect(new Headers(calls[0]?.init.headers).get("x-token")).toBe(token)
    expect(calls[0]?.init).toMatchObject({ method: "POST", body })
  })
})

describe("requestGraphQL", () => {
  it.each([
    ["errors", { data: { viewer: null }, errors: [{ message: "no" }] }],
    ["no data", {}],
    ["null as data", { data: null }],
  ])("rejects a response with %s", async (_, body) => {
    await expect(requestGraphQL(contextFor(Response.json(body)).context, "{ me }")).rejects.toThrow("reports an error")
  })

  it("posts the query as JSON", async () => {
    const { calls, context } = contextFor(Response.json({ data: { me: 1 } }))
    expect(await requestGraphQL(context, "{ me }")).toEqual({ data: { me: 1 } })
    expect(calls[0]?.init).toMatchObject({ method: "POST", body: '{"query":"{ me }"}' })
  })
})

describe("renameParameter", () => {
  it("removes a parameter that already had the new name, which a user may have added", () => {
    const parameters = new URLSearchParams("client_key=evil&client_id=ours&a=b")
    expect(String(renameParameter(parameters, "client_id", "client_key"))).toBe("client_key=ours&a=b")
  })
})

describe("withRenamedParameter", () => {
  it("keeps the rest of the URL", () => {
    const url = new URL("https://vendor.test/authorize?client_id=c&scope=a%20b#wechat_redirect")
    expect(withRenamedParameter(url, "client_id", "appid").href).toBe(
      "https://vendor.test/authorize?appid=c&scope=a+b#wechat_redirect",
    )
  })
})
