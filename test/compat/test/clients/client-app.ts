import { Auth } from "@latchkey/core"
import Credentials from "@latchkey/core/providers/credentials"
import { memoryAdapter, type TestHost, testEmail, testHost } from "@latchkey/testkit"
import { listen, type RunningServer, toWebListener } from "@latchkey/testkit/integration"
import { build } from "esbuild"
import type { BrowserContext } from "playwright-core"

/** A small app on a port, whose pages load a bundled client. */
export interface ClientApp extends RunningServer {
  readonly host: TestHost
  /** The requests to the service, such as `GET /session`. */
  readonly asked: string[]
}

export interface ClientAppOptions {
  readonly basePath: string
  /** The script of the pages. */
  readonly script: string
  /** Whether the framework checks the origin of forms itself. */
  readonly isVerifiedForm?: boolean
}

const password = (id: string) =>
  Credentials({
    id,
    credentials: { username: {}, password: { type: "password" } },
    authorize: ({ username, password: typed }) =>
      username === "ada" && typed === "correct horse" ? { id: "1815", name: "Ada Lovelace" } : null,
  })

export async function openClientApp({ basePath, script, isVerifiedForm }: ClientAppOptions): Promise<ClientApp> {
  const asked: string[] = []
  const shell = '<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:," /><body>'
  const page = new Blob([shell, `<script type="module" src="/client.js"></script></body></html>`], {
    type: "text/html",
  })
  const server = await listen(
    toWebListener(async (request, { clientAddress }) => {
      const { pathname } = new URL(request.url)
      if (pathname === "/client.js") return new Response(script, { headers: { "content-type": "text/javascript" } })
      if (!pathname.startsWith(`${basePath}/`)) return new Response(page)
      asked.push(`${request.method} ${pathname.slice(basePath.length)}`)
      return Auth(request, host.config, { clientAddress, isVerifiedForm })
    }),
  )
  const host = testHost({
    origin: server.origin,
    basePath,
    adapter: memoryAdapter(),
    session: { strategy: "jwt" },
    providers: ({ idp }) => [password("credentials"), password("staff"), testEmail(), idp.provider()],
    callbacks: { jwt: ({ token, session }) => (session ? { ...token, ...session } : token) },
  })
  return { ...server, host, asked }
}

/** Routes requests of the browser to the in-memory identity provider. */
export async function reachIdentityProvider(context: BrowserContext, { idp }: TestHost): Promise<void> {
  await context.route(`${idp.origin}/**`, async (route) => {
    const asked = route.request()
    const answer = await idp.handler(new Request(asked.url(), { method: asked.method(), headers: asked.headers() }))
    await route.fulfill({
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: await answer.text(),
    })
  })
}

/** Bundles a script for browsers, with the modules that its framework generates. */
export async function bundle(contents: string, made: Readonly<Record<string, string>> = {}): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["@latchkey/source"],
    define: { "process.env": "{}", "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "silent",
    plugins: [
      {
        name: "made by the framework",
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /^\$/ }, ({ path }) => (path in made ? { path, namespace: "made" } : null))
          onLoad({ filter: /.*/, namespace: "made" }, ({ path }) => ({ contents: made[path] ?? "" }))
        },
      },
    ],
  })
  return outputFiles[0]?.text ?? ""
}
