import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { failureReasons, tellStory } from "@latchkey/core/diagnosis"
import { InvalidCheck } from "@latchkey/core/errors"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { latchkey, type Outcome, runHere } from "./command.js"

const folder = mkdtempSync(join(tmpdir(), "latchkey-explain-"))
afterEach(() => vi.unstubAllEnvs())
afterAll(() => rmSync(folder, { recursive: true }))

async function* chunksOf(text: string, size = 1 << 20): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let n = 0; n < bytes.length; n += size) yield bytes.subarray(n, n + size)
}

/** Runs the command in this process, with a log on the standard input. */
const explain = (args: readonly string[], log: string, size?: number): Promise<Outcome> =>
  runHere(["explain", ...args], { folder, input: chunksOf(log, size) })

const unwrap = (text: string) => text.replaceAll(/\n +/g, " ")

const record = {
  time: "2026-11-28T08:15:06.123Z",
  requestId: "0af7651916cd43dd",
  providerId: "demo",
  outcome: "failure",
  kind: "check",
  error: "InvalidCheck",
  reference: "VHMJ-TD",
  reason: "flow-other-host",
  facts: { ageSeconds: 4, otherFlows: 3, host: "www.app.example" },
}
const json = JSON.stringify(record)
const message = "state: the flow began at another host of this service, or with another client or issuer"
const lines = [
  `[auth][error] InvalidCheck: ${message} (reference VHMJ-TD)`,
  "  [cause] provider: demo, reason: flow-other-host, ageSeconds: 4, otherFlows: 3, host: www.app.example",
]
const noise = Array.from({ length: 50 }, (_, n) => `{"level":30,"msg":"request ${n}"}`).join("\n")

describe("latchkey explain", () => {
  const whole = [
    "VHMJ-TD · 28 Nov 2026, 08:15:06 UTC · provider demo · InvalidCheck (flow-other-host)",
    "  The sign-in began 4 seconds earlier. It began at another host of this service.",
    "  → Use one host",
    '  Guide: "Proxies", section "If it does not work"',
  ]

  it("names both hosts of a sign-in that began elsewhere, and tells http from https", async () => {
    const told = async (facts: object) =>
      unwrap((await explain(["VHMJ-TD"], JSON.stringify({ ...record, facts }))).output)
    const hosts = { from: "https://app.example", host: "www.app.example" }
    expect(await told(hosts)).toContain(
      "It began at https://app.example. The provider sent the visitor back to www.app.",
    )
    const output = await told({ from: "http://app.example", host: "app.example" })
    expect(output).toContain(
      "It began at http://app.example. The provider sent the visitor back to https://app.example,",
    )
    expect(output).toContain("→ Redirect http to https")
  })

  it.each<[string, string]>([
    ["logger.record", json],
    [
      "pino",
      JSON.stringify({ level: 50, pid: 1, hostname: "a", ...record, time: Date.parse(record.time), msg: "auth" }),
    ],
    ["winston", JSON.stringify({ level: "error", message: record, timestamp: record.time })],
    ["winston with text", JSON.stringify({ level: "error", message: json, timestamp: record.time })],
    ["Bunyan", JSON.stringify({ name: "app", hostname: "a", pid: 1, level: 50, msg: "", v: 0, ...record })],
    ["Google Cloud", JSON.stringify({ insertId: "x", jsonPayload: record, timestamp: record.time })],
    ["Docker", JSON.stringify({ log: `${json}\n`, stream: "stdout", time: record.time })],
    ["CloudWatch", JSON.stringify({ timestamp: 1_795_853_706_123, message: `${json}\n`, ingestionTime: 1 })],
    ["Vercel", JSON.stringify({ id: "1", timestamp: 1_795_853_706_123, message: json, source: "lambda" })],
    ["Fly", `2026-11-28T08:15:06Z app[148e] fra [info] ${json}`.replace(" fra", "")],
    ["the console of Docker Compose", lines.map((line) => `web-1  | 2026-11-28T08:15:06.1Z ${line}`).join("\n")],
    ["the console with colors", lines.map((line) => `\u001b[31m2026-11-28T08:15:06.1Z ${line}\u001b[39m`).join("\n")],
    ["the console of Kubernetes", lines.map((line) => `2026-11-28T08:15:06.123456789Z stderr F ${line}`).join("\n")],
    ["systemd", lines.map((line) => `2026-11-28T08:15:06+0000 web-1 node[812]: ${line}`).join("\n")],
    ["PM2", lines.map((line) => `0|app  | 2026-11-28T08:15:06: ${line}`).join("\n")],
    [
      "the console of AWS Lambda",
      lines.map((line) => `2026-11-28T08:15:06.123Z\t6bc28136-ad9b-4ee5-a23e-e8ea0a5ba4e5\tERROR\t${line}`).join("\n"),
    ],
    ["JSON behind syslog", `Nov 28 08:15:06 web-1 node[812]: ${json}`],
    [
      "the console in Docker's JSON",
      lines.map((line) => JSON.stringify({ log: `${line}\n`, stream: "stderr", time: record.time })).join("\n"),
    ],
  ])("tells the story from %s", async (_, log) => {
    for (const end of ["\n", "\r\n"]) {
      const { code, output } = await explain(["vhmj-td"], `${noise}\n${log}\n${noise}`.replaceAll("\n", end))
      expect(code).toBe(0)
      for (const line of whole) expect(output).toContain(line)
      expect(
        output
          .split("\n")
          .slice(1)
          .every((line) => line.length <= 80),
      ).toBe(true)
      expect(unwrap(output)).toContain("The provider sent the visitor back to www.app.example, where")
    }
  })

  it("tells the story from syslog, which has no year", async () => {
    const log = lines.map((line) => `Nov 28 08:15:06 web-1 node[812]: ${line}`).join("\n")
    expect((await explain(["VHMJ-TD"], log)).output).toMatch(
      /^VHMJ-TD · provider demo · InvalidCheck \(flow-other-host\)/,
    )
  })

  it("finds a reference wherever the chunks of the stream end", async () => {
    const log = `${noise}\n${lines.join("\n")}\n${noise}\n`
    for (const size of [1, 7, 64, 1000]) {
      const { output } = await explain(["VHMJ-TD"], log, size)
      expect(output).toContain("provider demo · InvalidCheck (flow-other-host)")
    }
  })

  it("finds a reference anywhere in a log that is larger than what it keeps", async () => {
    const window = 4 * 1024 * 1024
    const line = `${JSON.stringify({ level: 30, msg: "x".repeat(100) })}\n`
    const store = JSON.stringify({ ...record, error: "AdapterError", reference: "AAAA-AA", reason: "adapter-failed" })
    const failure = `${store}\n${lines.join("\n")}\n${json}\n`
    for (const before of [window - 600, window - 300, 2 * window + 10]) {
      const start = line.repeat(Math.floor(before / line.length))
      const log = `${start}${" ".repeat(before - start.length)}\n${failure}${line.repeat(50_000)}`
      const { output } = await explain(["VHMJ-TD"], log)
      expect([before, output]).toEqual([before, expect.stringContaining("InvalidCheck (flow-other-host)")])
      expect(unwrap(output)).toContain("In the same request: AdapterError (AAAA-AA).")
      expect((await explain([], log)).output).toMatch(/^1 × adapter-failed.*^1 × flow-other-host/ms)
    }
    const endless = `${"a reference ".repeat(1_000_000)}\n${json}`
    expect((await explain(["VHMJ-TD"], endless)).output).toContain("(flow-other-host)")
  })

  it("gives advice for a line that has a message alone", async () => {
    const old = `[auth][error] InvalidCheck: ${message} (reference VHMJ-TD)`
    expect((await explain(["VHMJ-TD"], old)).output).toContain("→ Use one host")
    const own = JSON.stringify({
      level: "error",
      type: "AdapterError",
      message: "getUser failed",
      reference: "VHMJ-TD",
    })
    expect((await explain(["VHMJ-TD"], own)).output).toContain("AdapterError (adapter-failed)")
    const general = "[auth][error] AuthError: something of the app \u0007 (reference VHMJ-TD)"
    expect(unwrap((await explain(["VHMJ-TD"], general)).output)).toMatch(
      /AuthError \(unexpected\).*something of the app/s,
    )
    const unknown = "[auth][error] OfTheApp: something of the app \u0007 (reference VHMJ-TD)"
    expect((await explain(["VHMJ-TD"], unknown)).output).toContain("does not say why")
  })

  it("names other failures of the same request", async () => {
    const store = { ...record, error: "AdapterError", reference: "AAAA-AA", reason: "adapter-failed", facts: undefined }
    const { output } = await explain(["VHMJ-TD"], `${JSON.stringify(store)}\n${json}\n`)
    expect(unwrap(output)).toContain("In the same request: AdapterError (AAAA-AA).")
  })

  it("counts the reasons without a reference, with the newest reference of each", async () => {
    const many = Array.from({ length: 12 }, (_, n) =>
      JSON.stringify({
        ...record,
        reference: `AAA${n % 10}-A${n < 10 ? "A" : "B"}`,
        reason: n < 4 ? "rate-limited" : "link-spent",
      }),
    )
    const { code, output } = await explain([], many.join("\n"))
    expect(code).toBe(0)
    expect(output).toMatch(/^8 × link-spent, the newest AAA1-AB /)
    expect(output).toMatch(/^4 × rate-limited, the newest AAA3-AA/m)
    const parsed = JSON.parse((await explain(["--json"], many.join("\n"))).output)
    expect(parsed).toMatchObject({ version: 1, reasons: [{ reason: "link-spent", count: 8 }, { count: 4 }] })
  })

  it("prints JSON", async () => {
    const { output } = await explain(["VHMJ-TD", "--json"], json)
    expect(JSON.parse(output)).toMatchObject({
      version: 1,
      reference: "VHMJ-TD",
      reason: "flow-other-host",
      facts: record.facts,
      fixes: tellStory("flow-other-host", record.facts).fixes,
      guide: ["Proxies", "If it does not work"],
    })
  })

  it("exits with 1 for a reference that the log does not have, and with 2 if it cannot look", async () => {
    expect(await explain(["AAAA-AA"], json)).toEqual({
      code: 1,
      output: "",
      errors: "The log does not have AAAA-AA.\n",
    })
    expect((await explain([], noise)).code).toBe(1)
    for (const args of [["7F3K"], ["AAAA-AA", "BBBB-BB"], ["--file", "missing.log"], ["--unknown"]]) {
      expect([args, (await explain(args, json)).code]).toEqual([args, 2])
    }
  })

  it("reads a file", async () => {
    writeFileSync(join(folder, "app.log"), `${noise}\n${json}\n`)
    const outcome = await latchkey(["explain", "VHMJ-TD", "--file", "app.log"], folder)
    expect([outcome.code, outcome.output]).toEqual([0, expect.stringContaining("(flow-other-host)")])
  })

  it("reads the standard input, to its end", async () => {
    const log = `${noise}\n`.repeat(2_000) + json
    expect(log.length).toBeGreaterThan(1 << 20)
    const outcome = await latchkey(["explain", "VHMJ-TD"], folder, {}, log)
    expect([outcome.code, outcome.output]).toEqual([0, expect.stringContaining("(flow-other-host)")])
  })

  it("counts a failure once that two loggers wrote, however many others there are", async () => {
    const entry = (n: number) => {
      const reference = `${n}`.padStart(6, "0").replace(/^(.{4})/, "$1-")
      return `[auth][error] InvalidCheck: ${message} (reference ${reference})\n${JSON.stringify({ ...record, reference })}`
    }
    const { output } = await explain([], Array.from({ length: 5_000 }, (_, n) => entry(n)).join("\n"))
    expect(output).toMatch(/^5000 × flow-other-host, the newest 0049-99/)
  })

  it.each([
    ["2026-11-28T08:15:06.123456789Z", "28 Nov 2026, 08:15:06 UTC"],
    ["2026-11-28T09:15:06+01:00", "28 Nov 2026, 08:15:06 UTC"],
    ["2026-11-28T08:15:06", "28 Nov 2026, 08:15:06 UTC"],
    ["2026-13-28T08:15:06.123Z", "provider demo"],
    ["2026-11-28T25:15:06.123Z", "provider demo"],
  ])("reads the time %s", async (time, shown) => {
    vi.stubEnv("TZ", "America/New_York")
    const { output } = await explain(["VHMJ-TD"], JSON.stringify({ ...record, time }))
    expect(output).toContain(`VHMJ-TD · ${shown} · `)
  })

  it.each([
    ["a path", '10.0.0.1 - - "GET /[auth][error] Forged: x (reference VHMJ-TD) HTTP/1.1" 404'],
    ["a path without quotes", "GET /[auth][error] Forged: x (reference VHMJ-TD)"],
    ["a user agent", "10.0.0.1 200 curl/8 [auth][error] Forged: x (reference VHMJ-TD)"],
    ["a user agent in JSON", JSON.stringify({ ua: "[auth][error] Forged: x (reference VHMJ-TD)", msg: "GET /" })],
    [
      "JSON in a header in JSON",
      JSON.stringify({ headers: { "x-a": JSON.stringify({ ...record, error: "Forged" }) } }),
    ],
    ["JSON in a user agent", `10.0.0.1 "GET /" ua=${JSON.stringify({ ...record, error: "Forged" })}`],
    [
      "an id of another request",
      JSON.stringify({ ...record, error: "Forged", reference: "ZZZZ-ZZ", reason: "rate-limited" }),
    ],
    [
      "a message of another logger",
      JSON.stringify({ msg: JSON.stringify({ ...record, error: "Forged", reason: "rate-limited" }) }),
    ],
  ])("DOC-06: is not misled by %s", async (_, forged) => {
    const { output } = await explain(["VHMJ-TD"], `${forged}\n${json}\n${forged}\n`)
    expect(output).toContain("InvalidCheck (flow-other-host)")
    expect(output).not.toContain("· Forged")
  })

  it("DOC-06: shows no control character, and no fact of another form", async () => {
    const evil = "\u001b[2J\u009b31m\r\nfake"
    const forged = {
      ...record,
      providerId: evil,
      facts: { host: evil, ageSeconds: "4; rm", note: "x", otherFlows: [] },
    }
    const { output } = await explain(["VHMJ-TD"], JSON.stringify(forged))
    expect(output.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
    expect(output).not.toMatch(/fake|rm/)
    const own = JSON.stringify({ type: "Other", message: evil, reference: "VHMJ-TD" })
    expect((await explain(["VHMJ-TD"], own)).output.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
  })

  it("DOC-01: withholds addresses and tokens that the message of an app's own error has", async () => {
    const values = [
      "ada@visitor.test",
      "ada%40visitor.test",
      "sk_live_0123456789abcdef",
      `eyJhbGciOiJub25lIn0.${"a".repeat(9)}.b`,
    ]
    const message = `No seat for ${values.join(", ")} in providers.demo.profile of AUTH_DEMO_SECRET_OF_THE_APP`
    const own = JSON.stringify({ ...record, error: "AccessDenied", reason: undefined, facts: {}, message })
    for (const args of [["VHMJ-TD"], ["VHMJ-TD", "--json"]]) {
      const output = (await explain(args, own)).output.replaceAll(/\s+/g, " ")
      for (const value of values) expect(output).not.toContain(value)
      expect(output).toContain("in providers.demo.profile of AUTH_DEMO_SECRET_OF_THE_APP")
    }
  })

  it("reads what the console of the service writes", async () => {
    const error = new InvalidCheck("state: missing from the callback", { provider: "demo" })
    const line = `[auth][error] ${error.name}: ${error.message} (reference ${error.reference})`
    expect((await explain([error.reference], line)).output).toContain("InvalidCheck (state-missing)")
  })
})

describe("tellStory", () => {
  it.each(failureReasons)("tells %s with and without facts, in plain text", (reason) => {
    const facts = { ageSeconds: 5, otherFlows: 2, host: "a.test", status: 401, error: "invalid_client", guess: 1 }
    for (const story of [tellStory(reason), tellStory(reason, facts)]) {
      const texts = [...story.sentences, ...story.fixes]
      expect(texts.length).toBeGreaterThanOrEqual(2)
      for (const text of texts) expect(text).toMatch(/^[A-Z`a-z].*[.:\]"]$|latchkey migrate\.$/)
      expect(texts.join(" ")).not.toMatch(/undefined|NaN|null\b/)
    }
  })
})
