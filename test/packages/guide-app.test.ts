import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { hasChromium, launchChromium } from "../../apps/demo/test/chromium.js"
import { authenticatorApp } from "../../packages/testkit/src/index.js"
import { findFreePort } from "../../packages/testkit/src/servers/index.js"
import { createHome, createProject, link, pack, root } from "./packed-packages.js"

// The app of docs/guides/passwords.md, as a stranger builds it: the packed packages, the guide's lines, and a browser.

const guide = readFileSync(join(root, "docs", "guides", "passwords.md"), "utf8")
const section = guide.slice(guide.indexOf("## A whole app"), guide.indexOf("## Pages"))
const [install = "", commands = ""] = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, code]) => code)
const [, code = ""] = /```ts\n(.*?)```/s.exec(section) ?? []
const packages = install.trim().split(" ").slice(2)

const address = "ada@example.com"
const password = "grey lantern over water"
const newPassword = "nine herons by the mill"

describe.skipIf(!hasChromium)("the app of the guide about passwords", () => {
  const home = createHome()
  const project = join(home, "app")
  let origin = ""
  let terminal = ""
  let app: ChildProcess
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    const own = packages.filter((name) => name.startsWith("@latchkey/")).map((name) => name.slice("@latchkey/".length))
    createProject(project, pack([...own, "types", "node", "adapter-kit"], home))
    for (const name of packages.filter((each) => !each.startsWith("@latchkey/"))) link(project, name)
    const port = await findFreePort()
    origin = `http://localhost:${port}`
    expect(code).toContain("app.listen(3000)")
    writeFileSync(join(project, "app.mts"), code.replace("app.listen(3000)", `app.listen(${port})`))
    app = spawn("sh", ["-ec", commands.replace("node --env-file", `exec "${process.execPath}" --env-file`)], {
      cwd: project,
      env: { PATH: process.env["PATH"] },
    })
    for (const stream of [app.stdout, app.stderr]) {
      stream?.on("data", (part) => {
        terminal += part
      })
    }
    await vi.waitFor(async () => expect((await fetch(origin)).status).toBe(401), { timeout: 60_000, interval: 200 })
    browser = await launchChromium()
    page = await (await browser.newContext()).newPage()
  }, 240_000)

  afterAll(async () => {
    await browser?.close()
    app?.kill()
    rmSync(home, { recursive: true, force: true })
  }, 60_000)

  let readCount = 0
  /** The code and the link of the next mail that has both. What the app prints may come after its page. */
  async function readMail(): Promise<{ readonly code: string; readonly link: string }> {
    readCount += 1
    return vi.waitFor(
      () => {
        const mails = terminal.split(`To: ${address}`).flatMap((mail) => {
          const [code, link] = [/^\d{6}$/m.exec(mail)?.[0], /http:\S+/.exec(mail)?.[0]]
          return code && link ? [{ code, link }] : []
        })
        return mails[readCount - 1] ?? expect.fail(`The app has printed ${mails.length} mails`)
      },
      { timeout: 15_000 },
    )
  }
  const press = (name: string) => page.getByRole("button", { name, exact: true }).first().click()
  const follow = (name: string) => page.getByRole("link", { name }).first().click()
  const heading = () => page.getByRole("heading", { level: 1 }).textContent()
  /** The user whom the app's own page shows. */
  const readUser = async () => {
    await page.goto(origin)
    return JSON.parse((await page.locator("body").textContent()) ?? "").user.email
  }

  async function signOut(): Promise<void> {
    await page.goto(`${origin}/auth/signout`)
    await press("Sign out")
  }

  async function signIn(typed: string): Promise<void> {
    await page.goto(origin)
    expect(page.url()).toContain("/auth/signin")
    await page.getByLabel("Email").fill(address)
    await page.getByLabel("Password", { exact: true }).fill(typed)
    await press("Sign in")
  }

  it("names every package that it needs", () => {
    const imported = [...code.matchAll(/from "((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name]) => name)
    // Loaded by the second factors.
    expect(new Set(packages)).toEqual(new Set([...imported, "kysely", "otpauth", "uqr"]))
  })

  it("signs up, resets, sets up a second factor, and asks for it", async () => {
    await page.goto(origin)
    await follow("Create an account")
    await page.getByLabel("Email").fill(address)
    await page.getByLabel("Password", { exact: true }).fill(password)
    await press("Create account")
    await page.getByLabel("Code").fill((await readMail()).code)
    await press("Create account")
    expect(await readUser()).toBe(address)

    await signOut()
    await signIn(password)
    expect(await readUser()).toBe(address)
    await signOut()

    await page.goto(origin)
    await follow("Forgot password?")
    await page.getByLabel("Email").fill(address)
    await press("Send email")
    await page.goto((await readMail()).link)
    await page.getByLabel("New password").fill(newPassword)
    await press("Save password")
    expect(await readUser()).toBe(address)

    await page.goto(`${origin}/auth/account`)
    await follow("Two-step verification")
    await press("Set up an authenticator app")
    await page.getByAltText("QR code for your authenticator app").first().waitFor()
    const key = ((await page.locator("main code").first().textContent()) ?? "").replaceAll(" ", "")
    await page.getByLabel("Code").fill(await authenticatorApp(key).code())
    await press("Continue")
    expect(await heading()).toBe("Save your recovery codes")
    const recoveryCode = (await page.locator("main li code, main li").first().textContent())?.trim() ?? ""
    await press("I have saved them")

    await signOut()
    await signIn(newPassword)
    expect(await heading()).toBe("Enter your code")
    expect((await fetch(origin)).status).toBe(401)
    // Each code is accepted once. That of the next half minute is accepted already, and for a minute at least.
    await page.getByLabel("Code").fill(await authenticatorApp(key, () => Date.now() + 30_000).code())
    await press("Continue")
    expect(await readUser()).toBe(address)

    await signOut()
    await signIn(newPassword)
    await follow("Use a recovery code instead")
    await page.getByLabel("Recovery code").fill(recoveryCode)
    await press("Continue")
    expect(await readUser()).toBe(address)
  }, 120_000)
})
