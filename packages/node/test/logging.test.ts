import type { LogRecord } from "@latchkey/core/types"
import { expect, it, vi } from "vitest"
import { createNodeListener, toNodeHandler } from "../src/index.js"
import { testConfig } from "./config.js"
import { sendRaw, serve } from "./serve.js"

function recording() {
  const records: LogRecord[] = []
  const error = vi.fn()
  return { records, error, logger: { error, record: (record: LogRecord) => void records.push(record) } }
}

it("LOG-01: records a request that is refused before the service sees it", async () => {
  const { records, error, logger } = recording()
  const { port } = await serve(toNodeHandler(testConfig({ logger })))
  const head = "GET /auth/session HTTP/1.1\r\nHost: user@evil.test\r\nX-Request-Id: req-1\r\nConnection: close\r\n\r\n"
  expect(await sendRaw(port, head)).toMatch(/^HTTP\/1\.1 400 /)
  expect(records).toMatchObject([{ outcome: "failure", kind: "host", error: "UntrustedHost", requestId: "req-1" }])
  expect(error).toHaveBeenCalledOnce()
})

it("LOG-01: names a request as the app's own log does", async () => {
  const { records, logger } = recording()
  const auth = toNodeHandler(testConfig({ logger }))
  const { origin } = await serve((req, res) => auth(Object.assign(req, { id: "pino-7" }), res))
  await fetch(`${origin}/auth/unheard-of`, { headers: { "x-request-id": "from-outside" } })
  await fetch(`${origin}/auth/unheard-of`)
  expect(records.map(({ requestId }) => requestId)).toEqual(["pino-7", "pino-7"])
})

it("LOG-04: writes a refused host on one line of the console", async () => {
  const lines: string[] = []
  const write = vi.spyOn(console, "error").mockImplementation((...parts) => void lines.push(parts.join(" ")))
  const { port } = await serve(createNodeListener(() => new Response()))
  await sendRaw(port, "GET /x HTTP/1.1\r\nHost: a@b\x01[auth]\r\nConnection: close\r\n\r\n")
  await sendRaw(port, "GET /x HTTP/1.1\r\nHost: a@[auth]\r\nConnection: close\r\n\r\n")
  write.mockRestore()
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines)
    expect(line).toMatch(/^\[auth\]\[error\] \w+: [^\n\p{Cc}]+ \(reference [0-9A-Z]{4}-[0-9A-Z]{2}\)$/u)
})
