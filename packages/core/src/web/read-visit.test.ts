import { describe, expect, it } from "vitest"
import { readVisit } from "./read-visit.js"
import { findField } from "./visit.js"

const form = { "content-type": "application/x-www-form-urlencoded" }
const post = (body: string, headers: Record<string, string> = form) =>
  new Request("https://app.test/auth/signin/github?a=1", { method: "POST", body, headers })

describe("readVisit", () => {
  it.each(["PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "PROPFIND"])("LIM-04: does not answer %s", (method) => {
    const request = new Request("https://app.test/auth/session", { method })
    expect(() => readVisit(request, "/auth")).toThrow(expect.objectContaining({ type: "UnknownAction" }))
  })

  it("refuses a path of somebody else before it reads the body", () => {
    const request = new Request("https://app.test/other", { method: "POST", body: "a=1", headers: form })
    expect(() => readVisit(request, "/auth")).toThrow(expect.objectContaining({ type: "UnknownAction" }))
    expect(request.bodyUsed).toBe(false)
  })

  it("reads a GET at once, with its cookies decoded", () => {
    const request = new Request("https://app.test/auth/session?x=1", { headers: { cookie: "a=%20b" } })
    const visit = readVisit(request, "/auth")
    expect(visit).not.toHaveProperty("then")
    expect(visit).toMatchObject({ method: "GET", route: "session", providerId: undefined, body: undefined, request })
    expect("cookies" in visit && visit.cookies.get("a")).toBe(" b")
  })

  it("reads the fields of a POST", async () => {
    const visit = await readVisit(post("email=a%40b.test&email=c"), "/auth")
    expect(visit).toMatchObject({ method: "POST", route: "signin", providerId: "github", body: { email: "a@b.test" } })
    expect(visit.url.searchParams.get("a")).toBe("1")
    expect(findField(visit, "email")).toBe("a@b.test")
  })

  it("rejects when the body cannot be read", async () => {
    const request = post("{", { "content-type": "application/json" })
    await expect(readVisit(request, "/auth")).rejects.toMatchObject({ type: "InvalidRequest", status: 400 })
  })
})

describe("findField", () => {
  it("finds own fields that are text", async () => {
    const request = post('{"a":"1","b":2,"c":["x"]}', { "content-type": "application/json" })
    const visit = await readVisit(request, "/auth")
    expect(["a", "b", "c", "toString", "none"].map((name) => findField(visit, name))).toEqual([
      "1",
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it("finds nothing without a body", async () => {
    expect(findField(await readVisit(post("a=1", { "content-type": "text/plain" }), "/auth"), "a")).toBeUndefined()
  })
})
