import assert from "node:assert/strict"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { encode } from "@auth/core/jwt"
import { bunProgram, denoFlags, denoProgram } from "./programs.ts"
import { findFreePort, type Running, startProgram, startWorker } from "./runtimes.ts"

const docs = join(import.meta.dirname, "..", "..", "docs")
const secret = "a secret of the guides that is long enough"
const variables = (port: number) => ({
  AUTH_SECRET: secret,
  AUTH_GITHUB_ID: "id",
  AUTH_GITHUB_SECRET: "a secret of GitHub",
  AUTH_URL: `http://localhost:${port}`,
})

interface Guide {
  readonly page: string
  /** Where the snippet begins to be looked for. */
  readonly after: string
  start(file: string, port: number, home: string): Promise<Running>
}

const guides: readonly Guide[] = [
  {
    page: "start/bun.md",
    after: "## 2.",
    start: (file, port) => startProgram(bunProgram, [file], { port, env: variables(port) }),
  },
  {
    page: "start/deno.md",
    after: "## 2.",
    start: (file, port, home) =>
      startProgram(denoProgram, [...denoFlags, file], {
        port,
        env: { ...variables(port), DENO_DIR: join(home, "deno") },
      }),
  },
  {
    page: "cookbook/workers.md",
    after: "## Without a framework",
    start: (file, port, home) => startWorker(file, { port, home, bindings: variables(port) }),
  },
]

function readSnippet({ page, after }: Guide): string {
  const text = readFileSync(join(docs, page), "utf8")
  const [, code] = /^```(?:js|ts)\n(.*?)^```$/ms.exec(text.slice(text.indexOf(after))) ?? []
  return code ?? assert.fail(`docs/${page} has no snippet`)
}

async function testGuide(guide: Guide, home: string): Promise<void> {
  const port = await findFreePort()
  const file = `.guide-${port}.ts`
  const path = join(import.meta.dirname, file)
  writeFileSync(path, readSnippet(guide).replaceAll("3000", String(port)))
  try {
    const running = await guide.start(file, port, home)
    try {
      await visit(`http://localhost:${port}`)
    } finally {
      await running.close()
    }
  } finally {
    rmSync(path)
  }
}

async function visit(origin: string): Promise<void> {
  const providers = await (await fetch(`${origin}/auth/providers`)).json()
  assert.equal(providers.github.callbackUrl, `${origin}/auth/callback/github`)
  assert.equal(await (await fetch(origin)).text(), "Hello stranger")
  const salt = "authjs.session-token"
  const cookie = `${salt}=${await encode({ token: { name: "Ada", sub: "1815" }, secret, salt, maxAge: 3600 })}`
  const page = await fetch(origin, { headers: { cookie } })
  assert.equal(await page.text(), "Hello Ada")
  assert.match(page.headers.getSetCookie().join(), new RegExp(`^${salt}=`), "the session is not renewed")
}

/** Runs the apps of the guides as they stand there. */
export async function testGuides(home: string): Promise<boolean> {
  let isRight = true
  for (const guide of guides) {
    const error: unknown = await testGuide(guide, home).then(() => undefined, String)
    console.log(`${error ? "failed" : "ok    "}  the app in docs/${guide.page}${error ? `: ${error}` : ""}`)
    if (error) isRight = false
  }
  return isRight
}
