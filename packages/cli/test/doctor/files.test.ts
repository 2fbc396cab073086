import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { withoutFileVariables } from "../../src/doctor/app-files.js"
import { examineFiles } from "../../src/doctor/files.js"
import { createProgress } from "../../src/terminal.js"
import { removeApps, writeApp } from "./app.js"

afterAll(removeApps)

/** What is found in an app of these files: code, file and line of the first fix. */
async function look(files: Readonly<Record<string, string>>, prepare = (_: string) => {}) {
  const folder = writeApp({ "auth.ts": "export default {}", ...files })
  prepare(folder)
  const context = { folder, environment: {}, print: () => {}, printError: () => {} }
  const input = { config: join(folder, "auth.ts"), insecure: false, context, progress: createProgress(context) }
  const { findings } = await examineFiles(input)
  return findings.map(({ code, fixes: [fix] }) => `${code} ${fix?.file}:${fix?.line}`)
}

const next15 = JSON.stringify({ dependencies: { next: "15.5.0" } }, null, 2)
const next16 = JSON.stringify({ dependencies: { next: "16.0.0" } }, null, 2)
const auth = `import NextAuth from "@latchkey/next"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
export const { auth } = NextAuth({
  adapter: sqlite("app.db"), providers: [],
  callbacks: { authorized: ({ auth, request }) => auth !== null || !request.nextUrl.pathname.startsWith("/private") },
})`
const everything = `export const config = { matcher: ["/((?!_next/static|_next/image|favicon.ico).*)"] }`
const proxy = `export { auth as proxy } from "./auth"\n`

describe("the files that latchkey doctor reads", () => {
  it("have no finding in a clean app", async () => {
    expect(await look({ "package.json": next16, "auth.ts": auth, "proxy.ts": `${proxy}${everything}` })).toEqual([])
  })

  it("may be a middleware on the edge runtime that reaches what needs Node", async () => {
    const middleware = `export { auth as middleware } from "@/auth"\n${everything}`
    const tsconfig = `{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }`
    const app = { "package.json": next15, "tsconfig.json": tsconfig, "auth.ts": auth }
    expect(await look({ ...app, "middleware.ts": middleware })).toEqual(["edge-adapter middleware.ts:2"])
    const node = middleware.replace("{ matcher", `{ runtime: "nodejs", matcher`)
    expect(await look({ ...app, "middleware.ts": node })).toEqual([])
    // As some editors on Windows write files.
    const marked = Object.fromEntries(Object.entries(app).map(([name, text]) => [name, `\uFEFF${text}`]))
    expect(await look({ ...marked, "middleware.ts": middleware })).toEqual(["edge-adapter middleware.ts:2"])
    const types = `import type { Pool } from "pg"\n// import "pg"\nexport const a = () => import("pg")\n`
    expect(await look({ ...app, "auth.ts": types, "middleware.ts": middleware })).toEqual([])
  })

  it.each([
    [`matcher: ["/about/:path*"]`, ["matcher proxy.ts:2"]],
    [`matcher: "/private"`, ["matcher proxy.ts:2"]],
    [`matcher: ["/private/:path*", "/other"]`, []],
    [`matcher: ["/((?!api|_next/static).*)"]`, []],
  ])("may be a matcher, %s, that misses what is guarded", async (matcher, found) => {
    const files = {
      "package.json": next16,
      "auth.ts": auth,
      "proxy.ts": `${proxy}export const config = { ${matcher} }`,
    }
    expect(await look(files)).toEqual(found)
  })

  it("may be a middleware that redirects requests to the service", async () => {
    const middleware = `import { getToken } from "@latchkey/core/jwt"
import { NextResponse } from "next/server"
export async function proxy(req) {
  const token = await getToken({ req, secret: process.env.AUTH_SECRET, secureCookie: true })
  return token ? NextResponse.next() : NextResponse.redirect(new URL("/login", req.url))
}
${everything}`
    expect(await look({ "package.json": next16, "proxy.ts": middleware })).toEqual(["login-wall proxy.ts:7"])
  })

  it.each([
    ["getToken({ req })", ["get-token src/api.ts:3"]],
    ["getToken({ req, secret: process.env.AUTH_SECRET })", ["get-token src/api.ts:3"]],
    ["getToken({\n  req,\n  secureCookie: isHttps(req),\n})", ["get-token src/api.ts:3"]],
    ["getToken({ req, secret, cookieName })", []],
    ["getToken({ req, raw: true, secureCookie: true })", []],
    ["getToken({ ...options, req })", []],
    ["getToken(options)", []],
  ])("may be a call of getToken: %s", async (call, found) => {
    const text = `import { getToken } from "@latchkey/core/jwt"\n// getToken({ req })\nexport const token = ${call}\n`
    expect(await look({ "src/api.ts": text })).toEqual(found)
  })

  it("may be Auth.js beside us, other than its adapters", async () => {
    const manifest = (name: string) => JSON.stringify({ dependencies: { "@latchkey/core": "1", [name]: "5" } }, null, 2)
    expect(await look({ "package.json": manifest("@auth/drizzle-adapter") })).toEqual([])
    expect(await look({ "package.json": manifest("next-auth") })).toEqual(["auth-js-beside package.json:4"])
    const used = {
      "package.json": manifest("next-auth"),
      "app/page.tsx": `\nimport { useSession } from "next-auth/react"`,
    }
    expect(await look(used)).toEqual(["auth-js-beside app/page.tsx:2"])
  })

  it("may be two copies of the core, or packages of different versions", async () => {
    const manifest = JSON.stringify({ dependencies: { "@latchkey/core": "1", "@latchkey/express": "1" } }, null, 2)
    const install = (folder: string, name: string, version: string) => {
      const place = join(folder, name)
      mkdirSync(place, { recursive: true })
      const exports = { "./package.json": "./package.json" }
      writeFileSync(join(place, "package.json"), JSON.stringify({ name, version, exports }))
      return place
    }
    const open = (express: string) => (folder: string) => {
      rmSync(join(folder, "node_modules"))
      install(join(folder, "node_modules"), "@latchkey/core", "1.0.0")
      return install(join(folder, "node_modules"), "@latchkey/express", express)
    }
    expect(await look({ "package.json": manifest }, open("1.0.0"))).toEqual([])
    expect(await look({ "package.json": manifest }, open("1.2.0"))).toEqual(["version-skew package.json:3"])
    const nested = (folder: string) =>
      void install(join(open("1.0.0")(folder), "node_modules"), "@latchkey/core", "1.1.0")
    expect(await look({ "package.json": manifest }, nested)).toEqual(["duplicate-core package.json:3"])
  })

  it("may say that the app runs on a Node without Argon2", async () => {
    const passwords = `import { Passwords } from "@latchkey/core/providers/passwords"\nexport default { providers: [Passwords({})] }`
    const app = { "auth.ts": passwords, Dockerfile: "FROM docker.io/node:22-slim\n" }
    expect(await look(app)).toEqual(["argon2-missing undefined:undefined"])
    expect(await look({ ...app, Dockerfile: "FROM node:24\n" })).toEqual([])
    const manifest = JSON.stringify({ dependencies: { "@node-rs/argon2": "2" } })
    expect(await look({ ...app, "package.json": manifest })).toEqual([])
  })

  it("may be an environment file with secrets that Git does not ignore", async () => {
    const init = (folder: string) => void spawnSync("git", ["init", "--quiet"], { cwd: folder })
    const files = { ".env": "AUTH_URL=https://a.example\nAUTH_SECRET=x\n" }
    expect(await look(files, init)).toEqual(["env-file-in-git .gitignore:undefined"])
    expect(await look({ ...files, ".gitignore": ".env\n" }, init)).toEqual([])
    expect(await look({ ".env": "AUTH_URL=https://a.example\n" }, init)).toEqual([])
    expect(await look(files)).toEqual([])
  })
})

it("variables that Bun took from environment files are not those of the process", () => {
  const folder = writeApp({
    ".env": `AUTH_SECRET=of-the-file\nAUTH_URL=https://\${HOST}\nSET=in-the-file\n`,
    ".env.development": "AUTH_DEMO_ID=for-developers\n",
  })
  const environment = {
    AUTH_SECRET: "of-the-file",
    AUTH_URL: "https://app.example",
    AUTH_DEMO_ID: "for-developers",
    SET: "by-the-process",
    PATH: "/bin",
  }
  expect(withoutFileVariables(environment, folder)).toEqual({ SET: "by-the-process", PATH: "/bin" })
})
