import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fakeIdentityProvider } from "@latchkey/testkit"
import { afterAll, describe, expect, it } from "vitest"
import { type Diagnosis, diagnose, production, removeApps, writeApp } from "../doctor/app.js"
import { type Answers, startSmtp } from "../doctor/mail-server.js"
import { notePlanted, takeTime } from "../doctor/note-planted.js"
import { serve } from "../doctor/sites.js"

afterAll(removeApps)

const clientSecret = "the-secret-of-the-demo-client"

/** A mistake: other variables, other texts of the configuration, other files, another mail server. */
interface Planted {
  readonly variables?: Readonly<Record<string, string | undefined>>
  /** Replaces a text of the configuration. */
  readonly edit?: readonly [from: string | RegExp, to: string]
  readonly files?: Readonly<Record<string, string>>
  readonly mail?: Answers
  readonly method?: "client_secret_post"
}

const apps = {
  Express: { example: "example-express", config: "src/auth.ts" },
  Next: { example: "example-next", config: "auth.ts" },
} as const

const examples = join(import.meta.dirname, "..", "..", "..", "..", "apps")

/** Serves a provider of OpenID Connect over HTTP, with the client of the examples. */
async function serveProvider(method: "client_secret_basic" | "client_secret_post"): Promise<string> {
  let answer: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 })
  const origin = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null
    const answered = await answer(
      new Request(`${origin}${request.url}`, { method: request.method ?? "GET", headers, body }),
    )
    response
      .writeHead(answered.status, Object.fromEntries(answered.headers))
      .end(Buffer.from(await answered.arrayBuffer()))
  })
  const issuer = `${origin}/realms/demo`
  const client = { client_id: "demo", client_secret: clientSecret, token_endpoint_auth_method: method }
  answer = fakeIdentityProvider({ issuer, clients: [client] }).handler
  return issuer
}

async function look(
  name: keyof typeof apps,
  { variables, edit, files = {}, mail, method }: Planted = {},
): Promise<Diagnosis> {
  const { example, config } = apps[name]
  const folder = writeApp({})
  cpSync(join(examples, example), folder, { recursive: true, filter: (path) => !/node_modules|\.next$/.test(path) })
  const path = join(folder, config)
  if (edit) {
    const text = readFileSync(path, "utf8")
    const edited = text.replace(...edit)
    expect(edited).not.toBe(text)
    writeFileSync(path, edited)
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const issuer = await serveProvider(method ?? "client_secret_basic")
  const { url } = await startSmtp(mail)
  const environment = {
    ...production,
    DATA_FILE: ":memory:",
    EMAIL_SERVER: url,
    EMAIL_FROM: "no-reply@app.example",
    AUTH_DEMO_ISSUER: issuer,
    AUTH_DEMO_ID: "demo",
    AUTH_DEMO_SECRET: clientSecret,
    ...variables,
  }
  return diagnose(folder, environment, ["--config", config])
}

const passwords = `import { Passwords } from "@latchkey/core/providers/passwords"\n`

/** By the number of the mistake: what is planted, the code that is named first, and a part of the line to change. */
const mistakes: readonly (readonly [title: string, planted: Planted, code: string, fix: string])[] = [
  ["1 secret missing", { variables: { AUTH_SECRET: undefined } }, "secret-missing", "npx --no latchkey secret"],
  ["2 secret short", { variables: { AUTH_SECRET: "short" } }, "secret-weak", "AUTH_SECRET="],
  [
    "2 secret of an example",
    { variables: { AUTH_SECRET: "change-me-change-me-change-me-change-me" } },
    "secret-weak",
    "AUTH_SECRET=",
  ],
  ["2 secret repeated", { variables: { AUTH_SECRET: "ab".repeat(20) } }, "secret-weak", "AUTH_SECRET="],
  [
    "4 AUTH_URL over http",
    { variables: { AUTH_URL: "http://app.example" } },
    "auth-url",
    "AUTH_URL=https://app.example",
  ],
  [
    "4 AUTH_URL on localhost",
    { variables: { AUTH_URL: "http://localhost:3000" } },
    "auth-url",
    "AUTH_URL=https://app.example",
  ],
  ["5 AUTH_URL without a scheme", { variables: { AUTH_URL: "app.example" } }, "auth-url-scheme", "AUTH_URL=https://"],
  [
    "6 AUTH_URL with another path than basePath",
    {
      variables: { AUTH_URL: "https://app.example/api/auth" },
      edit: ["  adapter,\n", '  adapter,\n  basePath: "/auth",\n'],
    },
    "auth-url-path",
    "AUTH_URL=https://app.example",
  ],
  [
    "6 AUTH_URL with a doubled path",
    { variables: { AUTH_URL: "https://app.example/auth/auth" } },
    "auth-url-path",
    "AUTH_URL=https://app.example",
  ],
  [
    "12 client secret wrong",
    { variables: { AUTH_DEMO_SECRET: "another-secret-of-a-client" } },
    "client-secret",
    "AUTH_DEMO_SECRET=",
  ],
  ["12 client ID unknown", { variables: { AUTH_DEMO_ID: "other" } }, "client-secret", "AUTH_DEMO_SECRET="],
  ["13 issuer with a slash too many", { variables: { AUTH_DEMO_ISSUER: "slash" } }, "issuer", "AUTH_DEMO_ISSUER="],
  ["13 issuer of another realm", { variables: { AUTH_DEMO_ISSUER: "realm" } }, "issuer", "AUTH_DEMO_ISSUER="],
  ["14 provider without an ID", { variables: { AUTH_DEMO_ID: undefined } }, "provider-incomplete", "AUTH_DEMO_ID="],
  [
    "14 provider without a secret",
    { variables: { AUTH_DEMO_SECRET: undefined } },
    "provider-incomplete",
    "AUTH_DEMO_SECRET=",
  ],
  [
    "15 provider that needs client_secret_post",
    { method: "client_secret_post" },
    "client-auth-method",
    'client: { token_endpoint_auth_method: "client_secret_post" }',
  ],
  [
    "16 provider that cannot be reached",
    { variables: { AUTH_DEMO_ISSUER: "http://127.0.0.1:9" } },
    "provider-unreachable",
    "HTTPS_PROXY",
  ],
  ["29 SMTP login refused", { mail: { AUTH: "535 no" } }, "mail-login", "EMAIL_SERVER="],
  [
    "30 next-auth beside us",
    { files: { "package.json": `{ "dependencies": {\n"next-auth": "5.0.0" } }` } },
    "auth-js-beside",
    "npm uninstall next-auth",
  ],
  [
    "31 limiter in memory with two processes",
    { files: { "ecosystem.config.js": "module.exports = { apps: [{ instances: 2 }] }" } },
    "limiter-memory",
    "rateLimit: { store:",
  ],
  ["31 NODE_ENV is development", { variables: { NODE_ENV: "development" } }, "development-mode", "NODE_ENV=production"],
  [
    "32 linking by address with an adapter that cannot prove it",
    {
      edit: [/type: "oidc" \}/, 'type: "oidc", allowDangerousEmailAccountLinking: true, checks: ["pkce"] }'],
      variables: { PLANTED: "adapter" },
    },
    "linking-unproven",
    "isEmailVerified",
  ],
  [
    "32 passwords under 15 without a second factor",
    {
      edit: [/providers: \[/, "providers: [Passwords({ minLength: 8, mail: { send: () => {} } }),"],
      variables: { PLANTED: "passwords" },
    },
    "password-short",
    "minLength: 15",
  ],
]

const middleware = `export { auth as middleware } from "./auth"\nexport const config = { matcher: ["/private/:path*"] }\n`
const reader = `import { getToken } from "@latchkey/core/jwt"\nexport const read = (req) => getToken({ req })\n`

/** Mistakes in files that only one of the apps has. */
const inFiles: readonly (readonly [name: keyof typeof apps, ...(typeof mistakes)[number]])[] = [
  [
    "Next",
    "23 a guarded route that the matcher misses",
    { files: { "proxy.ts": middleware.replace("middleware", "proxy").replace("/private", "/profile") } },
    "matcher",
    "/private/:path*",
  ],
  [
    "Next",
    "24 Node-only adapter in an edge middleware",
    { files: { "middleware.ts": middleware, "proxy.ts": "" } },
    "edge-adapter",
    "proxy.ts",
  ],
  [
    "Next",
    "25 getToken without secureCookie and secret",
    { files: { "read.ts": reader } },
    "get-token",
    "secureCookie: process.env.NODE_ENV",
  ],
  [
    "Express",
    "25 getToken without secureCookie and secret",
    { files: { "src/read.ts": reader } },
    "get-token",
    "secret: process.env.AUTH_SECRET",
  ],
]

/** Completes what depends on the app or on servers that are started for it. */
async function plant(name: keyof typeof apps, planted: Planted): Promise<Diagnosis> {
  const { AUTH_DEMO_ISSUER: issuer, PLANTED: kind, ...variables } = planted.variables ?? {}
  if (issuer === "slash" || issuer === "realm") {
    const real = await serveProvider("client_secret_basic")
    const wrong = issuer === "slash" ? `${real}/` : real.replace("/realms/demo", "/realms/other")
    return look(name, { ...planted, variables: { ...variables, AUTH_DEMO_ISSUER: wrong } })
  }
  const all = { ...planted, variables: { ...variables, ...(issuer !== undefined && { AUTH_DEMO_ISSUER: issuer }) } }
  if (kind === "passwords") {
    const { edit: [from, to] = ["", ""] } = planted
    return look(name, {
      ...all,
      edit: [new RegExp(`^([\\s\\S]*?)${from instanceof RegExp ? from.source : from}`), `${passwords}$1${to}`],
    })
  }
  if (kind === "adapter") {
    const { edit: [from, to] = ["", ""] } = planted
    const weak =
      "const { isEmailVerified: _, ...rest } = sqlite(DATA_FILE)\nconst adapter = rest as ReturnType<typeof sqlite>\n"
    const source = from instanceof RegExp ? from.source : from
    return look(name, {
      ...all,
      edit: [new RegExp(`const adapter = sqlite\\(DATA_FILE\\)\\n([\\s\\S]*?)${source}`), `${weak}$1${to}`],
    })
  }
  return look(name, all)
}

const toPlace = (name: keyof typeof apps) => (name === "Next" ? "Next.js" : name)

describe.each(["Express", "Next"] as const)("latchkey doctor on the example of %s", (name) => {
  it("finds nothing in the app as it is, not even a warning", async (test) => {
    const [diagnosis, seconds] = await takeTime(() => look(name))
    expect(diagnosis).toMatchObject({ code: 0, findings: [], unchecked: [] })
    notePlanted(test, { mistake: "none", place: toPlace(name), found: undefined, seconds })
  })

  const own = inFiles.flatMap(([app, ...mistake]) => (app === name ? [mistake] : []))
  it.for([...mistakes, ...own])("names first: %s", async ([mistake, planted, code, fix], test) => {
    const [{ findings, text }, seconds] = await takeTime(() => plant(name, planted))
    const [first] = findings
    expect([first?.code, first?.fixes.map((each) => each.text).join("\n")]).toEqual([
      code,
      expect.stringContaining(fix),
    ])
    if (own.some(([title]) => title === mistake))
      expect(first?.fixes[0]).toMatchObject({ file: expect.any(String), line: expect.any(Number) })
    expect(text).not.toContain(clientSecret)
    notePlanted(test, { mistake, place: toPlace(name), found: first?.code, seconds })
  })
})
