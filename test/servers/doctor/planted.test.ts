import { join } from "node:path"
import { findFreePort, hasProgram } from "@latchkey/testkit/servers"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { latchkey, runHere } from "../../../packages/cli/test/command.js"
import { type AppPlan, host, openStage, type Stage, secret } from "./stage.js"

/** What a proxy is told beyond a clean configuration. */
interface ProxyPlan {
  /** Lines of nginx in the `location`, and in the `server` and `http` around it. */
  readonly nginx?: {
    readonly location?: string
    readonly server?: string
    readonly http?: string
    readonly without?: string
  }
  /** Lines of Caddy in `reverse_proxy`, and before it. */
  readonly caddy?: { readonly proxy?: string; readonly site?: string }
  /** Whether the proxy serves every host. */
  readonly anyHost?: boolean
}

interface Planted extends ProxyPlan {
  readonly name: string
  /** What is found first. */
  readonly code: string
  /** Part of the line to change. */
  readonly fix: string
  readonly app?: AppPlan
  /** A second app that the proxy sends every other request to. */
  readonly second?: AppPlan
  /** Leaves the provider without the callback URL of the site. */
  readonly isUnregistered?: boolean
  /** The address that visitors use, where names for documentation do not do. */
  readonly address?: string
}

const byHeaders = { settings: { trustProxy: "127.0.0.1" }, env: { AUTH_URL: "", AUTH_TRUST_HOST: "true" } } as const
const proxied = { settings: { trustProxy: "127.0.0.1" } } as const
const late = "data:text/javascript,const now=Date.now;Date.now=()=>now()+40000"

const mistakes: readonly Planted[] = [
  {
    name: "1: no secret",
    code: "server-error",
    fix: "AUTH_SECRET=",
    app: { ...proxied, env: { AUTH_SECRET: "" } },
  },
  {
    name: "2: a short secret",
    code: "server-error",
    fix: "AUTH_SECRET=",
    app: { ...proxied, env: { AUTH_SECRET: "short" } },
  },
  {
    name: "3: two instances with two secrets",
    code: "secrets-differ",
    fix: "AUTH_SECRET=<the same value",
    app: proxied,
    second: { ...proxied, env: { AUTH_SECRET: "only-for-the-tests-of-the-doctor-1" } },
  },
  {
    name: "4: AUTH_URL with http",
    code: "scheme",
    fix: "AUTH_URL=https://app.example:",
    app: { ...proxied, env: { AUTH_URL: "http:" } },
  },
  {
    name: "4: AUTH_URL of this machine",
    code: "address",
    fix: "AUTH_URL=https://app.example:",
    app: { ...proxied, env: { AUTH_URL: "http://localhost:3000" } },
  },
  {
    name: "6: AUTH_URL with another path",
    code: "base-path",
    fix: "AUTH_URL=https://app.example:",
    app: { ...proxied, env: { AUTH_URL: "path:/api/auth" } },
  },
  {
    name: "6: another basePath",
    code: "base-path",
    fix: "AUTH_URL=",
    app: { settings: { ...proxied.settings, basePath: "/api/auth" } },
  },
  {
    name: "7: a host that is not trusted",
    code: "host-untrusted",
    fix: "AUTH_URL=",
    app: { ...proxied, env: { AUTH_URL: "" } },
    anyHost: true,
  },
  { name: "8: a forged host", code: "forged-host", fix: "AUTH_URL=", app: byHeaders, anyHost: true },
  {
    name: "9: no X-Forwarded-Proto",
    code: "scheme",
    fix: "X-Forwarded-Proto $scheme",
    app: byHeaders,
    nginx: { without: "proxy_set_header X-Forwarded-Proto $scheme;" },
    caddy: { proxy: "header_up X-Forwarded-Proto http" },
  },
  { name: "10: a proxy that is not named", code: "trusted-proxies", fix: 'trustedProxies: ["127.0.0.1"]', app: {} },
  {
    name: "11: a callback URL that is not registered",
    code: "redirect-uri",
    fix: "/auth/callback/demo",
    app: proxied,
    isUnregistered: true,
    address: "127.0.0.1",
  },
  {
    name: "12: an unknown client id",
    code: "client-id",
    fix: "AUTH_DEMO_ID=",
    app: { settings: { ...proxied.settings, clientId: "unknown" } },
    address: "127.0.0.1",
  },
  { name: "17: a clock 40 s ahead", code: "clock", fix: "set-ntp", app: { ...proxied, nodeArgs: ["--import", late] } },
  ...[4, 8].map((size) => ({
    name: `18: request headers cut at ${size} KiB`,
    code: "request-headers",
    fix: "32",
    app: { ...proxied, nodeArgs: size === 4 ? ["--max-http-header-size=4096"] : ["--max-http-header-size=8192"] },
  })),
  {
    name: "19: large answers become 502",
    code: "response-headers",
    fix: "proxy_buffer_size 32k",
    app: proxied,
    nginx: { without: "proxy_buffer_size 32k; proxy_buffers 8 32k;" },
    caddy: { proxy: "transport http {\n max_response_header 4KB\n }" },
  },
  {
    name: "20: Set-Cookie hidden",
    code: "cookies-dropped",
    fix: "Set-Cookie",
    app: proxied,
    nginx: { location: "proxy_hide_header Set-Cookie;" },
    caddy: { proxy: "header_down -Set-Cookie" },
  },
  {
    name: "21: Cache-Control stripped",
    code: "cache-control",
    fix: "Cache-Control",
    app: proxied,
    nginx: { location: "proxy_hide_header Cache-Control;" },
    caddy: { proxy: "header_down -Cache-Control" },
  },
  {
    name: "22: a login wall of the app",
    code: "login-wall",
    fix: "matcher",
    app: { settings: { ...proxied.settings, hasWall: true } },
  },
  {
    name: "22: a login wall of the proxy",
    code: "login-wall",
    fix: "matcher",
    app: proxied,
    nginx: { server: "location /auth/ { return 302 /login; }" },
    caddy: { site: "redir /auth/* /login 302" },
  },
  {
    name: "31: development",
    code: "development-mode",
    fix: "NODE_ENV=production",
    app: { ...proxied, env: { NODE_ENV: "development" } },
  },
  {
    name: "31: limits in the memory of two processes",
    code: "limiter-memory",
    fix: "rateLimit: { store }",
    app: proxied,
    second: proxied,
  },
]

/** Mistakes that only nginx can make. */
const ofNginx: readonly Planted[] = [
  {
    name: "18: request headers cut at 8 KiB by the proxy",
    code: "request-headers",
    fix: "large_client_header_buffers",
    app: proxied,
    nginx: { without: "large_client_header_buffers 4 32k;" },
  },
  {
    name: "21: /session cached",
    code: "session-cached",
    fix: "proxy_cache off",
    app: proxied,
    nginx: {
      http: "proxy_cache_path FOLDER/cache keys_zone=c:1m;",
      location:
        "proxy_cache c; proxy_cache_valid 200 1m; proxy_ignore_headers Cache-Control Expires Set-Cookie; proxy_cache_methods GET;",
    },
  },
]

const clean: readonly Planted[] = [
  { name: "an app that has AUTH_URL", code: "", fix: "", app: proxied },
  { name: "an app that trusts the headers of its proxy", code: "", fix: "", app: byHeaders },
  { name: "an app at a provider that knows it", code: "", fix: "", app: proxied, address: "127.0.0.1" },
]

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
  vi.stubEnv("XDG_CONFIG_HOME", stage.folder) // Caddy saves its configuration there.
})
afterEach(() => stage.clear())
afterAll(async () => {
  await stage.close()
  vi.unstubAllEnvs()
})

type StartProxy = (plan: Planted, port: number, apps: readonly number[]) => Promise<void>

const startNginx: StartProxy = async ({ nginx = {}, anyHost, address = host }, port, apps) => {
  const { folder } = stage
  const tls = `ssl_certificate ${join(folder, "certificate.pem")}; ssl_certificate_key ${join(folder, "key.pem")};`
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`)
  const others = `server { listen 127.0.0.1:${port} ssl default_server; ${tls} return 444; }`
  const config = `pid ${folder}/nginx-${port}.pid;
    events {}
    http {
      access_log off; ${temporary.join(" ")} ${nginx.http?.replaceAll("FOLDER", folder) ?? ""}
      upstream app { ${apps.map((each) => `server 127.0.0.1:${each};`).join(" ")} }
      large_client_header_buffers 4 32k;
      ${anyHost ? "" : others}
      server {
        listen 127.0.0.1:${port} ssl; server_name ${address}; ${tls}
        ${nginx.server ?? ""}
        location / {
          proxy_pass http://app; proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-Host $http_host;
          proxy_set_header X-Forwarded-Proto $scheme;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          proxy_buffer_size 32k; proxy_buffers 8 32k;
          ${nginx.location ?? ""}
        }
      }
    }`
  await stage.startNginx(config.replace(nginx.without ?? "no such line", ""), port)
}

const startCaddy: StartProxy = async ({ caddy = {}, anyHost, address = host }, port, apps) => {
  const { folder } = stage
  const upstreams = apps.map((each) => `127.0.0.1:${each}`).join(" ")
  const config = `{
 admin off
 auto_https off
 default_sni ${host}
 storage file_system ${folder}
}
https://${anyHost ? "" : address}:${port} {
 tls ${join(folder, "certificate.pem")} ${join(folder, "key.pem")}
 ${caddy.site ?? ""}
 reverse_proxy ${upstreams} {
 lb_policy round_robin
 ${caddy.proxy ?? ""}
 }
}
`
  await stage.startCaddy(config, port)
}

/** Starts a deployment, and returns its origin. */
async function deploy(planted: Planted, startProxy: StartProxy): Promise<string> {
  const port = await findFreePort()
  const origin = `https://${planted.address ?? host}:${port}`
  if (!planted.isUnregistered) stage.register(origin)
  const plans = [planted.app ?? {}, ...(planted.second ? [planted.second] : [])].map((plan) => place(plan, origin))
  const apps = await Promise.all(plans.map((plan) => stage.startApp(plan, origin)))
  await startProxy(planted, port, apps)
  return origin
}

/** The findings of a deployment, as the command prints them. */
async function findOf(planted: Planted, startProxy: StartProxy) {
  const origin = await deploy(planted, startProxy)
  const args = ["doctor", "--url", `${origin}/auth`, "--insecure", "--json"]
  const { output, errors } = await runHere(args, { folder: ".", environment: { AUTH_SECRET: secret } })
  expect(errors).toBe("")
  return JSON.parse(output)
}

/** Values of AUTH_URL that depend on the port. */
function place({ env = {}, ...others }: AppPlan, origin: string): AppPlan {
  const { AUTH_URL: url, ...rest } = env
  if (url === undefined) return { ...others, env }
  const values: Record<string, string> = {
    "http:": origin.replace("https:", "http:"),
    "path:/api/auth": `${origin}/api/auth`,
  }
  return { ...others, env: { ...rest, AUTH_URL: values[url] ?? url } }
}

describe.each([
  ["nginx", startNginx, [...mistakes, ...ofNginx]],
  ["caddy", startCaddy, mistakes],
] as const)("latchkey doctor of a site behind %s", (program, startProxy, planted) => {
  describe.skipIf(!hasProgram(program))("with the proxy", () => {
    it.each(clean)("says nothing of $name", async (plan) => {
      expect((await findOf(plan, startProxy)).findings).toEqual([])
    })

    it("DOC-03: does not believe a certificate that nobody signed, unless its authority is named", async () => {
      const plan: Planted = { name: "", code: "", fix: "", app: proxied, address: "127.0.0.1" }
      const site = await deploy(plan, startProxy)
      const args = ["doctor", "--url", `${site}/auth`, "--json"]
      const { code, output } = await runHere(args, { folder: "." })
      expect(code).toBe(2)
      expect(JSON.parse(output).unchecked[0].reason).toContain("has a certificate that is not valid")
      const env = { NODE_EXTRA_CA_CERTS: join(stage.folder, "certificate.pem"), AUTH_SECRET: secret }
      const outcome = await latchkey(args, stage.folder, env)
      expect(outcome).toMatchObject({ code: 0, errors: "" })
      expect(JSON.parse(outcome.output)).toMatchObject({ findings: [], unchecked: [] })
    })

    it.each(planted)("names mistake $name first, with the line to change", async (plan) => {
      const { findings } = await findOf(plan, startProxy)
      expect(findings[0]).toMatchObject({ code: plan.code })
      expect(findings[0].fixes.map(({ text }: { text: string }) => text).join("\n")).toContain(plan.fix)
    })
  })
})
