import type { IncomingMessage } from "node:http"
import type { AuthConfig } from "@latchkey/core"
import { answerDoctor } from "@latchkey/core/doctor"
import Credentials from "@latchkey/core/providers/credentials"
import type { AuthContext } from "@latchkey/core/types"
import { describe, expect, it } from "vitest"
import type { Examination } from "../../src/doctor/finding.js"
import { examineInside } from "../../src/doctor/inside.js"
import { runHere } from "../command.js"
import { context, createApp, serve } from "./sites.js"

const secret = "only-for-the-tests-of-the-doctor-0"
const providers = [Credentials({ credentials: {}, authorize: () => ({ id: "1" }) })]
const unlimited = { rateLimit: false } as const

interface Planted {
  readonly config?: Partial<AuthConfig>
  /** What a proxy adds. */
  readonly headers?: Record<string, string>
  /** Whether the proxy drops the `X-Forwarded-For` of clients. */
  readonly isReplacing?: boolean
  readonly connection?: AuthContext
  readonly mode?: string
  /** Bytes of an answer's headers that the proxy lets through. */
  readonly most?: number
}

async function plant(planted: Planted = {}): Promise<string> {
  const { config, headers = {}, connection = {}, mode, most = 1 << 20, isReplacing } = planted
  const context = { clientAddress: "127.0.0.1", ...connection }
  const app = createApp(
    { secret, providers, doctor: answerDoctor(), ...config },
    { findOrigin: () => origin, connection: context, ...(mode !== undefined && { environment: { NODE_ENV: mode } }) },
  )
  const origin = await serve((request: IncomingMessage, response) => {
    const sent = isReplacing ? undefined : request.headers["x-forwarded-for"]
    const chain = headers["x-forwarded-for"] && [sent, headers["x-forwarded-for"]].filter(Boolean).join(", ")
    Object.assign(request.headers, headers, chain && { "x-forwarded-for": chain })
    const writeHead = response.writeHead.bind(response)
    const cut = (status: number, given: Record<string, string | string[]> = {}) => {
      const isLarge = JSON.stringify(given).length > most
      return writeHead(isLarge ? 502 : status, isLarge ? {} : given)
    }
    return app(request, Object.assign(response, { writeHead: cut }))
  })
  return origin
}

function look(origin: string, secrets = [secret]): Promise<Examination> {
  const progress = { step: () => {}, clear: () => {} }
  return examineInside({ url: new URL("/auth", origin), insecure: false, context, progress }, secrets)
}

const proxied = { "x-forwarded-for": "192.0.2.1" }
/** What a proxy of this machine says of a command on this machine. */
const fromHere = { "x-forwarded-for": "127.0.0.1" }

describe("what the app tells latchkey doctor", () => {
  it.each<[string, Planted]>([
    ["without a proxy", {}],
    ["behind a proxy that is named", { headers: proxied, config: { trustedProxies: ["127.0.0.1"] } }],
    [
      "behind a framework that reads its headers",
      { headers: proxied, connection: { isForwarded: true, clientAddress: "192.0.2.1" } },
    ],
    [
      "behind a proxy that is named, on the machine of the command",
      { headers: fromHere, config: { trustedProxies: ["127.0.0.1"] } },
    ],
  ])("is no mistake %s", async (_, planted) => {
    expect(await look(await plant(planted))).toEqual({ findings: [], unchecked: [] })
  })

  it("is not clear on the machine of a proxy that drops the header of clients", async () => {
    const config = { trustedProxies: ["127.0.0.1"] }
    const { findings, unchecked } = await look(await plant({ headers: fromHere, isReplacing: true, config }))
    expect([findings, unchecked]).toEqual([
      [],
      [{ code: "trusted-proxies", reason: expect.stringContaining("from another machine") }],
    ])
  })

  it.each<[string, string, Planted, string]>([
    [
      "a proxy that is not among the named ones, on the machine of the command",
      "trusted-proxies",
      { headers: fromHere, config: { trustedProxies: ["10.0.0.7"] } },
      'trustedProxies: ["127.0.0.1"]',
    ],
    [
      "a proxy of a framework that hides the connection",
      "trusted-proxies",
      { headers: proxied, connection: { clientAddress: undefined } },
      'trustedProxies: ["<the address of your proxy>"]',
    ],
    [
      "a proxy of this machine that is not named",
      "trusted-proxies",
      { headers: proxied },
      'trustedProxies: ["127.0.0.1"]',
    ],
    [
      "a proxy elsewhere that is not named",
      "trusted-proxies",
      { headers: proxied, connection: { clientAddress: "198.51.100.9" } },
      'trustedProxies: ["198.51.100.9"]',
    ],
    [
      "a runtime that knows no addresses",
      "trusted-proxies",
      { connection: { clientAddress: undefined } },
      "clientAddress",
    ],
    [
      "an address that every client can choose",
      "trusted-proxies",
      { config: { clientAddress: ({ headers }) => headers.get("x-forwarded-for")?.split(",")[0] } },
      "X-Forwarded-For $proxy_add",
    ],
    ["a proxy that cuts answers at 4 KiB", "response-headers", { most: 4096 }, "proxy_buffer_size 32k"],
    ["a proxy that cuts answers at 8 KiB", "response-headers", { most: 8192 }, "proxy_buffer_size 32k"],
    ["development", "development-mode", { mode: "development" }, "NODE_ENV=production"],
  ])("shows %s as %s", async (_, code, planted, fix) => {
    const { findings } = await look(await plant(planted))
    expect(findings.map((finding) => finding.code)).toEqual([code])
    expect(findings[0]?.fixes[0]?.text).toContain(fix)
  })

  it("is not asked without the secret, and not answered without the feature or with another secret", async () => {
    const both = [{ code: "trusted-proxies" }, { code: "response-headers" }]
    const origin = await plant()
    for (const examination of [
      await look(origin, []),
      await look(origin, ["another-secret-of-the-tests-00000"]),
      await look(await plant({ config: { doctor: undefined } })),
    ])
      expect(examination).toMatchObject({ findings: [], unchecked: both })
    const { output } = await runHere(["doctor", "--url", `${origin}/auth`], { folder: "." })
    expect(output.replaceAll(/\s+/g, " ")).toContain(
      "? trusted-proxies, response-headers Not checked: It needs doctor: answerDoctor()",
    )
  })

  it("DOC-03: contains no secret on the way", async () => {
    const seen: string[] = []
    const origin = await serve((request, response) => {
      seen.push(JSON.stringify(request.headers))
      response.writeHead(400).end('"Bad request."')
    })
    await look(origin)
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.filter((headers) => headers.includes(secret))).toEqual([])
  })

  it("DOC-04: needs no more than 60 requests together with the public routes", async () => {
    let count = 0
    const app = createApp(
      { secret, providers, doctor: answerDoctor(), ...unlimited },
      { findOrigin: () => origin, connection: { clientAddress: "127.0.0.1" } },
    )
    const origin = await serve((request, response) => {
      count++
      return app(request, response)
    })
    const args = ["doctor", "--url", `${origin}/auth`]
    const outcome = await runHere(args, { folder: ".", environment: { AUTH_SECRET: secret } })
    expect(outcome).toMatchObject({ code: 0, errors: "" })
    expect(outcome.output).toContain("nothing found")
    expect(count).toBeLessThanOrEqual(60 - 20) // 20 are left for the providers.
  })
})
