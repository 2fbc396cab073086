import { mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Provider from "oidc-provider"
import { afterAll, describe, expect, it } from "vitest"
import { removeApps } from "../../../packages/cli/test/doctor/app.js"
import {
  clientSecret,
  type Edit,
  type ExampleName,
  look,
  type Planted,
  records,
} from "../../../packages/cli/test/doctor/example-app.js"
import { notePlanted, takeTime } from "../../../packages/cli/test/doctor/note-planted.js"
import { serve } from "../../../packages/cli/test/doctor/sites.js"

afterAll(removeApps)

/** A mistake of an app, or of what it asks. */
interface Mistake extends Partial<Planted> {
  /** Begins with the number of the mistake. */
  readonly name: string
  /** What is found first, and a part of the line to change. */
  readonly code: string
  readonly fix: string
  /** Whether the file and the line to change are known. Default: false. */
  readonly hasLine?: boolean
  /** The app that can have it. Default: both. */
  readonly only?: ExampleName
}

/** The published provider, where the secret of the client has expired. Returns its issuer. */
async function serveExpired(): Promise<string> {
  let listener: ReturnType<Provider["callback"]> = async () => {}
  const origin = await serve((request, response) => void listener(request, response))
  const client = {
    client_id: "demo",
    client_secret: clientSecret,
    client_secret_expires_at: 1,
    redirect_uris: ["https://app.example/auth/callback/demo"],
  }
  listener = new Provider(origin, { clients: [client] }).callback()
  return origin
}

/** Adds passwords, in place of those that the configuration may have. */
const passwords = (options: string): readonly Edit[] => [
  [/^/, `import { Passwords as Planted } from "@latchkey/core/providers/passwords"\n`],
  [
    /providers: \[(?:([\s\S]*?) *Passwords\(\{ mail, breached: false \}\),)?/,
    `providers: [Planted({ ${options}mail: { send: () => {} } }),$1`,
  ],
]

const proof =
  "const { isEmailVerified: _, ...rest } = sqlite(DATA_FILE)\nconst adapter = rest as ReturnType<typeof sqlite>\n"

/** Another package with a core of its own, beside what the app uses. */
function installTwice(folder: string): void {
  const modules = join(folder, "node_modules")
  const shared = realpathSync(modules)
  rmSync(modules)
  const link = (name: string) => symlinkSync(join(shared, name), join(modules, name))
  const install = (place: string, name: string, version: string) => {
    mkdirSync(join(place, name), { recursive: true })
    writeFileSync(join(place, name, "package.json"), JSON.stringify({ name, version }))
    return join(place, name)
  }
  mkdirSync(join(modules, "@latchkey"), { recursive: true })
  for (const name of readdirSync(shared)) if (name !== "@latchkey") link(name)
  for (const name of readdirSync(join(shared, "@latchkey"))) if (name !== "react") link(join("@latchkey", name))
  install(join(install(modules, "@latchkey/react", "0.0.1"), "node_modules"), "@latchkey/core", "0.0.1")
}

const toManifest = (...names: readonly string[]) =>
  JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, "*"])) }, null, 2)

const middleware = `export { auth as middleware } from "./auth"\nexport const config = { matcher: ["/private/:path*"] }\n`
const reader = `import { getToken } from "@latchkey/core/jwt"\nexport const read = (req) => getToken({ req })\n`

const url = "AUTH_URL=https://app.example"

const mistakes: readonly Mistake[] = [
  {
    name: "1 secret missing",
    code: "secret-missing",
    fix: "npx --no latchkey secret",
    variables: { AUTH_SECRET: undefined },
  },
  ...[
    ["short", "short"],
    ["of an example", "change-me-change-me-change-me-change-me"],
    ["repeated", "ab".repeat(20)],
  ].map(([kind, secret]) => ({
    name: `2 secret ${kind}`,
    code: "secret-weak",
    fix: "AUTH_SECRET=",
    variables: { AUTH_SECRET: secret },
  })),
  { name: "4 AUTH_URL over http", code: "auth-url", fix: url, variables: { AUTH_URL: "http://app.example" } },
  { name: "4 AUTH_URL on localhost", code: "auth-url", fix: url, variables: { AUTH_URL: "http://localhost:3000" } },
  {
    name: "5 AUTH_URL without a scheme",
    code: "auth-url-scheme",
    fix: "AUTH_URL=https://",
    variables: { AUTH_URL: "app.example" },
  },
  {
    name: "6 AUTH_URL with another path than basePath",
    code: "auth-url-path",
    fix: url,
    variables: { AUTH_URL: "https://app.example/api/auth" },
    edits: [["  adapter,\n", '  adapter,\n  basePath: "/auth",\n']],
  },
  {
    name: "6 AUTH_URL with a doubled path",
    code: "auth-url-path",
    fix: url,
    variables: { AUTH_URL: "https://app.example/auth/auth" },
  },
  {
    name: "12 client secret wrong",
    code: "client-secret",
    fix: "AUTH_DEMO_SECRET=",
    variables: { AUTH_DEMO_SECRET: "another-secret-of-a-client" },
  },
  {
    name: "12 client secret expired",
    code: "client-secret",
    fix: "AUTH_DEMO_SECRET=<a new one",
    toIssuer: serveExpired,
  },
  {
    name: "12 client ID unknown",
    code: "client-secret",
    fix: "AUTH_DEMO_ID=",
    variables: { AUTH_DEMO_ID: "other" },
  },
  {
    name: "13 issuer with a slash too many",
    code: "issuer",
    fix: "AUTH_DEMO_ISSUER=",
    toIssuer: (issuer) => `${issuer}/`,
  },
  {
    name: "13 issuer of another realm",
    code: "issuer",
    fix: "AUTH_DEMO_ISSUER=",
    toIssuer: (issuer) => issuer.replace("/demo", "/other"),
  },
  {
    name: "13 issuer by another name of the tenant",
    code: "issuer",
    fix: "AUTH_DEMO_ISSUER=",
    toIssuer: (issuer) => issuer.replace("/realms", "/alias/realms"),
  },
  {
    name: "13 issuer of another tenant",
    code: "client-id",
    fix: "AUTH_DEMO_ISSUER=",
    toIssuer: (issuer) => issuer.replace("/realms/demo", "/tenants/other"),
  },
  {
    name: "14 provider without an ID",
    code: "provider-incomplete",
    fix: "AUTH_DEMO_ID=",
    variables: { AUTH_DEMO_ID: undefined },
  },
  {
    name: "14 provider without a secret",
    code: "provider-incomplete",
    fix: "AUTH_DEMO_SECRET=",
    variables: { AUTH_DEMO_SECRET: undefined },
  },
  {
    name: "15 provider that needs client_secret_post",
    code: "client-auth-method",
    fix: 'client: { token_endpoint_auth_method: "client_secret_post" }',
    method: "client_secret_post",
  },
  {
    name: "16 provider that cannot be reached",
    code: "provider-unreachable",
    fix: "HTTPS_PROXY",
    variables: { AUTH_DEMO_ISSUER: "http://127.0.0.1:9" },
  },
  {
    name: "23 a guarded route that the matcher misses",
    code: "matcher",
    fix: "/private/:path*",
    files: { "proxy.ts": middleware.replace("middleware", "proxy").replace("/private", "/profile") },
    hasLine: true,
    only: "Next.js",
  },
  {
    name: "24 Node-only adapter in an edge middleware",
    code: "edge-adapter",
    fix: "proxy.ts",
    files: { "middleware.ts": middleware, "proxy.ts": "" },
    hasLine: true,
    only: "Next.js",
  },
  {
    name: "25 getToken without secureCookie and secret",
    code: "get-token",
    fix: 'secret: process.env.AUTH_SECRET, secureCookie: process.env.NODE_ENV === "production"',
    files: { "read.ts": reader },
    hasLine: true,
  },
  { name: "29 SMTP login refused", code: "mail-login", fix: "EMAIL_SERVER=", mail: { AUTH: "535 no" } },
  {
    name: "29 From without SPF",
    code: "mail-sender",
    fix: 'harbour.dev. TXT "v=spf1 ',
    dns: { ...records, "harbour.dev": [] },
  },
  {
    name: "29 From without DMARC",
    code: "mail-sender",
    fix: '_dmarc.harbour.dev. TXT "v=DMARC1; ',
    dns: { ...records, "_dmarc.harbour.dev": [] },
  },
  {
    name: "30 two copies of the core",
    code: "duplicate-core",
    fix: "npm dedupe",
    files: { "package.json": toManifest("next", "@latchkey/core", "@latchkey/react") },
    setUp: installTwice,
    hasLine: true,
  },
  {
    name: "30 next-auth beside us",
    code: "auth-js-beside",
    fix: "npm uninstall next-auth",
    files: { "package.json": toManifest("next-auth") },
    hasLine: true,
  },
  {
    name: "31 limiter in memory with two processes",
    code: "limiter-memory",
    fix: "rateLimit: { store:",
    files: { "ecosystem.config.js": "module.exports = { apps: [{ instances: 2 }] }" },
  },
  {
    name: "31 NODE_ENV is development",
    code: "development-mode",
    fix: "NODE_ENV=production",
    variables: { NODE_ENV: "development" },
  },
  {
    name: "32 linking by address with an adapter that cannot prove it",
    code: "linking-unproven",
    fix: "isEmailVerified",
    edits: [
      ["const adapter = sqlite(DATA_FILE)\n", proof],
      [/type: "oidc" \}/, 'type: "oidc", allowDangerousEmailAccountLinking: true, checks: ["pkce"] }'],
    ],
  },
  {
    name: "32 passwords under 15 without a second factor",
    code: "password-short",
    fix: "minLength: 15",
    edits: passwords("minLength: 8, "),
  },
  {
    name: "32 no Argon2",
    code: "argon2-missing",
    fix: "npm install @node-rs/argon2",
    edits: passwords(""),
    files: { Dockerfile: "FROM node:22-slim\n" },
  },
]

describe.each(["Express", "Next.js"] as const)("latchkey doctor on the example of %s", (name) => {
  it("finds nothing in the app as it is, not even a warning", async (test) => {
    const [diagnosis, seconds] = await takeTime(() => look(name))
    expect(diagnosis).toMatchObject({ code: 0, findings: [], unchecked: [] })
    notePlanted(test, { mistake: "none", place: name, found: undefined, seconds })
  })

  const own = mistakes.filter(({ only = name }) => only === name)
  it.for(own)("names first: $name", async (planted, test) => {
    const [{ findings, text }, seconds] = await takeTime(() => look(name, planted))
    const [first] = findings
    const lines = first?.fixes.map((each) => each.text).join("\n")
    expect([first?.code, lines]).toEqual([planted.code, expect.stringContaining(planted.fix)])
    if (planted.hasLine) expect(first?.fixes[0]).toMatchObject({ file: expect.any(String), line: expect.any(Number) })
    expect(text).not.toContain(clientSecret)
    notePlanted(test, { mistake: planted.name, place: name, found: first?.code, seconds })
  })
})
