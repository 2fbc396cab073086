import type { IncomingMessage } from "node:http"
import { request as sendRequest } from "node:http"
import { memoryAdapter, recordingLogger, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { getSession, type NodeHandlerOptions, toNodeHandler } from "../src/index.js"
import { testConfig } from "./config.js"
import { serve } from "./serve.js"

interface Sent {
  readonly path: string
  readonly headers: Record<string, string>
  readonly form?: Record<string, string>
}

interface Answer {
  readonly status: number | undefined
  readonly text: string
  readonly cookie: string
}

/** Sends headers that no `fetch` would send. */
function send(origin: string, { path, headers, form }: Sent): Promise<Answer> {
  const { hostname, port } = new URL(origin)
  const body = form && new URLSearchParams(form).toString()
  const type = { "content-type": "application/x-www-form-urlencoded", "content-length": String(body?.length ?? 0) }
  const method = body === undefined ? "GET" : "POST"
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path, method, headers: { ...headers, ...(body !== undefined && type) } }
    sendRequest(options, (answer) => resolve(readAnswer(answer)))
      .on("error", reject)
      .end(body)
  })
}

async function readAnswer(answer: IncomingMessage): Promise<Answer> {
  let text = ""
  for await (const piece of answer) text += piece
  const cookie = (answer.headers["set-cookie"] ?? []).map((line) => line.split(";", 1)[0]).join("; ")
  return { status: answer.statusCode, text, cookie }
}

describe.each(["jwt", "database"] as const)("allowed origins on node:http, with %s sessions", (strategy) => {
  async function serveMail(options: NodeHandlerOptions = {}) {
    const adapter = memoryAdapter()
    const logger = recordingLogger()
    const mails: string[] = []
    const email = { ...testEmail(), sendVerificationRequest: ({ url }: { url: string }) => void mails.push(url) }
    const allowedOrigins = ["http://app.test", "https://app.test"]
    const config = testConfig({ adapter, session: { strategy }, providers: [email], logger, allowedOrigins })
    const { origin } = await serve(toNodeHandler(config, options))
    const ask = async (headers: Record<string, string>) => {
      const own = { ...headers, host: "app.test", "x-forwarded-host": "app.test" }
      const { text, cookie } = await send(origin, { path: "/auth/csrf", headers: own })
      const form = { csrfToken: JSON.parse(text).csrfToken, email: "v@corp.test" }
      return await send(origin, { path: "/auth/signin/email", headers: { ...headers, cookie }, form })
    }
    return { ask, adapter, logger, mails }
  }

  it.each([
    [{ host: "evil.test" }, {}, '"evil.test" (the header Host)'],
    [{ host: "app.test.evil.test" }, {}, '"app.test.evil.test" (the header Host)'],
    [{ host: "app.test." }, {}, '"app.test." (the header Host)'],
    [
      { host: "app.test", "x-forwarded-host": "evil.test" },
      { trustProxy: true },
      '"evil.test" (the header X-Forwarded-Host)',
    ],
  ])("HOST-03, HOST-11: mails no link for %j (%j)", async (headers, options, words) => {
    const { ask, adapter, logger, mails } = await serveMail(options)
    expect(await ask(headers)).toMatchObject({ status: 400, text: '"Bad request."', cookie: "" })
    expect([mails, adapter.calls, logger.errorTypes()]).toEqual([[], [], ["UntrustedHost"]])
    expect(logger.errors[0]?.message).toContain(words)
  })

  it("HOST-02, HOST-03: does not look at X-Forwarded-Host where no proxy is trusted", async () => {
    const { ask, logger, mails } = await serveMail()
    expect((await ask({ host: "app.test", "x-forwarded-host": "evil.test" })).status).toBe(302)
    expect([mails.map((url) => new URL(url).origin), logger.errors]).toEqual([["http://app.test"], []])
  })

  it("HOST-11: mails one to the very origin, however the host is written", async () => {
    const { ask, mails } = await serveMail({ trustProxy: true })
    const https = { host: "inner", "x-forwarded-proto": "https" }
    for (const host of ["APP.TEST", "app.test:443"]) await ask({ ...https, "x-forwarded-host": host })
    expect(mails.map((url) => new URL(url).origin)).toEqual(["https://app.test", "https://app.test"])
  })

  it("HOST-03: gives nobody a session under another origin", async () => {
    const config = testConfig({ allowedOrigins: ["http://app.test"], session: { strategy }, adapter: memoryAdapter() })
    const outcomes: unknown[] = []
    const { origin } = await serve((req, res) => {
      const look = getSession(req, config).then(
        (session) => outcomes.push(session),
        (error: unknown) => outcomes.push(error),
      )
      void look.then(() => res.end())
    })
    await send(origin, { path: "/", headers: { host: "app.test" } })
    await send(origin, { path: "/", headers: { host: "evil.test" } })
    expect(outcomes).toEqual([null, expect.objectContaining({ type: "AuthError" })])
  })
})
