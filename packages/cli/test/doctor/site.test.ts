import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { TLSSocket } from "node:tls"
import { gzipSync } from "node:zlib"
import Credentials from "@latchkey/core/providers/credentials"
import { describe, expect, it, onTestFinished } from "vitest"
import { createCertificate } from "../../../../test/examples/tls-proxy.js"
import { createSite, type SiteOptions } from "../../src/doctor/site.js"
import { runHere } from "../command.js"
import { codesOf, createApp, look, serve } from "./sites.js"

const providers = {
  demo: { id: "demo", name: "Demo", type: "oidc", callbackUrl: "http://app.example/auth/callback/demo" },
}
const escapes = "\u001b[2J\u001b]0;title\u0007\u202e"

/** Writes until the client hangs up. */
function pour(response: ServerResponse, chunk: Buffer): void {
  while (!response.destroyed && response.write(chunk));
  response.once("drain", () => pour(response, chunk))
}

const hostile: readonly (readonly [name: string, (response: ServerResponse) => void, sentence: string])[] = [
  ["never answers", () => {}, "did not answer within 0.2 seconds."],
  [
    "sends one byte after the other",
    (response) => {
      const timer = setInterval(() => response.write(" "), 20)
      response.once("close", () => clearInterval(timer))
    },
    "did not answer within 0.2 seconds.",
  ],
  ["sends an endless answer", (response) => pour(response, Buffer.alloc(1 << 16, " ")), "more than 1 MiB."],
  [
    "sends endless headers",
    (response) => response.writeHead(200, { x: "x".repeat(100_000) }).end(),
    "more than 64 KiB.",
  ],
  ["hangs up", (response) => response.destroy(), "cannot be reached (ECONNRESET)."],
  ["speaks another protocol", (response) => response.socket?.end("220 mail.example ESMTP\r\n"), "cannot be reached"],
]

describe("latchkey doctor --url of a site", () => {
  it.each(hostile)("DOC-05: ends when the site %s", async (_, answer, sentence) => {
    const origin = await serve((_request, response) => answer(response))
    const options = sentence.includes("within 0.2 seconds") ? { deadlineMs: 200 } : {}
    await expect(look(origin, options)).rejects.toThrow(sentence)
  })

  it.each(hostile.slice(2))("DOC-05: exits with 2 when the site %s", async (_, answer, sentence) => {
    const origin = await serve((_request, response) => answer(response))
    const { code, output } = await runHere(["doctor", "--url", `${origin}/auth`, "--json"], { folder: "." })
    expect(code).toBe(2)
    const { unchecked } = JSON.parse(output)
    expect(unchecked).toMatchObject([{ code: "public-routes" }])
    expect(unchecked[0].reason).toContain(sentence)
  })

  it("DOC-05: keeps what was found when a site stops to answer, and asks no more", async () => {
    const listed = { demo: { ...providers.demo, callbackUrl: "http://localhost:3000/auth/callback/demo" } }
    let count = 0
    const origin = await serve((request, response) => {
      count++
      if (request.url?.endsWith("/providers")) response.end(JSON.stringify(listed))
    })
    const { findings, unchecked, isCutShort } = await look(origin, { deadlineMs: 1500 })
    expect(findings.map(({ code }) => code)).toEqual(["address"])
    expect(unchecked).toEqual([{ code: "public-routes", reason: `${origin} did not answer within 1.5 seconds.` }])
    expect({ isCutShort, count }).toEqual({ isCutShort: true, count: 5 })
  })

  it("DOC-05: does not inflate an answer", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const origin = await serve((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb))
    expect(codesOf(await look(origin))).toEqual(["base-path"])
  })

  it.each([
    ["escapes", JSON.stringify({ [escapes]: { ...providers.demo, id: escapes } })],
    ["broken UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x80, 0x7d])],
    ["nothing", ""],
    ["null", "null"],
    ["a list", "[1]"],
    ["a list of other things", JSON.stringify({ demo: { id: 1 }, other: null })],
    ["deep JSON", "[".repeat(100_000)],
  ])("DOC-05: prints nothing that a terminal would obey for a site that sends %s", async (_, body) => {
    const origin = await serve((_request, response) => {
      const cookies = Array.from({ length: 500 }, (_each, n) => `c${n}=1`)
      response.writeHead(200, { "set-cookie": cookies, server: "\u009b31m", "x-cache": "\u009b2J HIT" }).end(body)
    })
    const { code, output, errors } = await runHere(["doctor", "--url", `${origin}/auth`], { folder: "." })
    expect(code).toBe(1)
    expect(`${output}${errors}`.replaceAll("\n", "")).not.toMatch(/\p{C}/u)
  })

  it("DOC-03: follows no redirect to another origin, and says so", async () => {
    const asked: string[] = []
    const other = await serve((request, response) => {
      asked.push(request.url ?? "")
      response.end("{}")
    })
    const origin = await serve((request, response) =>
      response.writeHead(307, { location: `${other}${request.url}` }).end(),
    )
    await expect(look(origin)).rejects.toThrow(`redirects to ${other}, which was not followed`)
    const login = await serve((_, response) => response.writeHead(302, { location: `${other}/login` }).end())
    expect(codesOf(await look(login))).toEqual(["login-wall"])
    expect(asked).toEqual([])
  })

  it("DOC-03: sends no cookie of the site to a provider, opens none over http, and none in a private network", async () => {
    const seen: IncomingMessage[] = []
    const provider = await serve((request, response) => {
      seen.push(request)
      response.writeHead(302, { location: "http://127.0.0.1:1/next" }).end()
    })
    const site = (target: string) =>
      serve((request, response) => {
        const answers: Record<string, object> = { providers, csrf: { csrfToken: "token" } }
        const route = request.url?.split("/")[2] ?? ""
        response.setHeader("set-cookie", ["authjs.csrf-token=token", "session=s3cret"])
        response.end(JSON.stringify(route === "signin" ? { url: target } : (answers[route] ?? null)))
      })
    await look(await site(`${provider}/authorize?state=abc`))
    expect(seen.map(({ url }) => url)).toEqual(["/authorize?state=abc"])
    expect(seen[0]?.headers).not.toHaveProperty("cookie")
    expect(seen[0]?.headers).not.toHaveProperty("referer")

    const unsafe = await look(await site("http://provider.example/authorize"))
    expect(unsafe.unchecked).toContainEqual({
      code: "redirect-uri",
      reason: "demo: the address of the provider begins with http://, and was not opened.",
    })
    const metadata = await look(await site("https://169.254.169.254/latest"))
    expect(metadata.unchecked.at(-1)?.reason).toContain("at an address that no site has")
  })

  it("DOC-03: opens a provider in a private network if the name of the site leads to one as well", async () => {
    const seen: string[] = []
    const provider = await serve((request, response) => {
      seen.push(request.url ?? "")
      response.writeHead(302, { location: "/login" }).end()
    })
    const port = (origin: string) => new URL(origin).port
    const target = `https://id.harbour.example:${port(provider)}/authorize`
    const site = await serve((request, response) => {
      const answers: Record<string, object> = { providers, csrf: { csrfToken: "token" }, signin: { url: target } }
      response.setHeader("set-cookie", "authjs.csrf-token=token")
      response.end(JSON.stringify(answers[request.url?.split("/")[2] ?? ""] ?? null))
    })
    const asked: string[] = []
    const lookup: SiteOptions["lookup"] = (name, _options, done) => {
      asked.push(name)
      done(null, [{ address: "127.0.0.1", family: 4 }])
    }
    const inside = await look(`http://app.harbour.example:${port(site)}`, { lookup })
    // It was connected to, and speaks no TLS.
    expect(inside.unchecked.at(-1)?.reason).toContain(`demo: ${new URL(target).origin} cannot be reached`)
    expect([asked.includes("id.harbour.example"), seen]).toEqual([true, []])
  })

  it.each(["169.254.169.254", "fe80::1", "::ffff:169.254.169.254", "0.0.0.0"])(
    "DOC-03: does not connect to a name that leads to %s",
    async (address) => {
      const lookup: SiteOptions["lookup"] = (_name, _options, done) =>
        done(null, [{ address, family: address.includes(":") ? 6 : 4 }])
      await expect(look("http://app.example", { lookup })).rejects.toThrow("at an address that no site has")
    },
  )

  it("DOC-04: makes at most 60 requests, signs nobody in, and says nothing of an app without a mistake", async () => {
    const asked: string[] = []
    const origin = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      return request.url?.startsWith("/authorize") ? response.writeHead(302).end() : app(request, response)
    })
    const oauth = Array.from({ length: 11 }, (_, n) => ({
      id: `demo-${n}`,
      name: "Demo",
      type: "oauth" as const,
      clientId: "client",
      clientSecret: "secret",
      authorization: `${origin}/authorize`,
      token: `${origin}/token`,
      userinfo: `${origin}/userinfo`,
    }))
    const app = createApp(
      { providers: [...oauth, Credentials({ credentials: {}, authorize: () => ({ id: "1" }) })] },
      { findOrigin: () => origin },
    )
    onTestFinished(() => expect(asked.length).toBeLessThanOrEqual(60))
    const { findings, unchecked } = await look(origin)
    expect(findings).toEqual([])
    expect(unchecked).toEqual([{ code: "redirect-uri", reason: "1 more providers." }])
    expect(asked.filter((each) => /^\w+ \/(?:auth\/(?:callback|verify)|token|userinfo)/.test(each))).toEqual([])
  })

  it("DOC-05: asks for the certificate of the site, whatever Host it sends: a forged one would never arrive", async () => {
    const seen: unknown[] = []
    const server = createServer({ ...(await createCertificate()) }, ({ socket, headers }, response) => {
      seen.push(socket instanceof TLSSocket && socket.servername, headers.host)
      response.end()
    }).listen(0, "127.0.0.1")
    onTestFinished(() => void server.close())
    await once(server, "listening")
    const { port } = server.address() as AddressInfo // as: it listens on a port.
    const lookup: SiteOptions["lookup"] = (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }])
    const site = createSite(new URL(`https://app.example:${port}/auth`), { insecure: true, lookup })
    await site.ask("providers", { headers: { host: "forged.example" } })
    expect(seen).toEqual(["app.example", "forged.example"])
  })
})
