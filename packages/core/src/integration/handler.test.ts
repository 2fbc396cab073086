import { describe, expect, it } from "vitest"
import { type Caller, type HostConfig, type MountOptions, settingsOf } from "./config.js"
import { answerRequest, isServicePath, toPublicTarget } from "./handler.js"

const config: HostConfig = {
  providers: [{ id: "password", name: "Password", type: "credentials", credentials: {}, authorize: () => null }],
  secret: "a secret of at least thirty-two characters",
  trustHost: true,
  logger: { error: () => {}, warn: () => {}, debug: () => {} },
}

/** Sends a request to an app behind a proxy. */
function ask(caller: Partial<Caller> = {}, env: MountOptions["env"] = {}, init?: RequestInit): Promise<Response> {
  const request = new Request("http://inner.test:3000/auth/providers?a=1", init)
  return answerRequest(
    request,
    { headers: new Headers({ host: "inner.test:3000" }), ...caller },
    settingsOf(config, { env }),
  )
}

/** A body of pieces of 64 KiB, which tells how it ended. */
function piecesOf(count: number): { readonly stream: ReadableStream<Uint8Array>; readonly end: Promise<string> } {
  const { promise, resolve } = Promise.withResolvers<string>()
  const piece = new Uint8Array(64 * 1024).fill(97)
  let left = count
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left-- > 0) return controller.enqueue(piece)
      controller.close()
      resolve("read")
    },
    cancel: () => resolve("canceled"),
  })
  return { stream, end: promise }
}

const signInUrlOf = async (response: Response) => Object((await response.json()).password).signinUrl

describe("answerRequest", () => {
  it("HOST-01: answers 400 for an invalid host", async () => {
    const response = await ask({ host: "app.test/evil" })
    expect([response.status, await response.json()]).toEqual([400, "Bad request."])
  })

  it("uses the origin of AUTH_URL regardless of the request", async () => {
    const env = { AUTH_URL: "https://app.test/auth" }
    expect(await signInUrlOf(await ask({ host: "evil.test" }, env))).toBe("https://app.test/auth/signin/password")
  })

  it("uses the protocol and host from the framework without AUTH_URL", async () => {
    const response = await ask({ protocol: "http:", host: "inner.test:3000" })
    expect(await signInUrlOf(response)).toBe("http://inner.test:3000/auth/signin/password")
    expect(await signInUrlOf(await ask({ host: "app.test" }))).toBe("https://app.test/auth/signin/password")
  })

  it("uses the URL that the server received, unless a trusted proxy forwards another host", async () => {
    const url = "http://url.test:3000/auth/providers"
    const headers = new Headers({ host: "header.test", "x-forwarded-host": "proxy.test", "x-forwarded-proto": "https" })
    expect(await signInUrlOf(await ask({ url, headers }))).toBe("http://url.test:3000/auth/signin/password")
    const trusted = await ask({ url, headers, trustProxy: true })
    expect(await signInUrlOf(trusted)).toBe("https://proxy.test/auth/signin/password")
  })

  it("reads the body of a request with another origin", async () => {
    const request = new Request("http://inner.test/auth/callback/password", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    })
    const settings = settingsOf(config, { env: { AUTH_URL: "https://app.test/auth" } })
    expect((await answerRequest(request, { headers: request.headers }, settings)).status).toBe(400)
  })

  describe("with the length of its body", () => {
    const path = "http://inner.test/auth/callback/password"
    const type = "application/x-www-form-urlencoded"
    const answer = (request: Request) => {
      const caller = { headers: request.headers, protocol: "http:", host: "inner.test" }
      return answerRequest(request, caller, settingsOf(config, { env: {} }))
    }

    it.each([
      ["5", 70_000, 413],
      ["70000", 70_000, 413],
      ["no number", 70_000, 413],
      ["-1", 70_000, 413],
      ["20", 20, 400],
    ])("LIM-01: limits a body whatever length is declared: %s for %s bytes", async (declared, bytes, status) => {
      const headers = { "content-type": type, "content-length": declared, origin: "http://inner.test" }
      const body = "csrfToken=".padEnd(bytes, "x")
      const response = await answer(new Request(path, { method: "POST", headers, body }))
      expect(response.status === 302 ? 400 : response.status).toBe(status)
    })

    it("LIM-01: does not read at once what a transfer encoding delivers in pieces", async () => {
      const headers = { "content-type": type, "content-length": "20", "transfer-encoding": "chunked" }
      const request = new Request(path, { method: "POST", headers, body: "csrfToken=".padEnd(70_000, "x") })
      Object.defineProperty(request, "text", { value: () => expect.unreachable() })
      expect((await answer(request)).status).toBe(413)
    })

    it.each([
      ["over the limit", type, {}, 413],
      ["over the limit, as its length says", type, { "content-length": "524288" }, 413],
      ["of another type", "text/plain", {}, 302],
      ["for an invalid host", type, { host: "app.test/evil" }, 400],
    ])("LIM-10: reads a body %s to its end, and never cancels it", async (_, contentType, others, status) => {
      const body = piecesOf(8)
      const headers = { "content-type": contentType, origin: "http://inner.test", ...others }
      const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body: body.stream, duplex: "half" }
      const host = "host" in others ? others.host : "inner.test"
      const caller = { headers: new Headers(headers), protocol: "http:", host }
      const answered = await answerRequest(new Request(path, init), caller, settingsOf(config, { env: {} }))
      expect([answered.status, await body.end]).toEqual([status, "read"])
    })

    it("LIM-10: cancels a body of more than 64 MiB, after its answer", async () => {
      const body = piecesOf(2_000)
      const init: RequestInit & { duplex: "half" } = { method: "POST", body: body.stream, duplex: "half" }
      const request = new Request(path, { ...init, headers: { "content-type": type } })
      expect([(await answer(request)).status, await body.end]).toEqual([413, "canceled"])
    })

    it("refuses a body that was read before, and one whose connection breaks", async () => {
      const headers = { "content-type": type, "content-length": "9" }
      const used = new Request(path, { method: "POST", headers, body: "a=1234567" })
      await used.text()
      const broken = new ReadableStream({ start: (controller) => controller.error(new Error("reset")) })
      const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body: broken, duplex: "half" }
      for (const request of [used, new Request(path, init)]) expect((await answer(request)).status).toBe(400)
    })

    it("does not look at the body of a GET, which would create one in some servers", async () => {
      const request = new Request("http://inner.test/auth/session")
      const unread = () => {
        throw new Error("The body was read")
      }
      Object.defineProperties(request, { body: { get: unread }, text: { value: unread } })
      expect(await (await answer(request)).json()).toBeNull()
    })
  })
})

describe("isServicePath", () => {
  it.each([
    "/auth",
    "/auth/",
    "/auth/unheard-of",
    "/auth/__proto__",
    "/auth/session/of/ada",
    "/auth/Session",
    "/authsession",
    "/session",
    "/other/auth/session",
  ])("leaves %s to the app", (path) => {
    expect(isServicePath(path, "/auth")).toBe(false)
  })

  it.each(["/auth/session", "/auth/signin/github", "/auth/callback/github/", "/auth/style.css", "/auth/webauthn.js"])(
    "recognizes %s",
    (path) => {
      expect(isServicePath(path, "/auth")).toBe(true)
    },
  )

  it("recognizes the actions of a service mounted at the root", () => {
    expect([isServicePath("/session", ""), isServicePath("/about", "")]).toEqual([true, false])
  })
})

describe("toPublicTarget", () => {
  it("puts the base path in place of the mount path, and keeps the target of a mount for all paths", () => {
    const settings = settingsOf(config, { env: {}, mountPath: "/auth" })
    const behindProxy = { ...settings, basePath: "/shop/auth" }
    expect(toPublicTarget("/auth/session?a=1", "/auth", behindProxy)).toBe("/shop/auth/session?a=1")
    expect(toPublicTarget("/other?a=1", "", behindProxy)).toBe("/other?a=1")
  })
})
