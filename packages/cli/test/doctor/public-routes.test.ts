import type { IncomingMessage } from "node:http"
import { type AuthConfig, skipCSRFCheck } from "@latchkey/core"
import { describe, expect, it } from "vitest"
import { codesOf, createApp, look, type Planted, plant, providers, serve } from "./sites.js"

/** Changes the headers of answers before they are sent. */
function rewrite(
  change: (headers: Record<string, string | string[]>, request: IncomingMessage) => void,
): Planted["proxy"] {
  return (app, request, response) => {
    const writeHead = response.writeHead.bind(response)
    const rewritten = (status: number, headers: Record<string, string | string[]> = {}) => {
      change(headers, request)
      return writeHead(status, headers)
    }
    return app(request, Object.assign(response, { writeHead: rewritten }))
  }
}

const cookiesOf = (headers: Record<string, string | string[]>): readonly string[] =>
  [headers["set-cookie"] ?? []].flat()

const mistakes: readonly (readonly [name: string, code: string, planted: Planted, fix: string])[] = [
  ["no secret", "server-error", { config: { secret: [] } }, "AUTH_SECRET="],
  ["a short secret", "server-error", { config: { secret: "short" } }, "AUTH_SECRET="],
  ["an untrusted host", "server-error", { config: { trustHost: false } }, "AUTH_SECRET="],
  [
    "an unlisted host",
    "host-untrusted",
    { config: { allowedOrigins: ["https://other.example"] } },
    'allowedOrigins: ["http://127.0.0.1',
  ],
  [
    "another scheme",
    "scheme",
    { origin: (_, origin) => origin.replace("http:", "https:") },
    "AUTH_URL=http://127.0.0.1",
  ],
  [
    "a scheme that a header decides",
    "scheme",
    { origin: ({ headers }, own) => (headers["x-forwarded-proto"] === "http" ? own : own.replace("http:", "https:")) },
    "X-Forwarded-Proto $scheme",
  ],
  ["localhost", "address", { origin: "http://localhost:3000" }, "AUTH_URL=http://127.0.0.1"],
  ["another base path", "base-path", { config: { basePath: "/api/auth" } }, "AUTH_URL=http://127.0.0.1"],
  [
    "a header that names the host",
    "forged-host",
    { origin: ({ headers }, own) => (headers["x-forwarded-host"] ? `http://${headers["x-forwarded-host"]}` : own) },
    "AUTH_URL=http://127.0.0.1",
  ],
  [
    "a Host header that is believed",
    "forged-host",
    { origin: ({ headers }) => `http://${headers.host}` },
    "AUTH_URL=http",
  ],
  [
    "a header that names the scheme",
    "forged-scheme",
    { origin: ({ headers }, own) => (headers["x-forwarded-proto"] === "https" ? own.replace("http:", "https:") : own) },
    "X-Forwarded-Proto $scheme",
  ],
  ["no cookies", "cookies-dropped", { proxy: rewrite((headers) => delete headers["set-cookie"]) }, "proxy_hide_header"],
  [
    "merged cookies",
    "cookies-merged",
    {
      proxy: rewrite((headers) => {
        if (cookiesOf(headers).length > 1) headers["set-cookie"] = cookiesOf(headers).join(", ")
      }),
    },
    "Set-Cookie",
  ],
  ...(
    [
      ["cookies that lose Secure", /; Secure/i, ""],
      ["cookies that get another path", /; Path=\//i, "; Path=/api/"],
    ] as const
  ).map(
    ([name, from, to]) =>
      [
        name,
        "cookies-changed",
        {
          config: { useSecureCookies: true },
          proxy: rewrite((headers) =>
            Object.assign(headers, { "set-cookie": cookiesOf(headers).map((each) => each.replace(from, to)) }),
          ),
        },
        "Remove proxy_cookie_flags",
      ] as const,
  ),
  [
    "a proxy that drops the cookies of browsers",
    "cookies-dropped",
    {
      proxy: (app, request, response) => {
        delete request.headers.cookie
        return app(request, response)
      },
    },
    "proxy_set_header Cookie",
  ],
  [
    "a proxy that drops the query",
    "query-dropped",
    {
      proxy: (app, request, response) =>
        app(Object.assign(request, { url: request.url?.replace(/\?.*/, "") }), response),
    },
    "without $uri",
  ],
  [
    "a proxy that adds slashes",
    "base-path",
    {
      proxy: (app, request, response) => {
        const [path = ""] = request.url?.split("?") ?? []
        if (!path.endsWith("/")) return response.writeHead(301, { location: `${path}/` }).end()
        return app(Object.assign(request, { url: request.url?.replace("/?", "?").replace(/\/$/, "") }), response)
      },
    },
    "adds slashes",
  ],
  [
    "no Cache-Control",
    "cache-control",
    { proxy: rewrite((headers) => delete headers["cache-control"]) },
    "Cache-Control",
  ],
  [
    "a cache that says so",
    "session-cached",
    {
      proxy: rewrite((headers, { url }) =>
        url === "/auth/session" ? Object.assign(headers, { "x-cache": "HIT" }) : null,
      ),
    },
    "proxy_cache off",
  ],
  [
    "a silent cache of sessions",
    "session-cached",
    {
      proxy: (app, request, response) =>
        request.url === "/auth/session" ? response.end("null") : app(request, response),
    },
    "proxy_cache off",
  ],
  [
    "a login wall",
    "login-wall",
    {
      proxy: (_, _request, response) =>
        response.writeHead(302, { location: "/login?callbackUrl=/auth/providers" }).end(),
    },
    "matcher",
  ],
  [
    "a password of the proxy",
    "login-wall",
    { proxy: (_, _request, response) => response.writeHead(401).end() },
    "matcher",
  ],
  [
    "a login page",
    "login-wall",
    { proxy: (_, _request, response) => response.end('<input type="password">') },
    "matcher",
  ],
  [
    "an app that serves one page",
    "base-path",
    { proxy: (_, _request, response) => response.end("<p>Hi</p>") },
    "Mount",
  ],
  ["nothing at the path", "base-path", { proxy: (_, _request, response) => response.writeHead(404).end() }, "Mount"],
  [
    "forms that lose their cookies",
    "forms-refused",
    {
      proxy: (app, request, response) => {
        if (request.method === "POST") delete request.headers.cookie
        return app(request, response)
      },
    },
    "Cookie and Origin",
  ],
  [
    "a clock that is 40 seconds ahead",
    "clock",
    { proxy: rewrite((headers) => Object.assign(headers, { date: new Date(Date.now() + 40_000).toUTCString() })) },
    "set-ntp",
  ],
  [
    "headers cut at 8 KiB",
    "request-headers",
    {
      proxy: (app, request, response) =>
        (request.headers.cookie ?? "").length > 8192 ? response.writeHead(431).end() : app(request, response),
    },
    "max-http-header-size",
  ],
  [
    "a server that hangs up on 11 KiB of cookies",
    "request-headers",
    {
      proxy: (app, request, response) =>
        (request.headers.cookie ?? "").length > 8192 ? response.destroy() : app(request, response),
    },
    "max-http-header-size",
  ],
  [
    "development mode",
    "development-mode",
    {
      proxy: (app, request, response) =>
        request.url?.endsWith("%A")
          ? response.writeHead(400).end("<pre>URIError<br> &nbsp; &nbsp;at decode (/app/index.js:1:2)</pre>")
          : app(request, response),
    },
    "NODE_ENV=production",
  ],
]

describe("the public routes that latchkey doctor asks", () => {
  it.each(mistakes)("show %s as %s", async (_, code, planted, fix) => {
    const { findings } = await look(await plant(planted))
    expect(findings.map((finding) => finding.code)).toContain(code)
    const [first] = findings.filter((finding) => finding.code === code)
    expect(first?.fixes[0]?.text).toContain(fix)
  })

  it("show that the app may not believe its proxy, if the scheme of a header changes nothing", async () => {
    const { findings } = await look(await plant({ origin: (_, origin) => origin.replace("http:", "https:") }))
    const fixes = findings.find(({ code }) => code === "scheme")?.fixes.map(({ text }) => text)
    expect(fixes).toContainEqual(expect.stringContaining('app.set("trust proxy", 1)'))
  })

  it("say nothing of the sizes of a proxy that limits requests", async () => {
    let count = 0
    const proxy: Planted["proxy"] = (app, request, response) =>
      request.url?.startsWith("/auth/session") && ++count > 2 ? response.writeHead(503).end() : app(request, response)
    expect(await look(await plant({ proxy }))).toMatchObject({
      findings: [],
      unchecked: [{ code: "request-headers", reason: expect.stringContaining("too many requests") }],
    })
    const always: Planted["proxy"] = (app, request, response) =>
      request.url?.startsWith("/auth/session") ? response.writeHead(503).end() : app(request, response)
    expect(await look(await plant({ proxy: always }))).toMatchObject({
      findings: [],
      unchecked: [{ code: "session-cached", reason: expect.stringContaining("too many requests") }],
    })
  })

  it("show instances with different secrets", async () => {
    const apps = ["only-for-the-tests-of-the-doctor-1", "only-for-the-tests-of-the-doctor-2"].map((secret) =>
      createApp({ secret, providers }, { findOrigin: () => origin }),
    )
    let count = 0
    const origin = await serve((request, response) => apps[count++ % 2]?.(request, response))
    expect(codesOf(await look(origin))).toEqual(["secrets-differ"])
  })

  it("show nothing of an app without a mistake", async () => {
    expect(await look(await plant())).toEqual({ findings: [], unchecked: [] })
  })

  it("show nothing of an app at the root, below a path, with other cookies, or without forms of its own", async () => {
    const names = { cookies: { sessionToken: { name: "sid" } } }
    const redirect = ({ baseUrl }: { readonly baseUrl: string }) => baseUrl
    const pages: Partial<AuthConfig> = { pages: { signIn: "/login" }, callbacks: { redirect } }
    for (const config of [names, pages, { callbacks: { redirect } }])
      expect(await look(await plant({ config }))).toEqual({ findings: [], unchecked: [] })
    const { findings, unchecked } = await look(await plant({ config: { skipCSRFCheck } }))
    expect({ findings, codes: unchecked.map(({ code }) => code) }).toEqual({ findings: [], codes: ["forms-refused"] })
  })

  it("are found at another path, which is named", async () => {
    const origin = await plant()
    await expect(look(origin, { url: new URL("/api/auth", origin) })).rejects.toThrow(`--url ${origin}/auth`)
    await expect(look(origin, { url: new URL(origin) })).rejects.toThrow(`--url ${origin}/auth`)
  })
})

/** The answers of real providers, cut short. */
const answers: readonly (readonly [name: string, status: number, body: string, code: string | undefined])[] = [
  ["Keycloak", 400, "<p>Invalid parameter: redirect_uri</p>", "redirect-uri"],
  ["Keycloak", 400, "<p>Client not found.</p>", "client-id"],
  ["oidc-provider", 400, "redirect_uri did not match any of the client's registered redirect_uris", "redirect-uri"],
  ["oidc-provider", 400, "invalid_client: client is invalid", "client-id"],
  ["Microsoft", 200, "<div>AADSTS50011: The redirect URI</div>", "redirect-uri"],
  ["Microsoft", 200, "<div>AADSTS700016: Application with identifier</div>", "client-id"],
  ["Google", 302, `https://accounts.example/error?authError=${btoa("redirect_uri_mismatch")}`, "redirect-uri"],
  ["GitHub", 404, "Not Found", "client-id"],
  ["Auth0", 403, "Callback URL mismatch.", "redirect-uri"],
  ["a provider that goes on", 302, "/login?client_id=known", undefined],
  ["a login page with every message", 200, '<script>"redirect_uri_mismatch invalid_client"</script>', undefined],
]

describe("the answer of a provider that latchkey doctor reads", () => {
  it.each(answers)("of %s, %i", async (_, status, body, code) => {
    const provider = await serve((_request, response) =>
      response.writeHead(status, status === 302 ? { location: body } : {}).end(body),
    )
    const demo = { id: "demo", name: "Demo", type: "oauth" as const, clientId: "id", clientSecret: "secret" }
    const endpoints = { authorization: `${provider}/authorize`, token: `${provider}/t`, userinfo: `${provider}/u` }
    const { findings } = await look(await plant({ config: { providers: [{ ...demo, ...endpoints }] } }))
    expect(findings.map((finding) => finding.code)).toEqual(code === undefined ? [] : [code])
    if (code === "redirect-uri") expect(findings[0]?.fixes[0]?.text).toMatch(/Register http.*\/auth\/callback\/demo/)
  })

  it("is not needed to see that a proxy refuses the headers of the first answer", async () => {
    const demo = { id: "demo", name: "Demo", type: "oauth" as const, clientId: "id", clientSecret: "secret" }
    const endpoints = {
      authorization: "https://id.invalid/a",
      token: "https://id.invalid/t",
      userinfo: "https://id.invalid/u",
    }
    const proxy: Planted["proxy"] = (app, request, response) =>
      request.url?.includes("/signin/demo") ? response.writeHead(502).end("Bad Gateway") : app(request, response)
    const { findings } = await look(await plant({ config: { providers: [{ ...demo, ...endpoints }] }, proxy }))
    expect(findings).toMatchObject([{ code: "response-headers", evidence: { provider: "demo", status: 502 } }])
    expect(findings[0]?.fixes[0]?.text).toContain("proxy_buffer_size")
  })

  it("is not needed to see that the cookies of a sign-in get SameSite=Strict", async () => {
    const demo = { id: "demo", name: "Demo", type: "oauth" as const, clientId: "id", clientSecret: "secret" }
    const endpoints = {
      authorization: "https://id.invalid/a",
      token: "https://id.invalid/t",
      userinfo: "https://id.invalid/u",
    }
    const strict = (header: string) => header.replace(/SameSite=Lax/i, "SameSite=Strict")
    const proxy = rewrite((headers) => Object.assign(headers, { "set-cookie": cookiesOf(headers).map(strict) }))
    const { findings } = await look(await plant({ config: { providers: [{ ...demo, ...endpoints }] }, proxy }))
    expect(findings).toMatchObject([{ code: "cookies-changed", fixes: [{ where: "proxy" }] }])
  })

  it("is not needed to see that a proxy takes the host out of redirects", async () => {
    const demo = { id: "demo", name: "Demo", type: "oauth" as const, clientId: "id", clientSecret: "secret" }
    const endpoints = {
      authorization: "https://id.invalid/a",
      token: "https://id.invalid/t",
      userinfo: "https://id.invalid/u",
    }
    const shorten = (location: unknown) => String(location).replace(/^https?:\/\/[^/]+/, "")
    const proxy = rewrite((headers) => {
      if (headers["location"]) headers["location"] = shorten(headers["location"])
    })
    const { findings } = await look(await plant({ config: { providers: [{ ...demo, ...endpoints }] }, proxy }))
    expect(findings).toMatchObject([{ code: "provider-start", fixes: [{ where: "proxy" }] }])
    expect(findings[0]?.fixes[0]?.text).toContain("proxy_redirect")
  })

  it("is not needed to see that a sign-in does not begin", async () => {
    const issuer = { id: "demo", name: "Demo", type: "oidc" as const, issuer: "http://127.0.0.1:9", clientId: "id" }
    const { findings } = await look(await plant({ config: { providers: [{ ...issuer, clientSecret: "secret" }] } }))
    expect(findings).toMatchObject([{ code: "provider-start", evidence: { provider: "demo", error: "OAuthSignin" } }])
    expect(findings[0]?.fixes[0]?.text).toMatch(/explain [0-9A-Z]{4}-[0-9A-Z]{2}/)
  })
})
