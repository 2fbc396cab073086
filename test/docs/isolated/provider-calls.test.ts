import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { accessTokens } from "@latchkey/core/access-tokens"
import { auth, ExpressAuth, type ExpressAuthConfig } from "@latchkey/express"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { type Browser, createBrowser, overHttp } from "@latchkey/testkit"
import { listen } from "@latchkey/testkit/integration"
import express, { type Response as Reply, type Request } from "express"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type RotatingProvider, startRotatingProvider } from "../../processes/rotating-provider.js"

const root = join(import.meta.dirname, "..", "..", "..")

/** The module of the example, whose own types need what is installed there. */
interface DemoId {
  callDemoId(user: ReturnType<typeof auth>, url: string): Promise<Response>
}

describe("the lines of the guide that call an API", () => {
  it.each(["apps/example-express/src/demo-id.ts", "apps/example-next/demo-id.ts"])("are those of %s", (file) => {
    const guide = readFileSync(join(root, "docs", "guides", "tokens.md"), "utf8")
    const snippets = [...guide.matchAll(/^```ts fragment\n(.*?)^```$/gms)].map(([, code = ""]) => code)
    expect(snippets).toContain(`// ${file}\n${readFileSync(join(root, file), "utf8")}`)
  })
})

describe("the lines of the guide for Express, in three instances", () => {
  let folder: string
  let provider: RotatingProvider
  let instances: readonly Instance[]
  let browser: Browser

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-calls-"))
    provider = await startRotatingProvider("demo")
    instances = [await startInstance(), await startInstance(), await startInstance()]
    browser = createBrowser({
      handler: (request) => send(request, instances[0]),
      origin: "https://app.test",
      network: { [provider.issuer]: overHttp },
    })
    await browser.signIn("demo", { callbackUrl: "/in" })
    expect((await browser.session())?.user?.email).toBe("lin@id.example")
  })
  afterEach(async () => {
    for (const { close } of instances) await close()
    await provider.close()
    rmSync(folder, { recursive: true })
    vi.doUnmock("../../../apps/example-express/src/auth.ts")
  })

  interface Instance {
    readonly origin: string
    /** What the jobs got that are done. */
    readonly jobs: Promise<unknown>[]
    close(): Promise<void>
  }

  /** An app of its own, with its own modules, over the database that all share. */
  async function startInstance(): Promise<Instance> {
    const adapter = sqlite(join(folder, "app.db"))
    const { issuer, clientId, clientSecret } = provider
    const authConfig: ExpressAuthConfig = {
      adapter,
      secret: "the same secret for each of the instances",
      trustHost: true,
      rateLimit: false,
      session: { strategy: "jwt" },
      accessTokens: accessTokens(),
      providers: [{ id: "demo", name: "Demo ID", type: "oidc", issuer, clientId, clientSecret }],
    }
    vi.resetModules()
    vi.doMock("../../../apps/example-express/src/auth.ts", () => ({ authConfig }))
    const { callDemoId }: DemoId = await import(join(root, "apps", "example-express", "src", "demo-id.ts"))
    const call = async (...exchange: [Request, Reply]) =>
      (await callDemoId(auth(...exchange, authConfig), `${issuer}/me`)).json()
    const jobs: Promise<unknown>[] = []
    const app = express()
    app.set("trust proxy", true)
    app.use("/auth", ExpressAuth(authConfig))
    app.get("/route", async (request: Request, response: Reply) => void response.json(await call(request, response)))
    app.post("/job", (request: Request, response: Reply) => {
      response.on("finish", () =>
        jobs.push(new Promise((resolve) => setTimeout(resolve, 50)).then(() => call(request, response))),
      )
      response.status(202).end()
    })
    const { origin, close } = await listen(app)
    return {
      origin,
      jobs,
      async close() {
        await close()
        adapter.close()
      },
    }
  }

  /** Sends a request as the proxy in front of the instances does. */
  async function send(request: globalThis.Request, instance: Instance | undefined): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const headers = new Headers(request.headers)
    headers.set("x-forwarded-host", "app.test")
    headers.set("x-forwarded-proto", "https")
    const body = request.method === "POST" ? { body: await request.text() } : {}
    return overHttp(
      new Request(`${instance?.origin}${pathname}${search}`, { method: request.method, headers, ...body }),
    )
  }

  const as = (path: string, method = "GET") =>
    new Request(`https://app.test${path}`, {
      method,
      headers: {
        cookie: browser.cookies
          .list()
          .map(({ name, value }) => `${name}=${value}`)
          .join("; "),
      },
    })

  it("KEEP-01: answer routes and jobs at all of them with one refresh", async () => {
    // The token of the sign-in is due.
    const routes = instances.flatMap((instance) =>
      Array.from({ length: 10 }, async () => (await send(as("/route"), instance)).json()),
    )
    const started = instances.map((instance) => send(as("/job", "POST"), instance))
    for (const { status } of await Promise.all(started)) expect(status).toBe(202)
    const lin = { sub: "lin", email: "lin@id.example", email_verified: true }
    expect(await Promise.all(routes)).toEqual(routes.map(() => lin))
    const jobs = instances.flatMap((instance) => instance.jobs)
    expect(await Promise.all(jobs)).toEqual([lin, lin, lin])
    expect(provider.refreshes).toEqual({ granted: 1, refused: 0 })
  })
})
