import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { latchkey } from "../../packages/cli/test/command.js"

// Apps of the shapes that the documentation and starters of Auth.js have, moved by `latchkey move` and compiled against the
// declarations of our packages. The programs are our own.

const root = join(import.meta.dirname, "..", "..")
const fixtures = join(root, "packages", "cli", "test", "fixtures", "move")
/** Inside the repository, so that the apps resolve our packages by name. */
const home = join(root, "node_modules", ".cache", "latchkey-moved")
const tsc = join(root, "node_modules", "typescript-native", "bin", "tsc")
const run = (command: string, args: readonly string[], cwd: string) => {
  const { stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" })
  return stdout + stderr
}

/** What the packages declare that are not installed here. */
const stubs = `
declare module "next/server" { export * from "next/server.js" }
declare module "next/app" { export interface AppProps { Component: any; pageProps: any } }
declare module "@auth/prisma-adapter" { export function PrismaAdapter(client: object): object }
declare module "@auth/unstorage-adapter" { export function UnstorageAdapter(storage: object): import("@latchkey/core/adapters").Adapter }
`

const more = `
declare module "next" {
  interface NextApiRequest { query: Partial<Record<string, string | string[]>>; cookies: Partial<Record<string, string>> }
  type InferGetServerSidePropsType<T> = T extends (...args: any) => Promise<{ props: infer Props }> ? Props : never
}
declare module "next/server.js" { namespace NextResponse { function redirect(url: URL): NextResponse } }
export {}
`

function createApp(name: string): string {
  const folder = join(home, name)
  rmSync(folder, { recursive: true, force: true })
  const text = readFileSync(join(fixtures, `${name}.txt`), "utf8")
  for (const part of text.split(/^=== /m).slice(1)) {
    const [path = "", ...lines] = part.split("\n")
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), lines.join("\n"))
  }
  const own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all", "--force"],
    [...own, "commit", "--quiet", "-m", "The app"],
  ]) {
    expect(run("git", args, folder)).toBe("")
  }
  return folder
}

/** The errors of the compiler. */
function compile(folder: string): string {
  copyFileSync(join(root, "packages", "next", "types", "next.d.ts"), join(folder, "next.d.ts"))
  writeFileSync(join(folder, "stubs.d.ts"), stubs)
  writeFileSync(join(folder, "more.d.ts"), more)
  return run(
    process.execPath,
    [tsc, "-p", folder, "--pretty", "false", "--jsx", "react-jsx", "--target", "es2022", "--types", "node"],
    folder,
  )
}

afterAll(() => rmSync(home, { recursive: true, force: true }))

interface Case {
  /** The fixture. */
  readonly name: string
  /** Where questions are left. */
  readonly questions: readonly string[]
  readonly options?: readonly string[]
}

const starter = { name: "app-router", questions: ["src/middleware.ts:1", "src/server/auth.ts:1", "package.json:7"] }
const cases: readonly Case[] = [
  {
    name: "pages-router",
    questions: [
      "lib/next-auth.ts:7",
      "lib/next-auth.ts:20",
      "lib/next-auth.ts:100",
      "middleware.ts:1",
      "package.json:9",
    ],
  },
  starter,
  { ...starter, options: ["--v5"] },
  { name: "version-5", questions: ["auth.ts:15", "components/client-example.tsx:5"] },
]

describe("an app that latchkey move has moved", () => {
  const built = ["core", "next", "react"].map((name) => join(root, "packages", name))

  it.each(cases)("compiles without a change by hand: $name $options", async ({ name, questions, options = [] }) => {
    expect(run(process.execPath, [tsc, "-b", ...built], root)).toBe("")
    const folder = createApp(name)
    const { code, output, errors } = await latchkey(["move", "--yes", "--no-install", ...options], folder)
    expect([code, errors]).toEqual([0, ""])
    expect([...output.matchAll(/^ +\d+\. (\S+:\d+) /gm)].map(([, place]) => place)).toEqual(questions)
    expect(compile(folder)).toBe("")
  })
})
