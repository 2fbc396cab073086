import { readCodeOfPage } from "../test/sessions/code-of-page.js"
import type { NextApp } from "./next-app.js"

export type Way = "credentials" | "provider"

/** An app of next-auth 4, in the fixture of this name. */
export interface Shape {
  readonly name: string
  /** Default: all. */
  readonly versions?: readonly string[]
  /** The middleware, where it is not that of the fixture. */
  readonly form?: string
  /** Writes that middleware, as the app of next-auth 4 has it. */
  readonly prepare?: (app: NextApp) => void
  /** Options of `latchkey move`. */
  readonly options: readonly string[]
  readonly ways: readonly [Way, ...Way[]]
  /** The pages that the middleware protects. */
  readonly protectedPages: readonly string[]
  /** Headers that the middleware adds to the first page. */
  readonly headers?: Readonly<Record<string, string>>
  /** The first page after the deployment, and others, which show who is signed in. */
  readonly pages: readonly string[]
  /** The questions of `latchkey move`, by file and line. */
  readonly questions: readonly string[]
  /** Whether no page has a route that can set cookies. */
  readonly hasOnlyServerComponents?: boolean
  /** The stored sessions that one of the former app leads to. */
  readonly sessionsOfOne: number
  /** Answers the questions, as the guide says. */
  answer(app: NextApp, version: string): void
}

const withDate = 'until: new Date("2027-03-01")'
const importReader = 'import { nextAuthV4 } from "@latchkey/import/next-auth-v4"\n'

function answerPagesRouter(app: NextApp): void {
  app.write("accept.ts", readCodeOfPage("next-auth-v4"))
  app.edit(
    "pages/api/auth/[...nextauth].ts",
    ["import NextAuth", 'import { accept } from "../../../accept"\nimport NextAuth'],
    ["  theme: {", "  session: { accept },\n  theme: {"],
  )
  app.edit(
    "pages/api/examples/jwt.ts",
    ["import {", 'import { accept } from "../../../accept"\nimport {'],
    ["{ req }", "{ req, accept }"],
  )
  app.edit(
    "pages/api/auth/[...nextauth].ts",
    ['type: "oauth"', 'type: "oidc"'],
    ['wellKnown: process.env.OIDC_ISSUER + "/.well-known/openid-configuration"', "issuer: process.env.OIDC_ISSUER"],
    ["      idToken: true,\n", ""],
  )
  app.edit("components/footer.tsx", ["next-auth@", "latchkey@"], ['["next-auth"]', '["@latchkey/next"]'])
  app.edit(
    "middleware.ts",
    ["import {", 'import { accept } from "./accept"\nimport {'],
    ["withAuth({", "withAuth({\n  accept,"],
  )
}

function answerT3(app: NextApp): void {
  app.edit(
    "src/server/auth.ts",
    ["import {", `${importReader}import {`],
    ["export const authOptions", "const adapter = UnstorageAdapter(db) as Adapter;\n\nexport const authOptions"],
    [
      "  adapter: UnstorageAdapter(db) as Adapter,",
      `  adapter,\n  session: { accept: [nextAuthV4({ adapter, ${withDate} })] },`,
    ],
  )
}

function answerAppRouter(app: NextApp): void {
  app.write("accept.ts", readCodeOfPage("next-auth-v4"))
  app.edit(
    "lib/auth.ts",
    ["import type", 'import { accept } from "@/accept"\nimport type'],
    ['strategy: "jwt"', 'strategy: "jwt", accept'],
  )
}

const matcher = 'export const config = { matcher: ["/private"] }\n'
const defaultForm = `export { default } from "next-auth/middleware"\n\n${matcher}`
const functionForm = `import { NextResponse } from "next/server"
import { withAuth } from "next-auth/middleware"

export default withAuth(
  function proxy(request) {
    const response = NextResponse.next()
    response.headers.set("x-user", request.nextauth.token?.email ?? "nobody")
    return response
  },
  { callbacks: { authorized: ({ token }) => token !== null } },
)

${matcher}`

const appRouter = {
  name: "app-router",
  versions: ["16"],
  ways: ["credentials"],
  protectedPages: ["/private"],
  pages: ["/private", "/"],
  sessionsOfOne: 0,
} satisfies Partial<Shape>

export const shapes: readonly Shape[] = [
  {
    ...appRouter,
    form: "export { default }",
    prepare: (app) => app.write("middleware.ts", defaultForm),
    options: [],
    questions: ["middleware.ts:1", "package.json:9"],
    hasOnlyServerComponents: true,
    answer(app) {
      answerAppRouter(app)
      app.edit("middleware.ts", [
        'export { default } from "@latchkey/next/v4/middleware"',
        'import { accept } from "@/accept"\nimport { withAuth } from "@latchkey/next/v4/middleware"\n\nexport default withAuth({ accept })',
      ])
    },
  },
  {
    ...appRouter,
    form: "withAuth(function) in proxy.ts",
    prepare(app) {
      app.remove("middleware.ts")
      app.write("proxy.ts", functionForm)
    },
    options: [],
    headers: { "x-user": "ada@example.com" },
    questions: ["proxy.ts:1", "package.json:9"],
    hasOnlyServerComponents: true,
    answer(app) {
      answerAppRouter(app)
      app.edit(
        "proxy.ts",
        ["import {", 'import { accept } from "@/accept"\nimport {'],
        ["{ callbacks:", "{ accept, callbacks:"],
      )
    },
  },
  {
    ...appRouter,
    options: [],
    questions: ["middleware.ts:1", "package.json:9"],
    hasOnlyServerComponents: true,
    answer(app) {
      answerAppRouter(app)
      app.edit(
        "middleware.ts",
        ["import {", 'import { accept } from "@/accept"\nimport {'],
        ["withAuth({", "withAuth({ accept"],
      )
    },
  },
  {
    ...appRouter,
    options: ["--v5"],
    questions: ["middleware.ts:1", "package.json:9"],
    answer(app) {
      answerAppRouter(app)
      app.edit("lib/auth.ts", [
        "  providers: [",
        '  callbacks: { authorized: ({ auth, request }) => auth !== null || request.nextUrl.pathname !== "/private" },\n  providers: [',
      ])
      app.remove("middleware.ts")
      app.write(
        "proxy.ts",
        'export { auth as proxy } from "@/lib/auth"\n\nexport const config = { matcher: ["/", "/private"] }\n',
      )
    },
  },
  {
    name: "pages-router",
    options: [],
    ways: ["credentials", "provider"],
    protectedPages: ["/me"],
    pages: ["/me", "/server", "/"],
    questions: ["components/footer.tsx:6", "middleware.ts:1", "pages/api/auth/[...nextauth].ts:24", "package.json:9"],
    sessionsOfOne: 0,
    answer: answerPagesRouter,
  },
  {
    name: "t3",
    options: [],
    ways: ["provider"],
    protectedPages: [],
    pages: ["/", "/"],
    questions: ["src/server/auth.ts:1", "package.json:12"],
    hasOnlyServerComponents: true,
    sessionsOfOne: 1,
    answer: answerT3,
  },
  {
    name: "t3",
    options: ["--v5"],
    ways: ["provider"],
    protectedPages: [],
    pages: ["/", "/"],
    questions: ["src/server/auth.ts:1", "package.json:12"],
    sessionsOfOne: 1,
    answer(app, version) {
      answerT3(app)
      // The adapter needs Node, where proxy.ts always runs.
      const [name, runtime] = version === "15" ? ["middleware", 'runtime: "nodejs", '] : ["proxy", ""]
      app.write(
        `src/${name}.ts`,
        `export { auth as ${name} } from "~/server/auth"\n\nexport const config = { ${runtime}matcher: ["/"] }\n`,
      )
    },
  },
]
