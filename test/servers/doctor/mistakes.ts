import { globSync } from "node:fs"
import type { ProxyPlan } from "./proxies.js"

/** What an app of the tests reads from its variable `DOCTOR_APP`. */
export interface AppSettings {
  readonly port: number
  /** The address of the proxy that the app knows. Default: that of the tests. Undefined: none. */
  readonly trustProxy?: string | undefined
  readonly basePath?: string
  /** The address of an OAuth provider. */
  readonly provider: string
  readonly clientId?: string
  /** Whether visitors are sent to a login page first. */
  readonly hasWall?: boolean
}

/** An app and its process. */
export interface AppPlan {
  readonly settings?: Partial<AppSettings>
  /** Variables. `AUTH_URL` may be a word of `placed`; an empty one is left out. */
  readonly env?: Readonly<Record<string, string>>
}

/** The apps in which mistakes are planted. */
export type AppName = "Express" | "Next.js"

/** One mistake of a deployment, or none. */
export interface Planted extends ProxyPlan {
  /** Begins with the number of the mistake. */
  readonly name: string
  /** What is found first. */
  readonly code: string
  /** Part of the line to change, which may depend on the app. */
  readonly fix: string | Readonly<Record<AppName, string>>
  /** Default: an app that knows its proxy and has AUTH_URL. */
  readonly app?: AppPlan
  /** A second app that the proxy sends every other request to. */
  readonly second?: AppPlan
  /** Leaves the provider without the callback URL of the site. */
  readonly isUnregistered?: boolean
  /** Whether it stands for its kind where all would take too long. */
  readonly isShort?: boolean
  /** The app and the proxy that can make it. Default: all. */
  readonly only?: AppName | "nginx"
}

/** Values of AUTH_URL that depend on the site. */
export const placed = {
  http: (origin: string): string => origin.replace("https:", "http:"),
  "other path": (origin: string, otherPath: string): string => `${origin}${otherPath}`,
} as const

const byHeaders = { env: { AUTH_URL: "", AUTH_TRUST_HOST: "true" } } as const

/** Sets the clock of a process 40 seconds ahead: by `faketime` of Debian, else for its scripts alone. */
function toLateClock(): Readonly<Record<string, string>> {
  const [library] = globSync("/usr/{lib,lib64,local/lib}/{*/,}faketime/libfaketimeMT.so.1")
  // Timers must go on as they do.
  if (library !== undefined) return { LD_PRELOAD: library, FAKETIME: "+40s", FAKETIME_DONT_FAKE_MONOTONIC: "1" }
  console.warn("!!! faketime is not installed: the clock of the app is set by a script !!!")
  return { NODE_OPTIONS: "--import=data:text/javascript,globalThis.now=Date.now;Date.now=()=>now()+40000" }
}

/** With the room that the headers of the proxy itself take, 15 KiB of cookies are too many for 16. */
const filler = `X-Request-Context ${"x".repeat(1200)}`

export const mistakes: readonly Planted[] = [
  {
    name: "1: no secret",
    code: "server-error",
    fix: "AUTH_SECRET=",
    app: { env: { AUTH_SECRET: "" } },
  },
  {
    name: "2: a short secret",
    code: "server-error",
    fix: "AUTH_SECRET=",
    app: { env: { AUTH_SECRET: "short" } },
  },
  {
    name: "3: two instances with two secrets",
    code: "secrets-differ",
    fix: "AUTH_SECRET=<the same value",
    second: { env: { AUTH_SECRET: "only-for-the-tests-of-the-doctor-1" } },
  },
  {
    name: "4: AUTH_URL with http",
    code: "scheme",
    fix: "AUTH_URL=https://app.example:",
    app: { env: { AUTH_URL: "http" } },
  },
  {
    name: "4: AUTH_URL of this machine",
    code: "address",
    fix: "AUTH_URL=https://app.example:",
    app: { env: { AUTH_URL: "http://localhost:3000" } },
  },
  {
    // Without a secret, the app says the same: only the configuration and the log tell more.
    name: "5: AUTH_URL without a scheme",
    code: "server-error",
    fix: "AUTH_URL=https://app.example:",
    app: { env: { AUTH_URL: "app.example" } },
  },
  {
    name: "6: AUTH_URL with another path",
    code: "base-path",
    fix: "AUTH_URL=https://app.example:",
    app: { env: { AUTH_URL: "other path" } },
  },
  {
    name: "6: another basePath",
    code: "base-path",
    fix: "AUTH_URL=",
    app: { settings: { basePath: "other path" } },
  },
  {
    name: "7: a host that is not trusted",
    code: "host-untrusted",
    fix: "AUTH_URL=",
    app: { env: { AUTH_URL: "" } },
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
    isShort: true,
  },
  {
    name: "10: a proxy that is not named",
    code: "trusted-proxies",
    // Next.js hides the address of the connection.
    fix: { Express: 'trustedProxies: ["127.0.0.1"]', "Next.js": 'trustedProxies: ["<the address of your proxy>"]' },
    app: { settings: { trustProxy: undefined } },
    isShort: true,
  },
  {
    name: "11: a callback URL that is not registered",
    code: "redirect-uri",
    fix: "/auth/callback/demo",
    isUnregistered: true,
    address: "127.0.0.1",
  },
  {
    name: "12: an unknown client id",
    code: "client-id",
    fix: "AUTH_DEMO_ID=",
    app: { settings: { clientId: "unknown" } },
    address: "127.0.0.1",
  },
  { name: "17: a clock 40 s ahead", code: "clock", fix: "set-ntp", app: { env: toLateClock() } },
  ...[4, 8].map((size) => ({
    name: `18: request headers cut at ${size} KiB`,
    code: "request-headers",
    fix: "32",
    app: { env: { NODE_OPTIONS: `--max-http-header-size=${size * 1024}` } },
    isShort: size === 8,
  })),
  {
    name: "18: request headers cut at 16 KiB, with those of the proxy",
    code: "request-headers",
    fix: "--max-http-header-size=32768",
    app: { env: { NODE_OPTIONS: "--max-http-header-size=16384" } },
    nginx: { location: `proxy_set_header ${filler};` },
    caddy: { proxy: `header_up ${filler}` },
  },
  {
    name: "18: request headers cut at 8 KiB by the proxy",
    code: "request-headers",
    fix: "large_client_header_buffers",
    nginx: { without: "large_client_header_buffers 4 32k;" },
    only: "nginx",
  },
  {
    name: "19: large answers become 502",
    code: "response-headers",
    fix: "proxy_buffer_size 32k",
    nginx: { without: "proxy_buffer_size 32k; proxy_buffers 8 32k;" },
    caddy: { proxy: "transport http {\n max_response_header 4KB\n }" },
    isShort: true,
  },
  {
    name: "20: Set-Cookie hidden",
    code: "cookies-dropped",
    fix: "Set-Cookie",
    nginx: { location: "proxy_hide_header Set-Cookie;" },
    caddy: { proxy: "header_down -Set-Cookie" },
  },
  {
    name: "20: Set-Cookie merged",
    code: "cookies-merged",
    fix: "headers.getSetCookie()",
    isMerged: true,
    isShort: true,
  },
  {
    name: "20: Set-Cookie without Secure",
    code: "cookies-changed",
    fix: "proxy_cookie_flags",
    nginx: { location: "proxy_cookie_flags ~ nosecure;" },
    caddy: { proxy: 'header_down Set-Cookie "(?i); secure" "; Priority=High"' },
  },
  {
    name: "20: Set-Cookie with SameSite=Strict",
    code: "cookies-changed",
    fix: "proxy_cookie_flags",
    nginx: { location: "proxy_cookie_flags ~ samesite=strict;" },
    caddy: { proxy: 'header_down Set-Cookie "(?i)samesite=lax" "SameSite=Strict"' },
  },
  {
    name: "20: Set-Cookie with another path",
    code: "cookies-changed",
    fix: "proxy_cookie_path",
    nginx: { location: "proxy_cookie_path / /app/;" },
    caddy: { proxy: 'header_down Set-Cookie "(?i)path=/" "Path=/app/"' },
  },
  {
    name: "21: Cache-Control stripped",
    code: "cache-control",
    fix: "Cache-Control",
    nginx: { location: "proxy_hide_header Cache-Control;" },
    caddy: { proxy: "header_down -Cache-Control" },
  },
  {
    name: "21: /session cached",
    code: "session-cached",
    fix: "proxy_cache off",
    nginx: {
      http: "proxy_cache_path FOLDER/cache keys_zone=c:1m;",
      location:
        "proxy_cache c; proxy_cache_valid 200 1m; proxy_ignore_headers Cache-Control Expires Set-Cookie; proxy_cache_methods GET;",
    },
    only: "nginx",
    isShort: true,
  },
  {
    name: "22: the query of addresses dropped",
    code: "query-dropped",
    fix: "without $uri",
    nginx: { without: "proxy_pass http://app;", location: "proxy_pass http://app$uri;" },
    caddy: { site: "rewrite * {path}?" },
  },
  {
    name: "22: the bodies of forms dropped",
    code: "body-dropped",
    fix: "proxy_pass_request_body",
    nginx: { location: 'proxy_pass_request_body off; proxy_set_header Content-Length "";' },
    caddy: { proxy: "method GET" },
    isShort: true,
  },
  {
    name: "22: the bodies of forms limited to 4 KiB",
    code: "body-changed",
    fix: "client_max_body_size",
    nginx: { location: "client_max_body_size 4k;" },
    caddy: { site: "request_body {\n max_size 4KB\n }" },
  },
  {
    name: "22: a login wall of the app",
    code: "login-wall",
    fix: "matcher",
    app: { settings: { hasWall: true } },
    isShort: true,
  },
  {
    name: "22: a login wall of the proxy",
    code: "login-wall",
    fix: "matcher",
    nginx: { server: "location BASE/ { return 302 /login; }" },
    caddy: { site: "redir BASE/* /login 302" },
  },
  {
    name: "31: development",
    code: "development-mode",
    fix: "NODE_ENV=production",
    app: { env: { NODE_ENV: "development" } },
    only: "Express", // The build of Next.js writes "production" into the code.
  },
  {
    name: "31: limits in the memory of two processes",
    code: "limiter-memory",
    fix: "rateLimit: { store }",
    second: {},
  },
]

export const clean: readonly Planted[] = [
  { name: "none, with AUTH_URL", code: "", fix: "", isShort: true },
  { name: "none, with the headers of the proxy", code: "", fix: "", app: byHeaders },
  { name: "none, and a provider that knows the site", code: "", fix: "", address: "127.0.0.1" },
]
