import { gzipSync } from "node:zlib"
import { build } from "esbuild"

/** The bundle of an app in one file, with ours and with the older library, in bytes after gzip. */
export interface Size {
  readonly name: string
  readonly ours: number
  readonly theirs: number
  /** Ours must not become larger. */
  readonly limit: number
}

interface App {
  readonly name: string
  readonly limit: number
  readonly conditions: readonly string[]
  readonly ours: string
  readonly theirs: string
}

const worker = (library: string, providers: readonly string[]) => `
  import { Auth } from "${library}"
  ${providers.map((name) => `import ${name} from "${library}/providers/${name}"`).join("\n  ")}
  export default {
    fetch: (request, env) => Auth(request, { providers: [${providers}], secret: env.AUTH_SECRET, trustHost: true }),
  }`

const middleware = (library: string, providers: string) => `
  import NextAuth from "${library}"
  import github from "${providers}/providers/github"
  export const { auth: middleware } = NextAuth({ providers: [github] })`

const sessionReader = `
  import NextAuth from "@latchkey/next/middleware"
  import github from "@latchkey/core/providers/github"
  export const { auth: middleware } = NextAuth({ providers: [github] })`

const tokenReader = (library: string) => `
  import { getToken } from "${library}/jwt"
  export const middleware = (request) => getToken({ req: request, secret: process.env.AUTH_SECRET, secureCookie: true })`

const workers = ["workerd", "worker", "browser"]

const edge = ["edge-light", "worker", "browser"]

const apps: readonly App[] = [
  {
    name: "Worker with GitHub",
    limit: 108_800,
    conditions: workers,
    ours: worker("@latchkey/core", ["github"]),
    theirs: worker("@auth/core", ["github"]),
  },
  {
    name: "Worker with GitHub and passkeys",
    limit: 227_100,
    conditions: workers,
    ours: worker("@latchkey/core", ["github", "passkey"]),
    theirs: worker("@auth/core", ["github", "passkey"]),
  },
  {
    name: "Next middleware with GitHub",
    limit: 120_500,
    conditions: edge,
    ours: middleware("@latchkey/next", "@latchkey/core"),
    theirs: middleware("next-auth", "next-auth"),
  },
  {
    name: "Next middleware with GitHub that only guards",
    limit: 40_100,
    conditions: edge,
    ours: sessionReader,
    theirs: middleware("next-auth", "next-auth"),
  },
  {
    name: "Next middleware that reads the token",
    limit: 6_660,
    conditions: edge,
    ours: tokenReader("@latchkey/core"),
    theirs: tokenReader("next-auth"),
  },
]

/** Bundles the apps as the tools of the platforms do: one file, minified, without Next and React themselves. */
export async function measureSizes(): Promise<readonly Size[]> {
  const measured = apps.map(async ({ name, limit, conditions, ours, theirs }) => {
    const [own, other] = await Promise.all([sizeOf(ours, conditions), sizeOf(theirs, conditions)])
    return { name, limit, ours: own, theirs: other }
  })
  return await Promise.all(measured)
}

async function sizeOf(contents: string, conditions: readonly string[]): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    conditions: [...conditions],
    external: ["node:*", "nodemailer", "next/*", "react"],
    write: false,
    logLevel: "error",
  })
  return outputFiles.reduce((size, { contents: bytes }) => size + gzipSync(bytes, { level: 9 }).length, 0)
}
