import { ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { integrationConfig, integrationUser } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { type NodeRequest, resolveOrigin } from "../src/config.js"
import { type NodeListener, toNodeHandler } from "../src/index.js"

// Adapters of function platforms and libraries for tests call the listener of an app without a connection.

type Sent = Pick<NodeRequest, "method" | "url" | "headers" | "body" | "rawHeaders" | "socket">

interface Answer {
  readonly status: number
  readonly cookie: string
  readonly body: string
}

const html = { host: "app.test" }
const form = { ...html, "content-type": "application/x-www-form-urlencoded" }

/** A stream with the given members and no others of `IncomingMessage`. */
const toRequest = (sent: Sent, text?: string): NodeRequest =>
  Object.assign(Readable.from(text === undefined ? [] : [Buffer.from(text)]), sent)

async function call(listener: NodeListener, request: NodeRequest): Promise<Answer> {
  // as: what the adapters pass
  const response = new ServerResponse({ method: request.method } as ConstructorParameters<typeof ServerResponse>[0])
  const { promise, resolve } = Promise.withResolvers<string>()
  Object.assign(response, { end: (body: unknown) => resolve(String(body ?? "")) })
  await listener(request, response)
  const cookies = [response.getHeader("set-cookie") ?? []].flat().map((line) => String(line).split(";", 1)[0])
  return { status: response.statusCode, cookie: cookies.join("; "), body: await promise }
}

const { username, password, name } = integrationUser

async function signIn(listener: NodeListener, send: (fields: URLSearchParams, cookie: string) => NodeRequest) {
  const csrf = await call(listener, toRequest({ method: "GET", url: "/auth/csrf", headers: html }))
  const { csrfToken } = JSON.parse(csrf.body)
  const fields = new URLSearchParams({ username, password, csrfToken, callbackUrl: "/private" })
  const answer = await call(listener, send(fields, csrf.cookie))
  const headers = { ...html, cookie: answer.cookie }
  const session = await call(listener, toRequest({ method: "GET", url: "/auth/session", headers }))
  return { status: answer.status, user: JSON.parse(session.body)?.user?.name }
}

const target = { method: "POST", url: "/auth/callback/credentials" }
const signedIn = { status: 302, user: name }

describe("a request without a connection", () => {
  const listener = toNodeHandler({ ...integrationConfig(), basePath: "/auth" })

  it("signs in with a number as Content-Length, without rawHeaders and socket", async () => {
    const send = (fields: URLSearchParams, cookie: string) => {
      const text = fields.toString()
      return toRequest({ ...target, headers: { ...form, cookie, "content-length": text.length } }, text)
    }
    expect(await signIn(listener, send)).toEqual(signedIn)
  })

  it("signs in with several cookies, a null socket, and a number as Content-Length of a parsed body", async () => {
    const send = (fields: URLSearchParams, cookie: string) => {
      const headers = { ...form, cookie: cookie.split("; "), "content-length": 5, "x-forwarded-port": 443 }
      const mocked = { ...target, headers, body: Object.fromEntries(fields), socket: null }
      return Object.defineProperty(toRequest(mocked), "readableDidRead", { value: undefined })
    }
    expect(await signIn(listener, send)).toEqual(signedIn)
  })

  it("has no session with headers that are null or undefined", async () => {
    const headers = { ...html, cookie: null, "x-forwarded-for": undefined, "content-length": 0 }
    const answer = await call(listener, toRequest({ method: "GET", url: "/auth/session", headers }))
    expect([answer.status, answer.body]).toEqual([200, "null"])
  })

  it("HOST-05: refuses several forwarded hosts", () => {
    const headers = { host: "app.test", "x-forwarded-host": ["evil.test", "app.test"], "x-forwarded-proto": ["https"] }
    expect(() => resolveOrigin(toRequest({ headers }), { trustProxy: true })).toThrow(
      'names "evil.test" and "app.test"',
    )
    const one = { ...headers, "x-forwarded-host": ["app.test", "app.test"] }
    expect(resolveOrigin(toRequest({ headers: one }), { trustProxy: true })).toBe("https://app.test")
  })

  it("HOST-05: refuses several hosts", async () => {
    const answer = await call(
      listener,
      toRequest({ method: "GET", url: "/auth/providers", headers: { host: ["app.test", "evil.test"] } }),
    )
    expect([answer.status, answer.body.includes("evil.test")]).toEqual([400, false])
  })

  it("LIM-01: refuses a body over the limit by a number as Content-Length", async () => {
    const headers = { ...form, "content-length": 70_000 }
    expect((await call(listener, toRequest({ ...target, headers }, "a"))).status).toBe(413)
  })
})
