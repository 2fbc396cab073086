import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assertShallow, readBody } from "./body.js"
import { defaultRequestLimits } from "./limits.js"

const bodyLimit = defaultRequestLimits.bodyBytes
type Stream = ReadableStream<Uint8Array>
const bytes = (text: string) => new TextEncoder().encode(text)
const json = "application/json"
const form = "application/x-www-form-urlencoded"

function post(
  body: string | Uint8Array<ArrayBuffer> | Stream,
  type?: string,
  more: Record<string, string> = {},
): Request {
  const headers = { ...(type !== undefined && { "content-type": type }), ...more }
  // Node requires `duplex` for a stream; the DOM types do not have it yet.
  return new Request("https://app.test/auth/signin", { method: "POST", body, headers, duplex: "half" } as RequestInit)
}

const refused = (status = 400) => expect.objectContaining({ type: "InvalidRequest", status })

describe("readBody", () => {
  it.each([
    "text/plain; x=application/json",
    "text/plain",
    "application/jsonp",
    "application/json-patch+json",
    "xapplication/json",
    "text/xml",
    "multipart/form-data; boundary=application/json",
    "",
  ])("CSRF-08, LIM-03: does not read a body of type %j", async (type) => {
    expect(await readBody(post(bytes('{"csrfToken":"t"}'), type))).toBeUndefined()
  })

  it.each(["code", "state", "iss", "error"])("OAU-12: refuses a form post with two values of %s", async (name) => {
    await expect(readBody(post(`${name}=a&x=1&${name}=b`, form))).rejects.toEqual(refused())
    expect(await readBody(post(`${name}=a&x=1&x=2`, form))).toEqual({ [name]: "a", x: "2" })
  })

  it("CSRF-05: refuses a form with two values of csrfToken", async () => {
    await expect(readBody(post("csrfToken=a&u=v&csrfToken=a", form))).rejects.toEqual(refused())
    await expect(readBody(post("csrfToken=&csrfToken=a", form))).rejects.toEqual(refused())
    expect(await readBody(post("csrfToken=a&csrftoken=b", form))).toEqual({ csrfToken: "a", csrftoken: "b" })
  })

  it("LIM-03: does not read a body without a type", async () => {
    const request = post(bytes("csrfToken=t"))
    expect(await readBody(request)).toBeUndefined()
    expect(request.bodyUsed).toBe(false)
  })

  it.each([json, "Application/JSON", " application/json ;charset=utf-8"])("reads JSON of type %j", async (type) => {
    expect(await readBody(post('{"csrfToken":"t","data":{"a":[1]}}', type))).toEqual({
      csrfToken: "t",
      data: { a: [1] },
    })
  })

  it("reads a form", async () => {
    expect(await readBody(post("a=b+c%20d&e=%C3%A9", `${form}; charset=UTF-8`))).toEqual({ a: "b c d", e: "é" })
  })

  it("LIM-01: refuses a too large Content-Length before it reads anything", async () => {
    const request = post("a=1", form, { "content-length": String(bodyLimit + 1) })
    await expect(readBody(request)).rejects.toEqual(refused(413))
    expect(request.bodyUsed).toBe(false)
  })

  it.each([form, json])("LIM-01: stops reading a %s body of unknown length at the limit", async (type) => {
    let pulled = 0
    let cancelled = 0
    const endless: Stream = new ReadableStream({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new Uint8Array(1024).fill(97))
      },
      cancel: () => {
        cancelled += 1
      },
    })
    await expect(readBody(post(endless, type))).rejects.toEqual(refused(413))
    expect(pulled).toBeLessThan(70)
    expect(cancelled).toBe(1)
  })

  it("reads a body of exactly the limit, in any chunks", async () => {
    const text = `a=${"é".repeat((bodyLimit - 2) / 2)}`
    const chunks = bytes(text)
    const stream: Stream = new ReadableStream({
      start: (controller) => {
        for (let at = 0; at < chunks.length; at += 4_095) controller.enqueue(chunks.slice(at, at + 4_095))
        controller.close()
      },
    })
    expect(await readBody(post(stream, form))).toEqual({ a: text.slice(2) })
    await expect(readBody(post(`${text}x`, form))).rejects.toEqual(refused(413))
  })

  it("LIM-02: refuses JSON that is nested too deeply, without overflowing the stack", async () => {
    await expect(readBody(post(`{"data":${"[".repeat(60_000)}`, json))).rejects.toEqual(refused())
  })

  it("LIM-09: refuses a body whose stream breaks", async () => {
    const broken: Stream = new ReadableStream({
      pull: (controller) => controller.error(new Error("connection reset")),
      start: (controller) => controller.enqueue(bytes('{"a":')),
    })
    await expect(readBody(post(broken, json))).rejects.toEqual(refused())
  })

  it("LIM-01: refuses a stream that does not consist of bytes", async () => {
    const texts = new ReadableStream({ start: (controller) => controller.enqueue("a=1") })
    const request = {
      method: "POST",
      url: "https://app.test/",
      headers: new Headers({ "content-type": form }),
      body: texts,
    }
    await expect(readBody(request)).rejects.toEqual(refused())
  })

  it("refuses a body that was already read or is being read", async () => {
    const read = post("a=1", form)
    await read.text()
    await expect(readBody(read)).rejects.toEqual(refused())
    const locked = post("a=1", form)
    locked.body?.getReader()
    await expect(readBody(locked)).rejects.toEqual(refused())
  })

  it.each(["", "{", "null", "1", '"text"', "[]", '[{"a":1}]', "{'a':1}", '{"password":"hunter2"'])(
    "refuses the JSON body %j without quoting it",
    async (text) => {
      const error: Error = await readBody(post(text, json)).then(
        () => expect.unreachable(),
        (thrown) => thrown,
      )
      expect(error).toEqual(refused())
      expect(error.message + String(error.cause)).not.toContain("hunter2")
    },
  )

  it.each(["callbackUrl", "csrfToken"])("URL-11: refuses a %s that is not text", async (name) => {
    for (const value of [["https://evil.test"], 1, { startsWith: 1 }, null, true]) {
      await expect(readBody(post(JSON.stringify({ [name]: value }), json))).rejects.toEqual(refused())
    }
  })

  it("LIM-06: takes the last of several fields with one name, and does not interpret brackets", async () => {
    expect(await readBody(post("email=a&email=b&email[]=c&csrfToken[x]=1", form))).toEqual({
      email: "b",
      "email[]": "c",
      "csrfToken[x]": "1",
    })
  })

  it.each([
    [form, "__proto__=x&constructor=y&a=1"],
    [json, '{"__proto__":{"isAdmin":true},"constructor":"y","a":"1"}'],
  ])("LIM-06: finds own fields only in %s", async (type, text) => {
    const fields = (await readBody(post(text, type))) ?? {}
    expect(Object.getPrototypeOf(fields)).toBeNull()
    expect(Object.entries(fields)).toEqual([
      ["constructor", "y"],
      ["a", "1"],
    ])
    expect(fields["isAdmin"]).toBeUndefined()
    expect(fields["toString"]).toBeUndefined()
  })

  it.each([
    ['{"data":{"__proto__":{"isAdmin":true},"a":1}}', { data: { a: 1 } }],
    ['{"data":[{"deep":{"\\u005f_proto__":{"isAdmin":true}}}]}', { data: [{ deep: {} }] }],
    ['{"__proto__":{"__proto__":{"isAdmin":true}}}', {}],
  ])("LIM-06: drops __proto__ at every depth of JSON: %s", async (text, expected) => {
    const fields = await readBody(post(text, json))
    expect(fields).toEqual(expected)
    expect(JSON.stringify(fields)).not.toContain("__proto__")
  })

  it("LIM-07: replaces invalid UTF-8 in forms and in JSON", async () => {
    const text = (before: string, after: string) => new Uint8Array([...bytes(before), 0xc3, 0x28, ...bytes(after)])
    expect(await readBody(post(text("a=", ""), form))).toEqual({ a: "\ufffd(" })
    expect(await readBody(post(text('{"a":"', '"}'), json))).toEqual({ a: "\ufffd(" })
  })

  it("reads an empty body as an empty form, and refuses it as JSON", async () => {
    const empty = (type: string) =>
      new Request("https://app.test/", { method: "POST", headers: { "content-type": type } })
    expect(await readBody(empty(form))).toEqual({})
    await expect(readBody(empty(json))).rejects.toEqual(refused())
  })
})

const tooDeep = /nested deeper than 32 levels/
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

describe("assertShallow", () => {
  it.each([33, 200, 60_000])("LIM-02: refuses JSON with %i levels", (depth) => {
    expect(() => assertShallow(nested(depth))).toThrow(tooDeep)
    expect(() => assertShallow(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`)).toThrow(tooDeep)
    expect(() => assertShallow("[{".repeat(depth))).toThrow(tooDeep)
  })

  it("accepts 32 levels of any width", () => {
    expect(() => assertShallow(nested(32))).not.toThrow()
    expect(() => assertShallow(`[${Array(1_000).fill(nested(31)).join()}]`)).not.toThrow()
  })

  it("does not count brackets in strings", () => {
    const deep = "[".repeat(100)
    for (const text of [deep, `\\"${deep}`, `${deep}\\\\`, `\\\\\\"${deep}`, `\n${deep}`]) {
      expect(() => assertShallow(`{"a":"${text}"}`), text).not.toThrow()
    }
    expect(() => assertShallow(`{"a":"\\\\"${deep}`)).toThrow(tooDeep)
  })

  it("reads an unterminated string to the end of the text", () => {
    expect(() => assertShallow(`{"a":"${"[".repeat(100)}`)).not.toThrow()
    expect(() => assertShallow(`"\\`)).not.toThrow()
  })

  // Quadratic time would take billions of steps: the test would time out.
  it.each([
    ["quotes", '"'],
    ["backslashes", "\\"],
    ["escaped quotes", '\\"'],
    ["open strings", '"\\'],
    ["closing brackets", "]"],
    ["letters", "a"],
  ])("LIM-08: reads 64 KiB of %s in linear time, inside and outside of a string", (_, unit) => {
    const text = unit.repeat(65_536 / unit.length)
    expect(() => assertShallow(text)).not.toThrow()
    expect(() => assertShallow(`"${text}`)).not.toThrow()
  })

  it("agrees with JSON.parse on the depth", () => {
    const text = fc.string({ unit: fc.constantFrom(...'[]{}"\\,:a\n') })
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 25, max: 40 }), text, (inner, levels, name) => {
        let value: unknown = inner
        for (let level = 0; level < levels; level++) value = level % 2 ? [name, value] : { [name]: value }
        const check = () => assertShallow(JSON.stringify(value))
        if (depthOf(value) > 32) expect(check).toThrow(tooDeep)
        else expect(check).not.toThrow()
      }),
    )
  })
})

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
