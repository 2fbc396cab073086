import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2"
import { type AddressInfo, connect } from "node:net"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { createNodeListener, toWebRequest } from "../src/index.js"
import { sendRaw, serve } from "./serve.js"

afterEach(() => {
  vi.restoreAllMocks()
})

/** Answers with the request as it arrived. */
const echo = createNodeListener(async (request) => {
  return Response.json({
    method: request.method,
    url: request.url,
    headers: Object.fromEntries(request.headers),
    hasBody: request.body !== null,
    body: await request.text(),
  })
})

interface Echo {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly hasBody: boolean
  readonly body: string
}

async function read(response: Response): Promise<Echo> {
  expect(response.status).toBe(200)
  return (await response.json()) as Echo // Written by `echo` above.
}

/** Reads the stream and sets the result on the request, like a body parser. */
function afterParser(parse: (bytes: Buffer) => object) {
  const listener = createNodeListener(async (request) => Response.json(await describeBody(request)))
  return async (req: IncomingMessage, res: ServerResponse) => {
    const pieces: Buffer[] = []
    for await (const piece of req.iterator({ destroyOnReturn: false })) pieces.push(piece as Buffer) // Node's bytes.
    await listener(Object.assign(req, parse(Buffer.concat(pieces))), res)
  }
}

async function describeBody(request: Request) {
  return { length: request.headers.get("content-length"), body: await request.text() }
}

describe("an invalid request", () => {
  it.each([
    ["HOST-05: an invalid host", "GET /x HTTP/1.1\r\nHost: user@evil.test\r\n"],
    ["HOST-05: two hosts", "GET /x HTTP/1.1\r\nHost: app.test\r\nHost: evil.test\r\n"],
    ["HOST-05: no host", "GET /x HTTP/1.0\r\n"],
    ["no path", "OPTIONS * HTTP/1.1\r\nHost: app.test\r\n"],
    ["URL-21: dot segments", "GET /auth/../x HTTP/1.1\r\nHost: app.test\r\n"],
    ["URL-21: encoded dot segments", "GET /auth/%2e/session HTTP/1.1\r\nHost: app.test\r\n"],
    ["URL-21: a dot segment alone", "GET /auth/./session HTTP/1.1\r\nHost: app.test\r\n"],
    ["URL-21: a backslash", "GET /auth\\session HTTP/1.1\r\nHost: app.test\r\n"],
    ["a method that fetch forbids", "TRACE /x HTTP/1.1\r\nHost: app.test\r\n"],
  ])("is answered with 400: %s", async (_, head) => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const respond = vi.fn(() => new Response())
    const { port } = await serve(createNodeListener(respond))
    const answer = await sendRaw(port, `${head}Connection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('"Bad request."')
    expect(respond).not.toHaveBeenCalled()
    expect(log).toHaveBeenCalledOnce()
  })
})

describe("the URL of a request", () => {
  it("keeps path and query as sent, even if they look like another host", async () => {
    const { origin, port } = await serve(echo)
    expect((await read(await fetch(`${origin}/a%20b/?x=%2F&y=1`))).url).toBe(`${origin}/a%20b/?x=%2F&y=1`)
    const answer = await sendRaw(port, "GET //evil.test/x HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n")
    expect(answer).toContain('"url":"http://app.test//evil.test/x"')
  })

  it("HOST-11: reduces a target in absolute form to its path", async () => {
    const { port } = await serve(echo)
    const answer = await sendRaw(
      port,
      "GET http://evil.test/x?y HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n",
    )
    expect(answer).toContain('"url":"http://app.test/x?y"')
  })

  it.each(["http://app.test?y", "http://app.test:80?y", "HTTP://[::1]?y"])(
    "HOST-11: reads an absent path as the root, in %s",
    async (target) => {
      const { port } = await serve(echo)
      const answer = await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n`)
      expect(answer).toContain('"url":"http://app.test/?y"')
    },
  )

  it.each([
    "http://app.test%2fprivate/",
    "http://user@app.test/x",
    "http://app.test:80:80/x",
    "http:///x",
    "http://app.test,evil.test/x",
    "ftp://app.test/x",
  ])("HOST-11: rejects %s, which routers read differently", async (target) => {
    const { port } = await serve(echo)
    const answer = await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  it("comes from originalUrl if a framework has shortened url", async () => {
    const { origin } = await serve((req, res) => echo(Object.assign(req, { originalUrl: req.url, url: "/cut" }), res))
    expect((await read(await fetch(`${origin}/auth/session`))).url).toBe(`${origin}/auth/session`)
  })
})

describe("the headers of a request", () => {
  it("include the changes of middleware", async () => {
    const { origin } = await serve((req, res) => {
      delete req.headers["x-spoofed"]
      return echo(req, res)
    })
    const { headers } = await read(await fetch(origin, { headers: { "x-spoofed": "1", "x-kept": "2" } }))
    expect(headers).toMatchObject({ "x-kept": "2" })
    expect(headers).not.toHaveProperty("x-spoofed")
  })
})

describe("the body of a request", () => {
  it.each(["GET", "HEAD", "DELETE", "POST"])("is null for %s without a body", async (method) => {
    const seen = vi.fn((request: Request) => new Response(String(request.body)))
    const { origin } = await serve(createNodeListener(seen))
    await fetch(origin, { method })
    expect(seen.mock.calls[0]?.[0].body).toBeNull()
  })

  it("arrives complete, with and without a length", async () => {
    const { origin } = await serve(echo)
    const text = "é".repeat(300_000)
    expect((await read(await fetch(origin, { method: "POST", body: text }))).body).toBe(text)
    const chunked: RequestInit & { duplex: "half" } = {
      method: "POST",
      body: new Blob([text]).stream(),
      duplex: "half",
    }
    expect((await read(await fetch(origin, chunked))).body).toBe(text)
  })

  it("can be cancelled while the client is sending: the response arrives and the connection stays usable", async () => {
    const refusal = createNodeListener(async (request) => {
      const reader = request.body?.getReader()
      await reader?.read()
      await reader?.cancel()
      return new Response("too large", { status: 413 })
    })
    const { origin } = await serve(refusal)
    for (let round = 0; round < 3; round++) {
      const response = await fetch(origin, { method: "POST", body: new Uint8Array(8_000_000) })
      expect(response.status).toBe(413)
      expect(await response.text()).toBe("too large")
    }
  })

  it("is discarded if a handler leaves it unread, so that the connection stays usable", async () => {
    const { port } = await serve(
      createNodeListener(async (request) => {
        await request.body?.getReader().read()
        return new Response("ok")
      }),
    )
    const piece = "x".repeat(200_000)
    const first = `POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: ${piece.length}\r\n\r\n${piece}`
    const answer = await sendRaw(port, `${first}GET / HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n`)
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  })

  it("fails when the client disconnects, and the signal is aborted", async () => {
    const seen = Promise.withResolvers<{ failure: unknown; isAborted: boolean }>()
    const { port } = await serve(
      createNodeListener(async (request) => {
        socket.destroy()
        const failure = await request.text().catch((error: unknown) => error)
        seen.resolve({ failure, isAborted: request.signal.aborted })
        return new Response()
      }),
    )
    const socket = connect(port, "127.0.0.1")
    socket.write("POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 10\r\n\r\nhalf")
    const { failure, isAborted } = await seen.promise
    expect(failure).toBeInstanceOf(Error)
    expect(isAborted).toBe(true)
  })

  it("fails when the client disconnects, without a response option", async () => {
    const seen = Promise.withResolvers<unknown>()
    const { port } = await serve((req) => {
      socket.destroy()
      seen.resolve(
        toWebRequest(req)
          .text()
          .catch((error: unknown) => error),
      )
    })
    const socket = connect(port, "127.0.0.1")
    socket.write("POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 10\r\n\r\nhalf")
    expect(await seen.promise).toBeInstanceOf(Error)
  })

  it("is received no faster than it is read", async () => {
    const { origin } = await serve(async (req, res) => {
      const reader = toWebRequest(req).body?.getReader()
      await reader?.read()
      const isPaused = req.isPaused()
      await reader?.cancel()
      res.end(String(isPaused))
    })
    const response = await fetch(origin, { method: "POST", body: new Uint8Array(1_000_000) })
    expect(await response.text()).toBe("true")
  })

  it("stays readable for the next handler if it was not read", async () => {
    const listener = createNodeListener(() => {
      throw new Error("not mine")
    })
    const { origin } = await serve(async (req, res) => {
      const pieces: string[] = []
      await listener(req, res, async () => {
        for await (const piece of req) pieces.push(String(piece))
        res.end(pieces.join(""))
      })
    })
    expect(await (await fetch(origin, { method: "POST", body: "for the next" })).text()).toBe("for the next")
  })

  const json = { method: "POST", headers: { "content-type": "application/json; charset=utf-8" } }
  const form = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" } }

  it("is rebuilt from a parsed form, with lists and nested fields", async () => {
    const parsed = { a: "1 é&", list: ["x", "y"], csrfToken: { deep: "z" } }
    const { origin } = await serve(afterParser(() => ({ body: parsed })))
    const answer = await (await fetch(origin, { ...form, body: "a=1" })).json()
    expect(answer).toEqual({ length: null, body: "a=1+%C3%A9%26&list=x&list=y&csrfToken%5Bdeep%5D=z" })
  })

  it("is rebuilt from parsed JSON", async () => {
    const { origin } = await serve(afterParser((bytes) => ({ body: JSON.parse(bytes.toString()) })))
    const answer = await (await fetch(origin, { ...json, body: '{ "a": [1, "é"] }' })).json()
    expect(answer).toEqual({ length: null, body: '{"a":[1,"é"]}' })
  })

  it.each(["rawBody", "body"])("is taken unchanged from the bytes in %s", async (field) => {
    const { origin } = await serve(afterParser((bytes) => ({ body: { other: 1 }, [field]: bytes })))
    expect(await (await fetch(origin, { ...form, body: "a=%20b" })).json()).toEqual({ length: null, body: "a=%20b" })
  })

  it("is taken unchanged from text", async () => {
    const { origin } = await serve(afterParser((bytes) => ({ body: bytes.toString() })))
    expect(await (await fetch(origin, { ...form, body: "a=%20b" })).json()).toEqual({ length: null, body: "a=%20b" })
  })

  it("is empty for a parsed file upload", async () => {
    const { origin } = await serve(afterParser(() => ({ body: { csrfToken: "x" } })))
    const upload = new FormData()
    upload.set("csrfToken", "x")
    const answer = await (await fetch(origin, { method: "POST", body: upload })).json()
    expect(answer).toMatchObject({ body: "" })
  })

  it("is taken from the body option", async () => {
    const { origin } = await serve(async (req, res) => {
      const request = toWebRequest(req, { body: { from: "elsewhere" } })
      res.end(JSON.stringify(await describeBody(request)))
    })
    const answer = await (await fetch(origin, { ...json, body: "{}" })).json()
    expect(answer).toEqual({ length: null, body: '{"from":"elsewhere"}' })
  })

  it("is never silently empty: a stream that was read without a parsed body throws", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const { origin } = await serve(afterParser(() => ({})))
    expect((await fetch(origin, { ...form, body: "a=1" })).status).toBe(500)
    expect(String(log.mock.calls[0]?.[0])).toContain("Mount authentication before")
  })

  it("is empty at once if a parser has read an empty body", async () => {
    const { port } = await serve(afterParser(() => ({ body: {} })))
    const head = "POST / HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n"
    expect(await sendRaw(port, head)).toContain('"body":""')
  })
})

describe("a request over HTTP/2", () => {
  it("has a URL, joined cookies and a body, and no pseudo-headers", async () => {
    const server = createHttp2Server((req, res) => void echo(req, res))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo // A server on a TCP port has no other kind of address.
    const client = connectHttp2(`http://127.0.0.1:${port}`)
    onTestFinished(() => {
      client.close()
      server.close()
    })
    const stream = client.request({ ":method": "POST", ":path": "/auth/x?y=1", cookie: ["a=1", "b=2"] })
    stream.end("hello")
    const [head] = await once(stream, "response")
    let text = ""
    for await (const piece of stream) text += String(piece)
    const seen = JSON.parse(text) as Echo // Written by `echo` above.
    expect(head[":status"]).toBe(200)
    expect(seen).toMatchObject({ method: "POST", url: `http://127.0.0.1:${port}/auth/x?y=1`, body: "hello" })
    expect(seen.headers).toEqual({ cookie: "a=1; b=2" })
  })
})
