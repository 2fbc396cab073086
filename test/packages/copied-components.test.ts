import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AuthConfig } from "@latchkey/core"
import { accountArea } from "@latchkey/core/account-area"
import { languages } from "@latchkey/core/languages"
import { ar } from "@latchkey/core/languages/ar"
import { de } from "@latchkey/core/languages/de"
import { setPassword } from "@latchkey/core/passwords"
import Passwords from "@latchkey/core/providers/passwords"
import { importFactor, recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { toNodeHandler } from "@latchkey/node"
import { memoryAdapter, testEmail } from "@latchkey/testkit"
import { build } from "esbuild"
import type { Browser, Page } from "playwright-core"
import { compile } from "tailwindcss"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { findAccessibilityFaults, readOverflow } from "../../apps/demo/test/browser/accessibility.js"
import { hasChromium, launchChromium } from "../../apps/demo/test/chromium.js"
import { codesOf, takePicture } from "../../apps/demo/test/steps.js"
import { run } from "../../packages/cli/src/run.js"
import { svelte } from "../../packages/svelte/test/build.js"
import { vue } from "../../packages/vue/test/build.js"
import { root } from "./packed-packages.js"

// The components that `latchkey add` copies: copied by the command, compiled as apps do, and used in a browser.

const address = "ada@example.com"
const password = "grey lantern over water"
const key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

const names = ["sign-in", "sign-up", "reset-password", "account", "user-button"]
const languageOf = `const language = navigator.language.slice(0, 2)
    document.documentElement.dir = language === "ar" ? "rtl" : "ltr"`

const entries = {
  react: [
    "main.tsx",
    `import { SessionProvider } from "@latchkey/react"
    import { createRoot } from "react-dom/client"
    import { Account } from "./auth/account"
    import { ResetPassword } from "./auth/reset-password"
    import { SignIn } from "./auth/sign-in"
    import { SignUp } from "./auth/sign-up"
    import { UserButton } from "./auth/user-button"
    ${languageOf}
    const pages = {
      "/home": <><UserButton language={language} /><Account language={language} /></>,
      "/sign-in": <SignIn redirectTo="/home" language={language} signUpUrl="/sign-up" forgotUrl="/reset" />,
      "/sign-up": <SignUp redirectTo="/home" language={language} signInUrl="/sign-in" termsUrl="/terms" />,
      "/reset": <ResetPassword redirectTo="/home" language={language} signInUrl="/sign-in" />,
    }
    createRoot(document.querySelector("main")!).render(
      <SessionProvider basePath="/auth">{pages[location.pathname as keyof typeof pages]}</SessionProvider>)`,
  ],
  vue: [
    "main.ts",
    `import { createAuth } from "@latchkey/vue"
    import { createApp, h } from "vue"
    import Account from "./auth/Account.vue"
    import ResetPassword from "./auth/ResetPassword.vue"
    import SignIn from "./auth/SignIn.vue"
    import SignUp from "./auth/SignUp.vue"
    import UserButton from "./auth/UserButton.vue"
    ${languageOf}
    const pages = {
      "/home": () => [h(UserButton, { language }), h(Account, { language })],
      "/sign-in": () => h(SignIn, { redirectTo: "/home", language, signUpUrl: "/sign-up", forgotUrl: "/reset" }),
      "/sign-up": () => h(SignUp, { redirectTo: "/home", language, signInUrl: "/sign-in", termsUrl: "/terms" }),
      "/reset": () => h(ResetPassword, { redirectTo: "/home", language, signInUrl: "/sign-in" }),
    }
    const app = createApp({ render: pages[location.pathname as keyof typeof pages] })
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
import ResetPassword from "./auth/ResetPassword.svelte"
import SignIn from "./auth/SignIn.svelte"
import SignUp from "./auth/SignUp.svelte"
import UserButton from "./auth/UserButton.svelte"
${languageOf}
provideSession({ basePath: "/auth" })
</script>
{#if location.pathname === "/home"}<UserButton {language} /><Account {language} />
{:else if location.pathname === "/sign-in"}<SignIn redirectTo="/home" {language} signUpUrl="/sign-up" forgotUrl="/reset" />
{:else if location.pathname === "/sign-up"}<SignUp redirectTo="/home" {language} signInUrl="/sign-in" termsUrl="/terms" />
{:else}<ResetPassword redirectTo="/home" {language} signInUrl="/sign-in" />{/if}`

type Framework = keyof typeof entries

type Style = "css" | "tailwind"

/** An app with the copied components. @returns the script and the stylesheet of its pages */
async function buildApp(
  framework: Framework,
  style: Style,
): Promise<{ readonly script: string; readonly style: string }> {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-copied-"))
  try {
    const [file, text] = entries[framework]
    writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: { [framework]: "*" } }))
    writeFileSync(join(folder, file), text)
    writeFileSync(join(folder, "App.svelte"), svelteApp)
    const errors: string[] = []
    const context = { folder, environment: {}, print: () => {}, printError: (line: string) => void errors.push(line) }
    const code = await run(
      ["add", ...names, "--language", "de", "--language", "ar", "--to", "auth", `--${style}`],
      context,
    )
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
    const script = find(".js")
    return { script, style: style === "css" ? find(".css") : await buildTailwind(script) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The stylesheet that Tailwind CSS makes for a script. As its own tools do, it takes each word for a class that may exist. */
async function buildTailwind(script: string): Promise<string> {
  const { build } = await compile('@import "tailwindcss"', { loadStylesheet: async () => tailwind })
  return build(script.match(/[^\s"'`<>]+/g) ?? [])
}

const tailwindFile = join(root, "node_modules", "tailwindcss", "index.css")
const tailwind = { path: tailwindFile, base: root, content: readFileSync(tailwindFile, "utf8") }

interface Mail {
  readonly to: string
  readonly text: string
}

async function createConfig(mails: Mail[]): Promise<AuthConfig> {
  const adapter = memoryAdapter()
  const config: AuthConfig = {
    adapter,
    secret: "a secret of the tests, which is long enough",
    trustHost: true,
    languages: languages([de, ar]),
    theme: { links: { terms: "/terms" } },
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()], remember: { days: 30 } }),
    accountArea: accountArea(),
    securityNotices: false,
    providers: [
      Passwords({ mail: { send: (mail) => void mails.push(mail) }, breached: false, terms: "termsAcceptedAt" }),
      testEmail({ code: true }),
    ],
  }
  const user = await adapter.createUser({ id: "ada", name: "Ada", email: address, emailVerified: new Date() })
  await setPassword(config, user.id, password)
  await importFactor(config, user.id, { kind: "totp", secret: key })
  return config
}

const html = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>App</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><main></main><script src="/script.js"></script></html>`

const apps = [
  ["react", "css"],
  ["vue", "css"],
  ["svelte", "css"],
  ["react", "tailwind"],
] as const

it("classes of Tailwind CSS in the copied components all exist", async () => {
  const file = join(root, "packages", "cli", "components", "tailwind.json")
  const classes = Object.values<string>(JSON.parse(readFileSync(file, "utf8"))).flatMap((text) => text.split(" "))
  const style = await buildTailwind(classes.join(" "))
  const isUnknown = (name: string): boolean => !style.includes(`.${name.replace(/[^\w-]/g, "\\$&")}`)
  expect([...classes, "not-a-class"].filter(isUnknown)).toEqual(["not-a-class"])
})

describe.skipIf(!hasChromium).each(apps)("the copied components of %s (%s)", (framework, styling) => {
  let browser: Browser
  let server: Server
  let origin = ""
  const problems: string[] = []
  const mails: Mail[] = []
  const nextCode = codesOf(key)

  beforeAll(async () => {
    const { script, style } = await buildApp(framework, styling)
    const answer = toNodeHandler(await createConfig(mails))
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

  async function open(path = "/sign-in", options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })
    context.setDefaultTimeout(20_000)
    const page = await context.newPage()
    page.on("pageerror", (error) => problems.push(error.message))
    await page.goto(`${origin}${path}`)
    return page
  }

  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()

  /** Nothing wrong for axe, nothing wider than the page, and for us to look at. */
  async function look(page: Page, name: string): Promise<void> {
    await takePicture(page, `${framework}-${styling}-${name}`)
    expect([name, await findAccessibilityFaults(page), await readOverflow(page)]).toEqual([name, [], 0])
  }

  /** The code of the newest email. */
  const readCode = (to: string): string =>
    /^\d{6}$/m.exec(mails.findLast((mail) => mail.to === to)?.text ?? "")?.[0] ?? "no code"

  it("sign in with a password and a second factor, also over a reload at each step", async () => {
    const page = await open()
    await page.getByLabel("Email").fill(address)
    await look(page, "sign-in")
    await press(page, "Continue")
    await page.getByLabel("Password").waitFor()
    await page.reload()
    await page.getByLabel("Password").fill("not that one at all")
    await press(page, "Sign in")
    await page.getByRole("alert").waitFor()
    await look(page, "wrong-password")
    await page.getByLabel("Password").fill(password)
    await page.keyboard.press("Enter")
    await page.getByLabel("Code of your authenticator app").waitFor()
    await page.reload()
    const field = page.getByLabel("Code of your authenticator app")
    await field.fill("000000")
    await press(page, "Continue")
    await page.getByRole("alert").waitFor()
    await look(page, "wrong-code")
    await field.fill(await nextCode())
    await press(page, "Continue")
    await page.waitForURL(`${origin}/home`)
    await page.getByLabel("Name").waitFor()
    await look(page, "home")
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
      password,
    )

    await page.getByLabel("Name").fill("Countess Ada")
    await press(page, "Save")
    await page.getByText("this browser").waitFor()
    await page.getByLabel("Countess Ada").click()
    await look(page, "menu")
    await press(page, "Sign out")
    await page.getByRole("button", { name: "Sign in" }).waitFor()
  })

  it("say in the visitor's language what went wrong, in the dark", async () => {
    const page = await open("/sign-in", { locale: "de", colorScheme: "dark" })
    await page.getByLabel("E-Mail-Adresse").fill(address)
    await press(page, "Weiter")
    await page.getByLabel("Passwort").fill("not that one at all")
    await page.keyboard.press("Enter")
    expect(await page.getByRole("alert").textContent()).toMatch(/Die Anmeldung hat nicht funktioniert/)
    await look(page, "german-dark")
    await page.goto(`${origin}/sign-up`)
    await page.getByLabel("Passwort").waitFor()
    await look(page, "sign-up-german-dark")
    await page.goto(`${origin}/reset`)
    await page.getByLabel("E-Mail-Adresse").waitFor()
    await look(page, "reset-german-dark")
  })

  it("show addresses and codes from left to right in Arabic, beside what is from right to left", async () => {
    const page = await open("/sign-in", { locale: "ar" })
    const field = page.getByRole("textbox")
    await field.fill("ada@")
    expect(await field.evaluate((input) => getComputedStyle(input).unicodeBidi)).toBe("plaintext")
    await field.fill(address)
    await look(page, "arabic")
    await page.keyboard.press("Enter")
    await page.locator("[name=password]").fill(password)
    await look(page, "arabic-password")
  })

  // The style does not change what the files do.
  if (styling === "tailwind") return

  it("create an account with the code of an email, also over a reload", async () => {
    const page = await open("/sign-up")
    const email = "grace@example.com"
    await page.getByLabel("Email").fill(email)
    await page.getByLabel("Name (optional)").fill("Grace Hopper")
    await page.getByLabel("Password").fill("short")
    await page.getByLabel("I agree").check()
    await press(page, "Create account")
    expect(await page.getByRole("alert").textContent()).toContain("at least 15 characters")
    await look(page, "sign-up-refused")
    await page.getByLabel("Password").fill("seven boats on a green lake")
    await press(page, "Create account")
    await page.getByLabel("Code").waitFor()
    await page.reload()
    await page.getByText(`We sent an email to ${email}.`).waitFor()
    await page.getByLabel("Code").fill(readCode(email).replace(/./g, "0"))
    await press(page, "Create account")
    await page.getByRole("alert").waitFor()
    await look(page, "sign-up-code")
    await page.getByLabel("Code").fill(readCode(email))
    await press(page, "Create account")
    await page.waitForURL(`${origin}/home`)
    await page.getByText(email).first().waitFor()
    expect(await page.getByLabel("Name").inputValue()).toBe("Grace Hopper")
  })

  it("say the same of an address with an account as of one without, when they sign up and when they reset", async () => {
    const seen = { "/sign-up": new Set<string>(), "/reset": new Set<string>() }
    for (const path of ["/sign-up", "/reset"] as const) {
      for (const email of [address, "nobody@example.com"]) {
        const page = await open(path)
        await page.getByLabel("Email").fill(email)
        if (path === "/sign-up") await page.getByLabel("Password").fill("seven boats on a green lake")
        if (path === "/sign-up") await page.getByLabel("I agree").check()
        await page.keyboard.press("Enter")
        await page.getByLabel("Code").waitFor()
        seen[path].add((await page.locator("main").innerHTML()).replaceAll(email, "…"))
        await page.context().close()
      }
    }
    expect([seen["/sign-up"].size, seen["/reset"].size]).toEqual([1, 1])
  })

  it("set a new password with the code of an email, and then ask for the second factor", async () => {
    const page = await open("/sign-in")
    await page.getByLabel("Email").fill(address)
    await page.keyboard.press("Enter")
    await page.getByRole("link", { name: "Forgot your password?" }).click()
    await page.getByLabel("Email").fill(address)
    await look(page, "reset")
    await press(page, "Send email")
    await page.getByLabel("New password").waitFor()
    await page.reload()
    await page.getByLabel("Code").fill(readCode(address))
    await page.getByLabel("New password").fill("short")
    await press(page, "Save password")
    await page.getByRole("alert").waitFor()
    await look(page, "reset-refused")
    await page.getByLabel("New password").fill("nine red kites above the hill")
    await press(page, "Save password")
    await page.getByLabel("Code of your authenticator app").waitFor()
    await page.reload()
    await page.getByLabel("Code of your authenticator app").fill(await nextCode())
    await press(page, "Continue")
    await page.waitForURL(`${origin}/home`)
  })

  it("say when a code was tried too often, and send another one", async () => {
    const page = await open("/reset")
    await page.getByLabel("Email").fill("nobody@example.com")
    await press(page, "Send email")
    await page.getByLabel("New password").fill("nine red kites above the hill")
    const alerts: string[] = []
    for (let n = 0; n < 6; n++) {
      await page.getByLabel("Code").fill("000000")
      await press(page, "Save password")
      await page.getByRole("button", { name: "Save password" }).and(page.locator("[aria-busy=false]")).waitFor()
      alerts.push((await page.getByRole("alert").textContent()) ?? "")
    }
    expect(alerts.at(0)).toContain("That code is not right")
    expect(alerts.at(-1)).toContain("no longer works")
    await look(page, "reset-expired")
  })
})
