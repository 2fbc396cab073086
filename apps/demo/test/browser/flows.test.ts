import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { BrowserContext, Page } from "playwright-core"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { demoUser } from "../../src/app/auth-config.js"
import { hasChromium } from "../chromium.js"
import { browserTestOptions, openStage, type Stage } from "../stage.js"
import { codesOf, readCurrentSession, takePicture } from "../steps.js"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"

// The form of the guide, on a page of the demo's own origin.

const root = join(import.meta.dirname, "..", "..", "..", "..")

/** The modules of the page, as if they stood in the root of the repository. */
function readModules(): ReadonlyMap<string, string> {
  const guide = readFileSync(join(root, "docs", "guides", "own-forms.md"), "utf8")
  const form = /^```tsx\n(.*?)^```$/ms.exec(guide)?.[1] ?? ""
  const entry = `
    import { SessionProvider } from "@latchkey/react"
    import { createRoot } from "react-dom/client"
    import { SignInForm } from "./sign-in-form.tsx"
    const page = <SessionProvider basePath="/auth"><SignInForm /></SessionProvider>
    createRoot(document.querySelector("main")).render(page)`
  return new Map([
    [join(root, "entry.tsx"), entry],
    [join(root, "sign-in-form.tsx"), form],
  ])
}

async function bundle(): Promise<string> {
  const modules = readModules()
  const build = await rolldown({
    input: join(root, "entry.tsx"),
    platform: "browser",
    checks: { moduleLevelDirective: false },
    resolve: { conditionNames: ["@latchkey/source", "import", "browser", "default"] },
    transform: {
      define: { "process.env.NODE_ENV": '"production"' },
      jsx: { runtime: "automatic", importSource: "react" },
    },
    plugins: [
      {
        name: "modules",
        resolveId: (id, importer) => {
          const path = importer && id.startsWith("./") ? join(root, id) : id
          return modules.has(path) ? path : null
        },
        load: (id) => modules.get(id) ?? null,
      },
    ],
  })
  const { output } = await build.generate({ format: "es", codeSplitting: false })
  return output[0].code
}

const html = `<!doctype html><html lang="en"><title>Sign in</title><meta name="viewport" content="width=device-width">
  <main><h1>Sign in</h1></main><script type="module" src="/form.js"></script></html>`

describe.skipIf(!hasChromium)("the form of the guide", { timeout: 3 * browserTestOptions.timeout }, () => {
  let stage: Stage
  let script: string
  let context: BrowserContext
  let page: Page
  const origin = (): string => stage.demo().origin

  beforeAll(async () => {
    stage = await openStage()
    script = await bundle()
  }, browserTestOptions.timeout)
  afterAll(() => stage.close())
  beforeEach(async () => {
    context = await stage.newContext({ viewport: { width: 390, height: 780 } })
    await context.route("**/form", (route) => route.fulfill({ contentType: "text/html", body: html }))
    await context.route("**/form.js", (route) => route.fulfill({ contentType: "text/javascript", body: script }))
    page = await context.newPage()
  })

  async function type(label: string, text: string): Promise<void> {
    await page.getByLabel(label).fill(text)
    await page.getByRole("button", { name: "Continue" }).click()
  }

  /** Posts a form of the service, with the cookies of the page. */
  async function post(path: string, fields: Record<string, string>): Promise<Record<string, unknown>> {
    const headers = { accept: "application/json", "x-auth-return-redirect": "1" }
    const { csrfToken } = await (await page.request.get(`${origin()}/auth/csrf`)).json()
    return (await page.request.post(`${origin()}/auth/${path}`, { headers, form: { ...fields, csrfToken } })).json()
  }

  async function enroll(): Promise<() => Promise<string>> {
    await post("callback/password", { email: demoUser.email, password: demoUser.password })
    const { ticket, secret } = await post("account/factors", { action: "begin-totp" })
    const nextCode = codesOf(String(secret))
    await post("account/factors", { action: "confirm-totp", ticket: String(ticket), code: await nextCode() })
    await post("signout", {})
    return nextCode
  }

  it("signs in with a password and a second factor, with a reload before each", async () => {
    const nextCode = await enroll()
    await page.goto(`${origin()}/form`)
    await type("Email", demoUser.email)
    await page.getByLabel("Password").waitFor()
    await page.reload()
    await type("Password", "wrong")
    await page.getByText("That sign-in did not work.").waitFor()
    await takePicture(page, "own-form")
    expect([await findAccessibilityFaults(page), await readOverflow(page)]).toEqual([[], 0])
    await type("Password", demoUser.password)
    await page.getByLabel("Code from your app").waitFor()
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain(demoUser.password)
    await page.reload()
    await type("Code from your app", await nextCode())
    await page.waitForURL(`${origin()}/inbox`)
    expect(await readCurrentSession(page, origin())).toContain(demoUser.name)
    await context.close()
  })
})
