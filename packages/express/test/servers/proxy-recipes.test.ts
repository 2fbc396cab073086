import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import Credentials from "@latchkey/core/providers/credentials"
import { findFreePort, hasProgram, startProgram } from "@latchkey/testkit/servers"
import express from "express"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { ExpressAuth, type ExpressAuthConfig } from "../../src/index.js"

// The configurations in docs/cookbook/proxies.md, run by the real proxies in front of a small app.

const recipe = readFileSync(join(import.meta.dirname, "..", "..", "..", "..", "docs", "cookbook", "proxies.md"), "utf8")
const [nginx = "", nginxBelowPath = ""] = [...recipe.matchAll(/^```nginx\n(.*?)^```$/gms)].map(([, code]) => code)
const [, nginxOthers = ""] = /^(server \{\n[^}]*default_server[^}]*\})/m.exec(nginx) ?? []
const [, caddy = ""] = recipe.match(/^```caddyfile\n(.*?)^```$/ms) ?? []

const config: ExpressAuthConfig = {
  secret: "only for the tests of the proxy recipes",
  trustHost: true,
  session: { strategy: "jwt" },
  providers: [
    Credentials({ credentials: { username: {}, password: {} }, authorize: () => ({ id: "1", name: "Grace" }) }),
  ],
  callbacks: {
    jwt: ({ token, user }) => (user ? { ...token, filling: "f".repeat(6_000) } : token),
    session: ({ session, token }) => ({ ...session, filling: String(token["filling"]).length }),
  },
}

const folder = mkdtempSync(join(tmpdir(), "latchkey-proxies-"))
const stops: (() => unknown)[] = []
let appPort = 0

/** The app of the recipe. `/address` answers with the client's address as Express sees it. */
async function startApp(): Promise<number> {
  const app = express()
  app.set("trust proxy", "127.0.0.1")
  app.use("/auth", ExpressAuth(config))
  app.use("/below/auth", ExpressAuth({ ...config, basePath: "/shop/below/auth" }))
  app.get("/address", (req, res) => res.send(req.ip))
  const server = createServer(app).listen(0, "127.0.0.1")
  await once(server, "listening")
  stops.push(() => server.close())
  const address = server.address()
  return typeof address === "object" && address ? address.port : 0
}

async function startNginx(server: string): Promise<number> {
  const port = await findFreePort()
  const own = server
    .replaceAll("listen 80", `listen 127.0.0.1:${port}`)
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${appPort}`)
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`)
  const file = join(folder, `nginx-${port}.conf`)
  writeFileSync(file, `pid ${file}.pid;\nevents {}\nhttp {\naccess_log off;\n${temporary.join("\n")}\n${own}\n}\n`)
  const args = ["-c", file, "-e", "stderr", "-g", "daemon off; master_process off;"]
  const program = await startProgram({ name: "nginx", args, port })
  stops.push(() => program.stop())
  return port
}

async function startCaddy(): Promise<number> {
  const port = await findFreePort()
  const options = `{\n admin off\n http_port ${port}\n storage file_system ${folder}\n}\n`
  const file = join(folder, "Caddyfile")
  writeFileSync(file, `${options}${caddy.replace("127.0.0.1:3000", `127.0.0.1:${appPort}`)}`)
  vi.stubEnv("XDG_CONFIG_HOME", folder) // Caddy saves its configuration there.
  const args = ["run", "--adapter", "caddyfile", "--config", file]
  const program = await startProgram({ name: "caddy", args, port })
  stops.push(() => program.stop())
  return port
}

interface Sent {
  readonly port: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: URLSearchParams
}

/** Sends a request from another address of this machine, so that client and proxy have different ones. */
async function send({ port, path, headers, body }: Sent): Promise<{ response: IncomingMessage; body: string }> {
  const type = body && { "content-type": "application/x-www-form-urlencoded" }
  const method = body ? "POST" : "GET"
  const host = { host: "app.example.com" }
  const sent = request({ port, path, method, localAddress: "127.0.0.2", headers: { ...host, ...type, ...headers } })
  sent.end(body?.toString())
  const [response]: IncomingMessage[] = await once(sent, "response")
  if (!response) throw new Error("No response")
  return { response, body: await text(response) }
}

const cookiesOf = ({ headers }: IncomingMessage): readonly string[] =>
  (headers["set-cookie"] ?? []).map((cookie) => cookie.split(";", 1)[0] ?? "")

const forged = { "x-forwarded-host": "evil.test", "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.66" }

function testProxy(start: () => Promise<number>): void {
  let port = 0
  beforeAll(async () => {
    port = await start()
  })

  it("passes the host and the scheme on, and replaces those that a client sent", async () => {
    for (const headers of [{}, forged]) {
      const { body } = await send({ port, path: "/auth/providers", headers })
      expect(JSON.parse(body).credentials.callbackUrl).toBe("http://app.example.com/auth/callback/credentials")
    }
  })

  it("HOST-01: passes on no request for another host, not even one with a forged header", async () => {
    for (const host of ["evil.test", "app.example.com.evil.test", "127.0.0.1"]) {
      const answer = await send({ port, path: "/auth/providers", headers: { ...forged, host } }).catch(() => null)
      expect(answer?.body ?? "").not.toContain("callbackUrl")
    }
  })

  it("passes the address of the client on, and none that a client sent", async () => {
    expect((await send({ port, path: "/address" })).body).toBe("127.0.0.2")
    expect((await send({ port, path: "/address", headers: forged })).body).toBe("127.0.0.2")
  })

  it("lets 12 KiB of cookies through", async () => {
    const cookie = Array.from({ length: 4 }, (_, n) => `other-${n}=${"x".repeat(3_000)}`).join("; ")
    expect((await send({ port, path: "/auth/session", headers: { cookie } })).response.statusCode).toBe(200)
  })

  it("lets a sign-in through whose session fills several cookies", async () => {
    const csrf = await send({ port, path: "/auth/csrf" })
    const body = new URLSearchParams({
      csrfToken: JSON.parse(csrf.body).csrfToken,
      username: "grace",
      password: "right",
    })
    const headers = { cookie: cookiesOf(csrf.response).join("; "), origin: "http://app.example.com" }
    const { response } = await send({ port, path: "/auth/callback/credentials", headers, body })
    expect(response.statusCode).toBe(302)
    const cookies = cookiesOf(response).filter((cookie) => cookie.startsWith("authjs.session-token."))
    expect(cookies.length).toBeGreaterThan(1)
    const session = await send({ port, path: "/auth/session", headers: { cookie: cookies.join("; ") } })
    expect(JSON.parse(session.body)).toMatchObject({ user: { name: "Grace" }, filling: 6_000 })
  })
}

describe("the proxies of the cookbook", () => {
  beforeAll(async () => {
    appPort = await startApp()
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    for (const stop of stops.toReversed()) await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  describe.skipIf(!hasProgram("nginx"))("nginx", () => {
    testProxy(() => startNginx(nginx))

    it("serves the app below a path that it cuts off", async () => {
      const port = await startNginx(`${nginxOthers}\n${nginxBelowPath}`)
      const { body } = await send({ port, path: "/shop/below/auth/providers", headers: { host: "example.com" } })
      expect(JSON.parse(body).credentials.callbackUrl).toBe("http://example.com/shop/below/auth/callback/credentials")
      const foreign = { port, path: "/shop/below/auth/providers", headers: { host: "evil.test" } }
      await expect(send(foreign)).rejects.toThrow()
    })
  })

  describe.skipIf(!hasProgram("caddy"))("Caddy", () => {
    testProxy(startCaddy)
  })
})
