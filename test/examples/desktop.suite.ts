import { randomBytes } from "node:crypto"
import { mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { demoUser, desktopClient } from "../../apps/demo/src/app/auth-config.js"
import { openStage, type Stage } from "../../apps/demo/test/stage.js"
import { signInWithPassword } from "../../apps/demo/test/steps.js"
import { type DesktopApp, startDesktopApp } from "./desktop/desktop-app.js"
import { readExample } from "./example.js"
import { runScript } from "./running-app.js"

const example = readExample()
/** A sign-in takes several pages of a browser, on a machine that may be busy. */
const polling = { timeout: 60_000, interval: 50 }
const patience = { timeout: 240_000 }

describe(example.name, patience, () => {
  let stage: Stage
  let folder: string
  /** Where the app runs and the browser of the system. */
  let desktop: BrowserContext
  let browser: BrowserContext
  /** What the user does in the browser. */
  let act: (page: Page) => Promise<unknown>
  /** How often it has opened a page, and the user was done with it. */
  let visits: number
  let key: string
  let apps: DesktopApp[]

  beforeAll(async () => {
    stage = await openStage()
    for (const script of ["check", "build"]) await runScript(example, script, {})
  })
  afterAll(() => stage?.close())

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "latchkey-desktop-"))
    key = randomBytes(32).toString("hex")
    apps = []
    visits = 0
    desktop = await stage.newContext({ viewport: { width: 480, height: 480 } })
    browser = await stage.newContext()
  })
  afterEach(async () => {
    for (const app of apps) await app.quit()
    await desktop.close()
    await browser.close()
    await rm(folder, { recursive: true })
  })

  const tokenFile = () => join(folder, "session")

  async function startApp(): Promise<Page> {
    const app = await startDesktopApp({
      folder: example.folder,
      issuer: `${stage.demo().origin}/auth`,
      tokenFile: tokenFile(),
      key,
      desktop,
      async openBrowser(url) {
        const page = await browser.newPage()
        await page.goto(url)
        await act(page)
        visits += 1
      },
    })
    apps.push(app)
    return app.window
  }

  const press = (window: Page, name: string) => window.getByRole("button", { name }).click()
  const readLines = async (window: Page) => {
    const texts = await window.locator("main").locator("h1, p, li, button").filter({ visible: true }).allTextContents()
    return texts.filter((text) => text !== "")
  }
  const expectSignedOut = (window: Page) =>
    expect.poll(() => readLines(window), polling).toEqual(["Latchkey example", "Not signed in", "Sign in"])
  /** The other lines are the other devices, those of former tests among them. */
  async function expectSignedIn(window: Page): Promise<void> {
    const first = ["Latchkey example", `Signed in as ${demoUser.name}`, `${desktopClient.name}, this app`]
    await expect.poll(async () => (await readLines(window)).slice(0, 3), polling).toEqual(first)
    expect(await readLines(window)).toEqual(expect.arrayContaining(["Chrome on Linux", "Sign out"]))
  }

  async function allow(page: Page): Promise<void> {
    await signInWithPassword(page)
    await page.getByRole("button", { name: `Continue to ${desktopClient.name}` }).click()
    await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/callback/)
  }

  it("signs in by the browser, stays signed in after a restart, and signs out", async () => {
    act = allow
    const window = await startApp()
    await expectSignedOut(window)
    await press(window, "Sign in")
    await expectSignedIn(window)
    await apps[0]?.quit()
    const restarted = await startApp()
    await expectSignedIn(restarted)
    await press(restarted, "Sign out")
    await expectSignedOut(restarted)
    await expect(stat(tokenFile())).rejects.toThrow("ENOENT")
    const again = await startApp()
    await expectSignedOut(again)
  })

  it("keeps the token encrypted in a file of its user, and out of the window", async () => {
    act = allow
    const window = await startApp()
    await press(window, "Sign in")
    await expectSignedIn(window)
    const kept = await readFile(tokenFile())
    expect([kept.length > 100, kept.includes("latchkey_")]).toEqual([true, false])
    expect((await stat(tokenFile())).mode & 0o777).toBe(0o600)
    const seen = await window.evaluate("Promise.all([account.show(), document.documentElement.outerHTML])")
    expect(JSON.stringify(seen)).not.toContain("latchkey_")
    key = randomBytes(32).toString("hex")
    await expectSignedOut(await startApp())
  })

  it("asks again when the user has closed the page, and takes no for an answer", async () => {
    act = (page) => page.close()
    const window = await startApp()
    await press(window, "Sign in")
    await expect.poll(() => visits, polling).toBe(1)
    act = async (page) => {
      await signInWithPassword(page)
      await page.getByRole("button", { name: "Cancel" }).click()
      await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/callback\?error=access_denied/)
    }
    await press(window, "Sign in")
    await expect.poll(() => visits, polling).toBe(2)
    await expectSignedOut(window)
    await expect(stat(tokenFile())).rejects.toThrow("ENOENT")
  })
})
