import { once } from "node:events"
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2"
import { type AddressInfo, connect } from "node:net"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { createNodeListener, toListener } from "../src/node-listener.js"
import { resolveOrigin } from "../src/origin.js"
import { sendWebResponse } from "../src/send-web-response.js"
import { sendRaw, serve } from "./serve.js"

afterEach(() => {
  vi.restoreAllMocks()
})

const get = (path = "/") => `GET ${path} HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n`

/** Two cookies, one with a comma in it, as providers of trouble send them. */
function twoCookies(): Response {
  const response = new Response("hello", { status: 302, headers: { location: "/page", "x-one": "1" } })
  response.headers.append("set-cookie", "a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT")
  response.headers.append("set-cookie", "b=2; Path=/")
  return response
}

/** An answer that fails after its first piece. */
function breaking(failure: Error): Response {
  const pieces = [new TextEncoder().encode("half")]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.pop()
      if (piece) controller.enqueue(piece)
      else controller.error(failure)
    },
  })
  return new Response(body)
}

describe("sendWebResponse", () => {
  it("sends each cookie as a header of its own and keeps those set before", async () => {
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

  it("sends headers but no body for HEAD, and releases the body", async () => {
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

  it("cancels the body when the client goes away", async () => {
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

  it("cuts the connection when the body breaks, so that half a page is not taken for a whole one", async () => {
    const caught = vi.fn()
    const failure = new Error("store is gone")
    const { origin } = await serve((_, res) => sendWebResponse(breaking(failure), res).catch(caught))
    await expect(fetch(origin).then((response) => response.text())).rejects.toThrow()
    expect(caught).toHaveBeenCalledExactlyOnceWith(failure)
  })

  it("writes nothing after another answer, and releases the body", async () => {
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

describe("createNodeListener", () => {
  it("hands an error to next, and answers 500 without telling it where there is none", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const failure = new Error("a detail for the log")
    const listener = createNodeListener(() => {
      throw failure
    })
    const next = vi.fn()
    const { origin } = await serve(async (req, res) => {
      if (req.url === "/alone") return listener(req, res)
      await listener(req, res, next)
      res.end("from next")
    })
    expect(await (await fetch(`${origin}/`)).text()).toBe("from next")
    expect(next).toHaveBeenCalledExactlyOnceWith(failure)
    const alone = await fetch(`${origin}/alone`)
    expect(alone.status).toBe(500)
    expect(await alone.text()).not.toContain("detail")
    expect(log).toHaveBeenCalledExactlyOnceWith(failure)
  })

  it("is never rejected, whatever next throws: 400 for a junk host, else 500", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const listener = toListener(() => Promise.resolve(null))
    const failure = new Error("a detail for the log")
    const { origin, port } = await serve((req, res) =>
      listener(req, res, async () => {
        await Promise.resolve()
        if (req.url === "/junk") resolveOrigin(req, {})
        throw failure
      }),
    )
    const response = await fetch(origin)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain("detail")
    expect(log).toHaveBeenCalledExactlyOnceWith(failure)
    expect(await sendRaw(port, get("/junk").replace("app.test", "a@b"))).toMatch(/^HTTP\/1\.1 400 /)
  })

  it("answers 404 where there is no next", async () => {
    const { origin } = await serve(toListener(() => Promise.resolve(null)))
    expect((await fetch(origin)).status).toBe(404)
  })

  it("cuts the connection and logs when a body breaks and there is no next", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const failure = new Error("store is gone")
    const { origin } = await serve(createNodeListener(() => breaking(failure)))
    await expect(fetch(origin).then((response) => response.text())).rejects.toThrow()
    expect(log).toHaveBeenCalledExactlyOnceWith(failure)
  })

  it("HOST-06: answers interleaved requests each with its own host", async () => {
    const { port } = await serve(createNodeListener(async ({ url }) => new Response(`<${url}>`)))
    const hosts = Array.from({ length: 40 }, (_, index) => `h${index}.app.test`)
    const answers = await Promise.all(hosts.map((host) => sendRaw(port, get().replace("app.test", host))))
    answers.forEach((answer, index) => {
      expect(answer).toContain(`<http://${hosts[index]}/>`)
    })
  })
})

/** The value once it has stayed the same for a while. */
async function untilStill(read: () => number): Promise<number> {
  let last = -1
  while (read() !== last) {
    last = read()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return last
}
