import { once } from "node:events"
import { connect as connectHttp2, createServer as createHttp2Server, type Http2ServerResponse } from "node:http2"
import { type AddressInfo, connect } from "node:net"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { readSetCookies, sendAnswer, sendWebResponse, setCookies } from "../src/response.js"
import { breaking, get, sendRaw, serve } from "./serve.js"

/** Two cookies, one with a comma, which breaks naive splitting. */
function twoCookies(): Response {
  const response = new Response("hello", { status: 302, headers: { location: "/page", "x-one": "1" } })
  response.headers.append("set-cookie", "a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT")
  response.headers.append("set-cookie", "b=2; Path=/")
  return response
}

describe("sendAnswer, of assets", () => {
  const asset = (type: string) => ({ status: 200, headers: [["content-type", type]] as const, body: "x".repeat(2000) })

  it.each([
    ["text/css; charset=utf-8", "gzip, br", "gzip"],
    ["text/javascript; charset=utf-8", "br;q=1, gzip;q=0.5", "gzip"],
    ["text/css; charset=utf-8", "br, gzip;q=0", null],
    ["text/css; charset=utf-8", "gzip ; Q=0.000 , br", null],
    ["text/css; charset=utf-8", "gzip;q=0.0 , br", null],
    ["text/css; charset=utf-8", "identity", null],
    // Pages have tokens beside text of the visitor.
    ["text/html; charset=utf-8", "gzip, br", null],
    ["application/json", "gzip, br", null],
  ])("sends %s to a client that accepts %s with the encoding %s", async (type, accepted, encoding) => {
    const { origin } = await serve((_, res) => sendAnswer(asset(type), res))
    const response = await fetch(origin, { headers: { "accept-encoding": accepted } })
    expect(response.headers.get("content-encoding")).toBe(encoding)
    expect(response.headers.get("vary")).toBe(/css|javascript/.test(type) ? "Accept-Encoding" : null)
    expect(await response.text()).toBe("x".repeat(2000))
  })
})

describe("sendAnswer, of the assets of many services", () => {
  it("sends each its own, however often", async () => {
    const toBody = (url = "") => `.tenant-${url.slice(1)}{color:red}`
    const headers = [["content-type", "text/css; charset=utf-8"]] as const
    const { origin } = await serve((req, res) => sendAnswer({ status: 200, headers, body: toBody(req.url) }, res))
    for (let n = 0; n < 50; n++) {
      const response = await fetch(`${origin}/${n % 25}`, { headers: { "accept-encoding": "gzip" } })
      expect([response.headers.get("content-encoding"), await response.text()]).toEqual(["gzip", toBody(`/${n % 25}`)])
    }
  })
})

describe("sendWebResponse", () => {
  it("sends each cookie in a header of its own and keeps those set before", async () => {
    const { origin } = await serve((_, res) => {
      res.setHeader("set-cookie", "early=1")
      res.setHeader("x-one", "replaced")
      return sendWebResponse(twoCookies(), res)
    })
    const response = await fetch(origin, { redirect: "manual" })
    expect(response.status).toBe(302)
    expect(response.headers.get("location")).toBe("/page")
    expect(response.headers.get("x-one")).toBe("1")
    expect(response.headers.getSetCookie()).toEqual([
      "early=1",
      "a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT",
      "b=2; Path=/",
    ])
    expect(await response.text()).toBe("hello")
  })

  it("sends headers without a body for HEAD, and cancels the body", async () => {
    const cancel = vi.fn()
    const { port } = await serve((_, res) => {
      return sendWebResponse(new Response(new ReadableStream({ cancel }), { headers: { "x-one": "1" } }), res)
    })
    const answer = await sendRaw(port, get().replace("GET", "HEAD"))
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*x-one: 1\r\n(.+\r\n)*\r\n$/)
    expect(cancel).toHaveBeenCalledOnce()
  })

  it("leaves the headers of the connection to Node", async () => {
    const headers = { connection: "keep-alive", "transfer-encoding": "gzip", "keep-alive": "timeout=99" }
    const { port } = await serve((_, res) => sendWebResponse(new Response("x", { headers }), res))
    const answer = await sendRaw(port, get())
    expect(answer).toContain("Connection: close")
    expect(answer).not.toMatch(/gzip|timeout=99/)
  })

  it("writes no faster than the client reads", async () => {
    let pulls = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulls++
          controller.enqueue(new Uint8Array(500_000))
          if (pulls === 100) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const { port } = await serve((_, res) => sendWebResponse(new Response(body), res))
    const socket = connect(port, "127.0.0.1")
    socket.pause()
    socket.write(get())
    await vi.waitFor(() => expect(pulls).toBeGreaterThan(0))
    const settled = await untilStill(() => pulls)
    expect(settled).toBeLessThan(100)
    let received = 0
    socket.on("data", (piece) => {
      received += piece.length
    })
    socket.resume()
    await once(socket, "close")
    expect(pulls).toBe(100)
    expect(received).toBeGreaterThan(50_000_000)
  })

  it("cancels the body when the client disconnects", async () => {
    const cancelled = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
      cancel: () => cancelled.resolve(),
    })
    const { port } = await serve((_, res) => sendWebResponse(new Response(body), res))
    const socket = connect(port, "127.0.0.1", () => socket.write(get()))
    socket.once("data", () => socket.destroy())
    await cancelled.promise
  })

  it("closes the connection when the body fails, so that a truncated page is not taken for a complete one", async () => {
    const caught = vi.fn()
    const failure = new Error("store is gone")
    const { origin } = await serve((_, res) => sendWebResponse(breaking(failure), res).catch(caught))
    await expect(fetch(origin).then((response) => response.text())).rejects.toThrow()
    expect(caught).toHaveBeenCalledExactlyOnceWith(failure)
  })

  it("writes nothing after another response, and cancels the body", async () => {
    const cancel = vi.fn()
    const { origin } = await serve(async (_, res) => {
      res.end("first")
      await sendWebResponse(new Response(new ReadableStream({ cancel })), res)
    })
    expect(await (await fetch(origin)).text()).toBe("first")
    expect(cancel).toHaveBeenCalledOnce()
  })

  it("sends two cookies over HTTP/2", async () => {
    const server = createHttp2Server((_, res) => void sendWebResponse(twoCookies(), res))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo // A server on a TCP port has no other kind of address.
    const client = connectHttp2(`http://127.0.0.1:${port}`)
    onTestFinished(() => {
      client.close()
      server.close()
    })
    const stream = client.request({ ":path": "/" })
    const [head] = await once(stream, "response")
    expect(head["set-cookie"]).toEqual(["a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT", "b=2; Path=/"])
    let text = ""
    for await (const piece of stream) text += String(piece)
    expect(text).toBe("hello")
  })
})

const cookies = [
  ["set-cookie", "a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT"],
  ["set-cookie", "b=2; Path=/"],
] as const

describe("readSetCookies", () => {
  it("returns none, the only one, and each of several", async () => {
    const { origin } = await serve((_, res) => {
      const found = [readSetCookies(res)]
      res.setHeader("set-cookie", "early=1")
      found.push(readSetCookies(res))
      res.appendHeader("set-cookie", "late=2")
      res.end(JSON.stringify([...found, readSetCookies(res)]))
    })
    expect(await (await fetch(origin)).json()).toEqual([[], ["early=1"], ["early=1", "late=2"]])
  })
})

describe("setCookies", () => {
  const sessionCookie = { name: "session", value: "x", options: { path: "/" } }

  async function headersOverHttp2(send: (res: Http2ServerResponse) => unknown) {
    const server = createHttp2Server((_, res) => {
      setCookies(res, [sessionCookie])
      res.setHeader("cache-control", "public, s-maxage=60")
      res.setHeader("cdn-cache-control", "max-age=60")
      send(res)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo // A server on a TCP port has no other kind of address.
    const client = connectHttp2(`http://127.0.0.1:${port}`)
    onTestFinished(() => {
      client.close()
      server.close()
    })
    const [head] = await once(client.request({ ":path": "/" }).resume(), "response")
    return [head["cache-control"], head["cdn-cache-control"], head["set-cookie"]]
  }

  it.each<[string, (res: Http2ServerResponse) => unknown]>([
    ["without a body", (res) => res.end()],
    ["with a body", (res) => res.end("page")],
    ["with headers of its own", (res) => res.writeHead(200, { "cache-control": "public" }).end()],
  ])("keeps an HTTP/2 response %s out of shared caches", async (_, send) => {
    const cookies = ["session=x; Path=/"]
    expect(await headersOverHttp2(send)).toEqual(["private, no-store", undefined, cookies])
  })

  it.each([
    ["with a reason", ["Fine"]],
    ["with none", []],
    ["with an undefined one", [undefined]],
  ])("keeps the headers that writeHead is passed, %s", async (_, reason) => {
    const { origin } = await serve((_, res) => {
      setCookies(res, [sessionCookie])
      Reflect.apply(res.writeHead, res, [418, ...reason, { "x-own": "kept" }])
      res.end()
    })
    const { status, headers } = await fetch(origin)
    expect([status, headers.get("x-own"), headers.getSetCookie()]).toEqual([418, "kept", ["session=x; Path=/"]])
  })

  it.each<[string, unknown]>([
    ["as a flat list", ["Set-Cookie", ["a=1", "b=2"], "X-Own", "kept"]],
    [
      "as pairs",
      [
        ["set-cookie", ["a=1", "b=2"]],
        ["x-own", "kept"],
      ],
    ],
  ])("keeps several cookies apart that writeHead is passed %s", async (_, headers) => {
    const { origin } = await serve((_, res) => {
      setCookies(res, [sessionCookie])
      res.appendHeader("vary", "Cookie")
      Reflect.apply(res.writeHead, res, [200, headers])
      res.end()
    })
    const answer = await fetch(origin)
    expect([answer.status, answer.headers.get("x-own"), answer.headers.getSetCookie()]).toEqual([
      200,
      "kept",
      ["a=1", "b=2"],
    ])
  })

  it("leaves a response alone whose cookies the app has removed", async () => {
    const headers = await headersOverHttp2((res) => {
      res.removeHeader("set-cookie")
      res.end()
    })
    expect(headers).toEqual(["public, s-maxage=60", "max-age=60", undefined])
  })
})

describe("sendAnswer", () => {
  it("writes nothing after another response", async () => {
    const { origin } = await serve((_, res) => {
      res.end("first")
      sendAnswer({ status: 500, headers: [], body: "second" }, res)
    })
    const response = await fetch(origin)
    expect([response.status, await response.text()]).toEqual([200, "first"])
  })

  it("keeps the cookies set before and replaces other headers", async () => {
    const { origin } = await serve((_, res) => {
      res.setHeader("set-cookie", "early=1")
      res.setHeader("x-one", "old")
      sendAnswer({ status: 302, headers: [...cookies, ["x-one", "new"], ["location", "/page"]], body: null }, res)
    })
    const { status, headers } = await fetch(origin, { redirect: "manual" })
    expect([status, headers.get("location"), headers.get("x-one")]).toEqual([302, "/page", "new"])
    expect(headers.getSetCookie()).toEqual(["early=1", ...cookies.map(([, value]) => value)])
  })

  it("sets the length of the body, and omits the body for HEAD", async () => {
    const { origin } = await serve((_, res) => sendAnswer({ status: 200, headers: [], body: "päge" }, res))
    const page = await fetch(origin)
    expect([page.headers.get("content-length"), await page.text()]).toEqual(["5", "päge"])
    expect(await (await fetch(origin, { method: "HEAD" })).text()).toBe("")
  })
})

/** Resolves with the value once it has not changed for a while. */
async function untilStill(read: () => number): Promise<number> {
  let last = -1
  while (read() !== last) {
    last = read()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return last
}
