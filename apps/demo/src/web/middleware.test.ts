import { request as send } from "node:http"
import express from "express"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type LoopbackServer, listenOnLoopback } from "./loopback-server.js"
import { onlyAsLocalhost, onlyFromOwnPages } from "./middleware.js"

let server: LoopbackServer

beforeAll(async () => {
  server = await listenOnLoopback(0)
  const app = express()
  app.use(onlyAsLocalhost(server.origin))
  app.post("/form", onlyFromOwnPages(server.origin), (_request, response) => {
    response.send("accepted")
  })
  app.use((_request, response) => {
    response.send("page")
  })
  server.serve(app)
})

afterAll(() => server.close())

interface Answer {
  readonly status: number | undefined
  readonly location: string | undefined
}

/** `fetch` would set Host and the Sec-Fetch headers itself. */
function ask(method: string, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = server
    const request = send({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      response.resume()
      resolve({ status: response.statusCode, location: response.headers.location })
    })
    request.once("error", reject)
    request.end()
  })
}

describe("onlyAsLocalhost", () => {
  it.each(["attacker.example", "localhost.attacker.example", "localhost", "localhost:1"])(
    "rejects the host %s",
    async (host) => {
      expect(await ask("GET", "/", { host })).toEqual({ status: 421, location: undefined })
    },
  )

  it("rejects a form posted to the IP address", async () => {
    expect((await ask("POST", "/form", { host: `127.0.0.1:${server.port}` })).status).toBe(421)
  })

  it("rejects an absolute URL in place of a path", async () => {
    const host = `127.0.0.1:${server.port}`
    expect((await ask("GET", "http://attacker.example/", { host })).status).toBe(421)
  })

  it("redirects from the IP address to the same page on localhost", async () => {
    const host = `127.0.0.1:${server.port}`
    expect(await ask("GET", "/inbox/3?a=b", { host })).toEqual({
      status: 307,
      location: `${server.origin}/inbox/3?a=b`,
    })
    expect((await ask("GET", "//attacker.example/", { host })).location).toBe(`${server.origin}//attacker.example/`)
  })

  it("accepts its own host name", async () => {
    expect((await ask("GET", "/", { host: `localhost:${server.port}` })).status).toBe(200)
  })
})

describe("onlyFromOwnPages", () => {
  const post = async (headers: Record<string, string>): Promise<number | undefined> =>
    (await ask("POST", "/form", { host: `localhost:${server.port}`, ...headers })).status

  it("rejects forms from other sites, from other ports, and without a source", async () => {
    expect(await post({ "sec-fetch-site": "cross-site", origin: server.origin })).toBe(403)
    expect(await post({ "sec-fetch-site": "same-site" })).toBe(403)
    expect(await post({ origin: "http://attacker.example" })).toBe(403)
    expect(await post({ origin: "null" })).toBe(403)
    expect(await post({})).toBe(403)
  })

  it("accepts its own forms, including from browsers that only send Origin", async () => {
    expect(await post({ "sec-fetch-site": "same-origin", origin: server.origin })).toBe(200)
    expect(await post({ origin: server.origin })).toBe(200)
  })
})
