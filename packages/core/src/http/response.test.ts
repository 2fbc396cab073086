import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { anyCharacter } from "../../test/setup/any-character.js"
import type { ResponseCookie } from "../types/http.js"
import {
  html,
  json,
  noStore,
  redirect,
  toRaw,
  toResponse,
  wantsRedirectAsJson,
  withQuery,
  withRedirectAsJson,
} from "./response.js"

const cookie: ResponseCookie = { name: "a", value: "b c", options: { path: "/" } }

/** As servers have it that write to the headers that they were given, such as Hono's for Node. */
class KeepingResponse extends Response {
  readonly #given: unknown

  constructor(body?: BodyInit | null, init?: ResponseInit) {
    super(body, init)
    this.#given = init?.headers
  }

  override get headers(): Headers {
    return this.#given instanceof Headers ? this.#given : super.headers
  }
}

describe("toResponse", () => {
  it("gives no response the cookies of another, whatever a Response does with its headers", () => {
    vi.stubGlobal("Response", KeepingResponse)
    try {
      const cookies = [cookie, { ...cookie, name: "b" }]
      const replies = [json(null, { headers: noStore, cookies }), json(null, { headers: noStore })]
      const responses = replies.map(toResponse)
      expect(responses.map(({ headers }) => headers.getSetCookie().length)).toEqual([2, 0])
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it("URL-12: a redirect URL cannot add a header", () => {
    const response = toResponse(redirect("/x\r\nSet-Cookie: a=b"))
    expect(response.headers.get("location")).toBe("/x%0D%0ASet-Cookie:%20a=b")
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it("URL-13: percent-encodes all other characters than ASCII", () => {
    expect(toResponse(redirect("/err?error=€")).headers.get("location")).toBe("/err?error=%E2%82%AC")
    expect(toResponse(redirect("/\ud800x")).headers.get("location")).toBe("/%EF%BF%BDx")
  })

  it("URL-12, URL-13: accepts any redirect, cookie value and body, and writes an ASCII location", () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: fc.constantFrom("\r", "\n", "\0", "\t", " ", "€", "\ud83d", "\ude00", "/", "%", "\x7f", "ÿ") }),
    )
    fc.assert(
      fc.property(text, text, text, (url, value, body) => {
        const cookies = [{ ...cookie, value }]
        const location = toResponse(redirect(url, { cookies })).headers.get("location") ?? ""
        expect(location).toMatch(/^[\x21-\x7e]*$/)
        if (!url.includes("%")) expect(decodeURIComponent(location)).toBe(url.toWellFormed())
        expect(toResponse(html(body)).headers.getSetCookie()).toEqual([])
        expect(toResponse(json({ body }, { cookies })).headers.getSetCookie()).toHaveLength(1)
      }),
      { numRuns: 200 },
    )
  })

  it("does not encode an encoded URL again", () => {
    const url = "https://app.test/%E2%82%AC?a=b%20c&d=(e)'*!#f"
    expect(toResponse(redirect(url)).headers.get("location")).toBe(url)
  })

  it("answers a redirect with 302 and no body", async () => {
    const response = toResponse(redirect("https://app.test/home", { cookies: [cookie, { ...cookie, name: "z" }] }))
    expect([response.status, await response.text()]).toEqual([302, ""])
    expect(response.headers.getSetCookie()).toEqual(["a=b%20c; Path=/", "z=b%20c; Path=/"])
  })

  it("sets the content type and forbids sniffing", async () => {
    const shown = async (response: Response) => [
      response.status,
      response.headers.get("content-type"),
      response.headers.get("x-content-type-options"),
      await response.text(),
    ]
    expect(await shown(toResponse(json(null)))).toEqual([200, "application/json", "nosniff", "null"])
    expect(await shown(toResponse(json("Bad request.", { status: 400 })))).toEqual([
      400,
      "application/json",
      "nosniff",
      '"Bad request."',
    ])
    expect(await shown(toResponse(html("<p>")))).toEqual([200, "text/html; charset=utf-8", "nosniff", "<p>"])
    expect(await shown(toResponse({ body: { kind: "css", text: "a{}" } }))).toEqual([
      200,
      "text/css; charset=utf-8",
      "nosniff",
      "a{}",
    ])
    expect(await shown(toResponse({ status: 404 }))).toEqual([404, null, "nosniff", ""])
  })

  it("lets a reply's own headers override the defaults", () => {
    const { headers } = toResponse(json({}, { headers: { "cache-control": "no-store", "content-type": "a/b" } }))
    expect([headers.get("cache-control"), headers.get("content-type")]).toEqual(["no-store", "a/b"])
  })
})

describe("withRedirectAsJson", () => {
  const asked = (value: string) => ({ headers: new Headers({ "X-Auth-Return-Redirect": value }) })

  it("applies to requests with the header, with any value", () => {
    expect(wantsRedirectAsJson({ headers: new Headers() })).toBe(false)
    for (const value of ["1", "0", "false", ""]) expect(wantsRedirectAsJson(asked(value))).toBe(true)
  })

  it("replaces a redirect with its target as JSON, and keeps cookies and headers", async () => {
    const reply = redirect("https://app.test/é", { status: 303, cookies: [cookie], headers: { "x-a": "1" } })
    const response = toResponse(withRedirectAsJson(reply))
    expect(response.status).toBe(200)
    expect(response.headers.get("location")).toBeNull()
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(response.headers.getSetCookie()).toEqual(["a=b%20c; Path=/"])
    expect(response.headers.get("x-a")).toBe("1")
    expect(await response.json()).toEqual({ url: "https://app.test/é" })
  })

  it("does not change other answers", () => {
    const reply = json({ a: 1 }, { status: 400 })
    expect(withRedirectAsJson(reply)).toBe(reply)
  })
})

describe("toRaw", () => {
  it("keeps body and cookies as they are", () => {
    const body = { csrfToken: "t" }
    const internal = toRaw(json(body, { cookies: [cookie], headers: { expires: "0" } }))
    expect(internal.body).toBe(body)
    expect(internal).toMatchObject({ status: 200, cookies: [cookie] })
    expect(internal.headers?.get("expires")).toBe("0")
    expect(internal.headers?.has("set-cookie")).toBe(false)
    expect(internal).not.toHaveProperty("redirect")
    expect(toRaw(html("<p>")).body).toBe("<p>")
  })

  it("has the target of a redirect as a field and as a header", () => {
    const internal = toRaw(redirect("/signin?error=é"))
    expect(internal).toMatchObject({ status: 302, redirect: "/signin?error=é", cookies: [] })
    expect(internal.headers?.get("location")).toBe("/signin?error=%C3%A9")
    expect(internal).not.toHaveProperty("body")
  })

  it("keeps the body null", () => {
    expect(toRaw(json(null))).toHaveProperty("body", null)
  })
})

describe("withQuery", () => {
  it("URL-14: adds exactly one parameter for any value", () => {
    const url = withQuery("/err", { error: "x&callbackUrl=https://evil.test#" })
    const { searchParams, hash } = new URL(url, "https://app.test")
    expect([...searchParams]).toEqual([["error", "x&callbackUrl=https://evil.test#"]])
    expect(hash).toBe("")
  })

  it.each([
    ["/err", "/err?error=a"],
    ["/err?lang=de", "/err?lang=de&error=a"],
    ["/err?", "/err?&error=a"],
    ["/err#top", "/err?error=a#top"],
    ["/err?lang=de#top#x", "/err?lang=de&error=a#top#x"],
    ["/err#top?x", "/err?error=a#top?x"],
    ["https://help.test/x", "https://help.test/x?error=a"],
  ])("extends %s to %s", (address, expected) => {
    expect(withQuery(address, { error: "a", code: undefined })).toBe(expected)
  })

  it("returns the URL unchanged if there is nothing to add", () => {
    expect(withQuery("/err?#x", {})).toBe("/err?#x")
    expect(withQuery("/err", { error: undefined })).toBe("/err")
  })

  it("keeps the existing parameters and adds the given ones, for any text", () => {
    const text = fc.string({ unit: anyCharacter }).map((value) => value.toWellFormed())
    const page = fc.webUrl({ withQueryParameters: true, withFragments: true })
    fc.assert(
      fc.property(page, fc.record({ error: text, callbackUrl: text }), (address, query) => {
        const before = new URL(address)
        const after = new URL(withQuery(address, query))
        expect([...after.searchParams]).toEqual([...before.searchParams, ...Object.entries(query)])
        expect(after.origin + after.pathname + after.hash).toBe(before.origin + before.pathname + before.hash)
      }),
    )
  })
})
