import { describe, expect, it } from "vitest"
import { conformAnswer, withScopeText, withTokenType } from "./conform-answer.js"

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
