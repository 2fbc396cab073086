import { request as sendRequest } from "node:http"
import { memoryAdapter, recordingLogger, testEmail } from "@latchkey/testkit"
import type { Request } from "express"
import { describe, expect, it } from "vitest"
import { currentSession, ExpressAuth, requireAuth } from "../src/index.js"
import { testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"
import { createVisitor } from "./visitor.js"

interface Answer {
  readonly status: number | undefined
  readonly text: string
}

/** Sends headers that no `fetch` would send. */
function ask(origin: string, path: string, headers: Record<string, string>, body?: string): Promise<Answer> {
  const { hostname, port } = new URL(origin)
  const type = { "content-type": "application/x-www-form-urlencoded" }
  const all = { ...headers, ...(body !== undefined && type) }
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST"
    const sent = sendRequest({ hostname, port, path, method, headers: all }, async (answer) => {
      let text = ""
      for await (const piece of answer) text += piece
      resolve({ status: answer.statusCode, text })
    })
    sent.on("error", reject).end(body)
  })
}

describe.each(expresses)("allowed origins in $name", ({ express }) => {
  async function serveMail(trust: boolean) {
    const adapter = memoryAdapter()
    const logger = recordingLogger()
    const mails: string[] = []
    const email = { ...testEmail(), sendVerificationRequest: ({ url }: { url: string }) => void mails.push(url) }
    const lazy = { allowedOrigins: [] as string[] }
    const config = () => testConfig({ adapter, providers: [email], logger, ...lazy })
    const origin = await serve(express().set("trust proxy", trust).use("/auth", ExpressAuth(config)))
    lazy.allowedOrigins.push(origin)
    const visitor = createVisitor(origin)
    const { csrfToken } = await (await visitor.get("/auth/csrf")).json()
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const form = new URLSearchParams({ csrfToken, email: "v@corp.test" }).toString()
    const host = new URL(origin).host
    return { origin, host, cookie, form, adapter, logger, mails }
  }

  it.each([
    ["Host", false],
    ["X-Forwarded-Host", true],
  ])("HOST-03: mails no link to the host that %s names", async (header, trust) => {
    const { origin, host, cookie, form, adapter, logger, mails } = await serveMail(trust)
    const headers = { host, cookie, [header.toLowerCase()]: "evil.test" }
    expect(await ask(origin, "/auth/signin/email", headers, form)).toEqual({ status: 400, text: '"Bad request."' })
    expect([mails, adapter.calls, logger.errorTypes()]).toEqual([[], [], ["UntrustedHost"]])
    expect(logger.errors[0]?.message).toContain(`"evil.test" (the header ${header})`)
    expect((await ask(origin, "/auth/signin/email", { host, cookie }, form)).status).toBe(302)
    expect(mails.map((url) => new URL(url).origin)).toEqual([origin])
  })

  it("HOST-03: lets nobody past a guard under another origin", async () => {
    const config = testConfig({ allowedOrigins: ["http://app.test"] })
    const app = express()
      .get("/who", currentSession(config), (_req: Request, res) => void res.json(res.locals["session"]))
      .use(requireAuth(config))
      .use((_req: Request, res) => void res.send("private"))
    const origin = await serve(app.set("env", "test"))
    expect((await ask(origin, "/private", { host: "evil.test" })).status).toBe(500)
    expect((await ask(origin, "/private", { host: "app.test" })).status).toBe(401)
    expect(await ask(origin, "/who", { host: "evil.test" })).toEqual({ status: 200, text: "null" })
  })
})
