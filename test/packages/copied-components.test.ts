import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AuthConfig } from "@latchkey/core"
import { accountArea } from "@latchkey/core/account-area"
import { languages } from "@latchkey/core/languages"
import { de } from "@latchkey/core/languages/de"
import { setPassword } from "@latchkey/core/passwords"
import Passwords from "@latchkey/core/providers/passwords"
import { importFactor, recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { toNodeHandler } from "@latchkey/node"
import { authenticatorApp, memoryAdapter, testEmail } from "@latchkey/testkit"
import { build } from "esbuild"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { findAccessibilityFaults, readOverflow } from "../../apps/demo/test/browser/accessibility.js"
import { hasChromium, launchChromium } from "../../apps/demo/test/chromium.js"
import { run } from "../../packages/cli/src/run.js"
import { svelte } from "../../packages/svelte/test/build.js"
import { vue } from "../../packages/vue/test/build.js"
import { root } from "./packed-packages.js"

// The components that `latchkey add` copies: copied by the command, compiled as apps do, and used in a browser.

const address = "ada@example.com"
const password = "grey lantern over water"
const key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

const entries = {
  react: [
    "main.tsx",
    `import { SessionProvider } from "@latchkey/react"
    import { createRoot } from "react-dom/client"
    import { Account } from "./auth/account"
    import { SignIn } from "./auth/sign-in"
    import { UserButton } from "./auth/user-button"
    const isHome = location.pathname === "/home"
    createRoot(document.querySelector("main")!).render(
      <SessionProvider basePath="/auth">
        {isHome ? <><UserButton /><Account /></> : <SignIn redirectTo="/home" />}
      </SessionProvider>)`,
  ],
  vue: [
    "main.ts",
    `import { createAuth } from "@latchkey/vue"
    import { createApp, h } from "vue"
    import Account from "./auth/Account.vue"
    import SignIn from "./auth/SignIn.vue"
    import UserButton from "./auth/UserButton.vue"
    const isHome = location.pathname === "/home"
    const app = createApp({ render: () => (isHome ? [h(UserButton), h(Account)] : h(SignIn, { redirectTo: "/home" })) })
    app.use(createAuth({ basePath: "/auth" })).mount("main")`,
  ],
  svelte: [
    "main.ts",
    `import { mount } from "svelte"
    import App from "./App.svelte"
    mount(App, { target: document.querySelector("main")! })`,
  ],
} as const

const svelteApp = `<script lang="ts">
import { provideSession } from "@latchkey/svelte"
import Account from "./auth/Account.svelte"
import SignIn from "./auth/SignIn.svelte"
import UserButton from "./auth/UserButton.svelte"
provideSession({ basePath: "/auth" })
</script>
{#if location.pathname === "/home"}<UserButton /><Account />{:else}<SignIn redirectTo="/home" />{/if}`

type Framework = keyof typeof entries

/** An app with the copied components. @returns the script and the stylesheet of its pages */
async function buildApp(framework: Framework): Promise<{ readonly script: string; readonly style: string }> {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-copied-"))
  try {
    const [file, text] = entries[framework]
    writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: { [framework]: "*" } }))
    writeFileSync(join(folder, file), text)
    writeFileSync(join(folder, "App.svelte"), svelteApp)
    const errors: string[] = []
    const context = { folder, environment: {}, print: () => {}, printError: (line: string) => void errors.push(line) }
    const code = await run(["add", "sign-in", "account", "user-button", "--to", "auth"], context)
    expect([code, errors]).toEqual([0, []])
    const { outputFiles, warnings } = await build({
      entryPoints: [join(folder, file)],
      bundle: true,
      write: false,
      outdir: folder,
      nodePaths: [join(root, "node_modules")],
      conditions: ["@latchkey/source", "browser", "svelte"],
      define: { "process.env.NODE_ENV": '"production"', __VUE_OPTIONS_API__: "false", __VUE_PROD_DEVTOOLS__: "false" },
      jsx: "automatic",
      plugins: [vue, svelte("client")],
      logLevel: "silent",
    })
    expect(warnings).toEqual([])
    const find = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ""
    return { script: find(".js"), style: find(".css") }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function createConfig(): Promise<AuthConfig> {
  const adapter = memoryAdapter()
  const config: AuthConfig = {
    adapter,
    secret: "a secret of the tests, which is long enough",
    trustHost: true,
    languages: languages([de]),
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()], remember: { days: 30 } }),
    accountArea: accountArea(),
    securityNotices: false,
    providers: [Passwords({ mail: { send: () => {} }, breached: false }), testEmail({ code: true })],
  }
  const user = await adapter.createUser({ id: "ada", name: "Ada", email: address, emailVerified: new Date() })
  await setPassword(config, user.id, password)
  await importFactor(config, user.id, { kind: "totp", secret: key })
  return config
}

const html = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>App</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><main></main><script src="/script.js"></script></html>`

describe.skipIf(!hasChromium).each(["react", "vue", "svelte"] as const)("the copied components of %s", (framework) => {
  let browser: Browser
  let server: Server
  let origin = ""
  const problems: string[] = []

  beforeAll(async () => {
    const { script, style } = await buildApp(framework)
    const answer = toNodeHandler(await createConfig())
    const files: Readonly<Record<string, readonly [string, string]>> = {
      "/script.js": ["text/javascript; charset=utf-8", script],
      "/style.css": ["text/css", style],
    }
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://localhost")
      if (pathname.startsWith("/auth")) return void answer(request, response)
      const [type, text] = files[pathname] ?? ["text/html; charset=utf-8", html]
      response.writeHead(200, { "content-type": type }).end(text)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const place = server.address()
    origin = `http://localhost:${typeof place === "object" && place ? place.port : 0}`
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })
  afterEach(() => {
    expect(problems.splice(0)).toEqual([])
  })

  async function open(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })
    const page = await context.newPage()
    page.on("pageerror", (error) => problems.push(error.message))
    await page.goto(`${origin}/sign-in`)
    return page
  }

  it("sign in with a password and a second factor, also over a reload at each step", async () => {
    const page = await open()
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click()
    const look = async () => expect([await findAccessibilityFaults(page), await readOverflow(page)]).toEqual([[], 0])
    await page.getByLabel("Email").fill(address)
    await look()
    await press("Continue")
    await page.getByLabel("Password").waitFor()
    await page.reload()
    await page.getByLabel("Password").fill("not that one at all")
    await press("Sign in")
    await page.getByRole("alert").waitFor()
    await look()
    await page.getByLabel("Password").fill(password)
    await page.keyboard.press("Enter")
    await page.getByLabel("Code of your authenticator app").waitFor()
    await page.reload()
    const field = page.getByLabel("Code of your authenticator app")
    await field.fill("000000")
    await press("Continue")
    await page.getByRole("alert").waitFor()
    await look()
    await field.fill(await authenticatorApp(key).code())
    await press("Continue")
    await page.waitForURL(`${origin}/home`)
    await page.getByLabel("Name").waitFor()
    await look()
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
      password,
    )

    await page.getByLabel("Name").fill("Countess Ada")
    await press("Save")
    await page.getByText("this browser").waitFor()
    await page.getByLabel("Countess Ada").click()
    await look()
    await press("Sign out")
    await page.getByRole("button", { name: "Sign in" }).waitFor()
  })

  it("say in the visitor's language what went wrong, in the dark", async () => {
    const page = await open({ locale: "de", colorScheme: "dark" })
    await page.getByLabel("Email").fill(address)
    await page.keyboard.press("Enter")
    await page.getByLabel("Password").fill("not that one at all")
    await page.keyboard.press("Enter")
    expect(await page.getByRole("alert").textContent()).toMatch(/Die Anmeldung hat nicht funktioniert/)
    expect(await findAccessibilityFaults(page)).toEqual([])
  })
})
