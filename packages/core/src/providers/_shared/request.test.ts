import { describe, expect, it } from "vitest"
import type { UserinfoRequestContext } from "../../types/oauth-provider.js"
import {
  conformAnswer,
  type ProfileRequest,
  renameParameter,
  requestGraphQL,
  requestProfile,
  withRenamedParameter,
  withScopeText,
  withTokenType,
} from "./request.js"

describe("conformAnswer", () => {
  const conform = conformAnswer(withTokenType)

  it.each([
    ["is no JSON", new Response("<html>"), "<html>", 200],
    ["is a list", new Response("[1]"), "[1]", 200],
    ["is null", new Response("null"), "null", 200],
    ["is a refusal", Response.json({ error: "x" }, { status: 401 }), '{"error":"x"}', 401],
  ])("leaves an answer as it is that %s", async (_, answer, text, status) => {
    const conformed = await conform(answer)
    expect([await conformed.text(), conformed.status]).toEqual([text, status])
  })

  it("turns an answer into a refusal where the repair finds an error in it", async () => {
    const answer = await conformAnswer(() => ({ error: "invalid_grant" }))(Response.json({ code: 4 }))
    expect([await answer.json(), answer.status]).toEqual([{ error: "invalid_grant" }, 400])
  })

  it("repairs the fields", async () => {
    expect(await (await conform(Response.json({ access_token: "a" }))).json()).toEqual({
      access_token: "a",
      token_type: "bearer",
    })
  })
})

describe("the repairs", () => {
  it("give a type to an answer without one, and keep the one that there is", () => {
    expect(withTokenType({ a: 1 })).toEqual({ a: 1, token_type: "bearer" })
    expect(withTokenType({ token_type: "mac" })).toEqual({ token_type: "mac" })
  })

  it("make one text of a list of scopes", () => {
    expect(withScopeText({ a: 1, scope: ["x", "y"] })).toEqual({ a: 1, scope: "x y" })
    expect(withScopeText({ scope: "x y" })).toEqual({ scope: "x y" })
    expect(withScopeText({ a: 1 })).toEqual({ a: 1 })
  })
})

const token = "c4n4ry-token"

interface Call {
  readonly url: string
  readonly init: RequestInit
}

function contextFor(answer: Response): { readonly calls: readonly Call[]; readonly context: UserinfoRequestContext } {
  const calls: Call[] = []
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    calls.push({ url: String(input), init })
    return answer
  }
  const context: UserinfoRequestContext = {
    tokens: { access_token: token },
    url: new URL("https://api.test/me?a=b"),
    callback: new URLSearchParams(),
    provider: { id: "harbour", name: "Harbour", fetch },
    verifyJwt: () => Promise.reject(new Error("not asked for")),
  }
  return { calls, context }
}

describe("requestProfile", () => {
  it.each([
    ["a refusal", Response.json({ id: 1 }, { status: 403 }), "Harbour answered the profile request with status 403"],
    ["a redirect", new Response(null, { status: 302 }), "Harbour answered the profile request with status 302"],
    ["no JSON", new Response("<html>"), "something that is no JSON"],
    ["a list", Response.json([1]), "something that is no JSON object"],
    ["an error with status 200", Response.json({ id: 1, error: { code: 190 } }), "with an error"],
  ])("refuses %s, and says nothing of the token", async (_, answer, sentence) => {
    const error: unknown = await requestProfile(contextFor(answer).context).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain(sentence)
    expect(String(error)).not.toContain(token)
  })

  it("refuses without an address", async () => {
    const context = { ...contextFor(Response.json({})).context, url: undefined }
    await expect(requestProfile(context)).rejects.toThrow("providers.harbour.userinfo.url: there is none")
  })

  it.each<[string, ProfileRequest, string, string | null]>([
    ["in a header", {}, "https://api.test/me?a=b", `Bearer ${token}`],
    ["in the query", { token: { query: "t" } }, `https://api.test/me?a=b&t=${token}`, null],
    ["nowhere", { token: "none" }, "https://api.test/me?a=b", null],
    ["at another address", { url: "https://api.test/you" }, "https://api.test/you", `Bearer ${token}`],
  ])("sends the token %s", async (_, request, url, authorization) => {
    const { calls, context } = contextFor(Response.json({ id: 1, error: null }))
    expect(await requestProfile(context, request)).toEqual({ id: 1, error: null })
    expect(calls[0]?.url).toBe(url)
    expect(new Headers(calls[0]?.init.headers).get("authorization")).toBe(authorization)
  })

  it("sends the token in a header of the vendor's own, and a form where one is given", async () => {
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
  ])("refuses an answer with %s", async (_, answer) => {
    await expect(requestGraphQL(contextFor(Response.json(answer)).context, "{ me }")).rejects.toThrow("with an error")
  })

  it("posts the query as JSON", async () => {
    const { calls, context } = contextFor(Response.json({ data: { me: 1 } }))
    expect(await requestGraphQL(context, "{ me }")).toEqual({ data: { me: 1 } })
    expect(calls[0]?.init).toMatchObject({ method: "POST", body: '{"query":"{ me }"}' })
  })
})

describe("a renamed parameter", () => {
  it("leaves no other of its new name behind, which a visitor may have added", () => {
    const parameters = new URLSearchParams("client_key=evil&client_id=ours&a=b")
    expect(String(renameParameter(parameters, "client_id", "client_key"))).toBe("client_key=ours&a=b")
  })

  it("keeps the rest of the URL", () => {
    const url = new URL("https://vendor.test/authorize?client_id=c&scope=a%20b#wechat_redirect")
    expect(withRenamedParameter(url, "client_id", "appid").href).toBe(
      "https://vendor.test/authorize?appid=c&scope=a+b#wechat_redirect",
    )
  })
})
