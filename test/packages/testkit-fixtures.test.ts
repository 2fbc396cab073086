import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findFreePort } from "../../packages/testkit/src/servers/index.js"
import { chromiumPath } from "../../scripts/chromium.js"
import { createHome, pack, root, tsc } from "./packed-packages.js"

// Installs the packed testkit in a project of its own, and runs the code of its chapter in the documentation there.

const run = promisify(execFile)
const home = createHome()
const project = join(home, "stranger")

/** The code blocks of a page of the chapter. */
function readBlocks(page: string): readonly string[] {
  const text = readFileSync(join(root, "docs", "testing", page), "utf8")
  return [...text.matchAll(/^```ts[^\n]*\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code)
}

/** The block that contains a text. */
function readBlock(page: string, contained: string): string {
  const found = readBlocks(page).find((code) => code.includes(contained))
  if (found === undefined) throw new Error(`docs/testing/${page} has no code with ${contained}`)
  return found
}

const write = (name: string, text: string): void => writeFileSync(join(project, name), text)

/** The app of the chapter: a page with the user's name, and the provider of its fragment. */
const app = (port: number): string => `
import { createServer } from "node:http"
import { auth, toNodeHandler } from "@latchkey/node"

${readBlock("playwright.md", 'clientId: "rp"')}
const config = { providers: [provider as never], trustHost: true, basePath: "/auth" }
const handler = toNodeHandler(config)
createServer(async (request, response) => {
  if (request.url?.startsWith("/auth")) return handler(request, response)
  const session = await auth(request, response, config).getSession()
  response.setHeader("content-type", "text/html").end(\`<!doctype html><h1>\${session?.user?.name ?? "stranger"}</h1>\`)
}).listen(${port}, "127.0.0.1")
`

function readDevDependencies(folder: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).devDependencies
}

beforeAll(async () => {
  const tarballs = pack(["types", "core", "node", "testkit"], home)
  mkdirSync(project)
  const own = Object.fromEntries([...tarballs].map(([name, path]) => [`@latchkey/${name}`, `file:${path}`]))
  const { vitest, "@types/node": nodeTypes } = readDevDependencies(".")
  // An app with second factors has it.
  const { otpauth } = readDevDependencies("packages/core")
  const manifest = {
    name: "stranger",
    private: true,
    type: "module",
    dependencies: own,
    devDependencies: { "@playwright/test": "^1.50", "@types/node": nodeTypes, otpauth, vitest },
    overrides: own,
  }
  write("package.json", JSON.stringify(manifest))
  await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: project })
}, 240_000)

afterAll(() => rmSync(home, { recursive: true, force: true }), 60_000)

describe("the testkit in a project that installs it from the registry", () => {
  it("runs the tests of the documentation in Vitest", async () => {
    // A running app is the subject of another block.
    const blocks = ["index.md", "vitest.md", "providers.md"]
      .flatMap(readBlocks)
      .filter((code) => /^(?:it|test)\b/m.test(code))
    const withoutServer = blocks.filter((code) => !code.includes("127.0.0.1:3000"))
    for (const [index, code] of withoutServer.entries()) write(`page-${index}.test.ts`, code)
    const report = join(project, "report.json")
    const args = ["node_modules/vitest/vitest.mjs", "run", "--reporter=json", `--outputFile=${report}`]
    await run(process.execPath, args, { cwd: project }).catch((error) => error)
    const { numFailedTests, numPassedTests, testResults } = JSON.parse(readFileSync(report, "utf8"))
    const failures = testResults.flatMap(
      ({ message, assertionResults = [] }: { message: string; assertionResults: [] }) =>
        [message, ...assertionResults.flatMap(({ failureMessages }) => failureMessages)].filter((text) => text !== ""),
    )
    expect(failures).toEqual([])
    expect(numFailedTests).toBe(0)
    expect(numPassedTests).toBeGreaterThan(20)
  }, 120_000)

  it.skipIf(chromiumPath === undefined && process.env["CI"] !== "true")(
    "runs the tests of the documentation in Playwright",
    async () => {
      const [port, idpPort] = [await findFreePort(), await findFreePort()]
      const withPorts = (text: string): string =>
        text.replaceAll("3000", String(port)).replaceAll("4599", String(idpPort))
      write("app.mts", withPorts(app(port)))
      write("test.ts", readBlock("playwright.md", "// test.ts"))
      write("account.spec.ts", readBlock("playwright.md", "// account.spec.ts"))
      const signIn = readBlock("playwright.md", 'test("signs in"')
      write("sign-in.spec.ts", `import { expect, test } from "./test"\n${signIn}`)
      write("documented.config.ts", withPorts(readBlock("playwright.md", "// playwright.config.ts")))
      const launch = { executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] }
      write(
        "playwright.config.ts",
        `import config from "./documented.config"
         process.env["TEST_CLIENT_SECRET"] = "playwright-client-secret"
         const use = { ...config.use, idpPort: ${idpPort}, launchOptions: ${JSON.stringify(launch)} }
         export default { ...config, testMatch: "*.spec.ts", workers: 1, reporter: "line", use }`,
      )
      const options = [
        "--strict",
        "--noEmit",
        "--module",
        "preserve",
        "--types",
        "node",
        "--target",
        "es2023",
        "--skipLibCheck",
      ]
      await run(
        process.execPath,
        [tsc, "--ignoreConfig", ...options, "test.ts", "account.spec.ts", "sign-in.spec.ts"],
        { cwd: project },
      )
      const { stdout } = await run(process.execPath, ["node_modules/@playwright/test/cli.js", "test"], { cwd: project })
      expect(stdout).toContain("3 passed")
    },
    180_000,
  )
})
