import { request } from "node:http"
import { openLoopback } from "@latchkey/client/loopback"
import { createNativeClient, type NativeClient } from "@latchkey/client/native"
import type { BrowserContext, Page } from "playwright-core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { demoUser, desktopClient } from "../../src/app/auth-config.js"
import { hasChromium } from "../chromium.js"
import { browserTestOptions, openStage, type Stage, useBrowser } from "../stage.js"
import { signInWithPassword } from "../steps.js"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"

/** Screenshots are kept if this names a folder. */
const shots = process.env["LATCHKEY_SHOTS"]

/** A desktop app: a process of its own, which has no cookies and opens the system's browser. */
interface DesktopApp {
  readonly client: NativeClient
  token(): string | null
  /** Signs in while the user does something in the browser. */
  signIn(user: (page: Page) => Promise<unknown>): ReturnType<NativeClient["signIn"]>
}

describe.skipIf(!hasChromium)("a native app with the demo", browserTestOptions, () => {
  const browser = useBrowser()
  let stage: Stage
  let context: BrowserContext

  beforeEach(async () => {
    stage = await openStage({ browser: browser() })
    context = await stage.newContext({ viewport: { width: 320, height: 700 } })
  }, browserTestOptions.timeout)
  afterEach(() => stage.close())

  function openApp(): DesktopApp {
    let token: string | null = null
    const client = createNativeClient({
      issuer: `${stage.demo().origin}/auth`,
      clientId: desktopClient.id,
      storage: {
        get: () => token,
        set: (next) => {
          token = next
        },
        remove: () => {
          token = null
        },
      },
    })
    return {
      client,
      token: () => token,
      async signIn(user) {
        const page = await context.newPage()
        let acting: Promise<unknown> = Promise.resolve()
        const browser = await openLoopback({
          openBrowser: async (url) => {
            await page.goto(url)
            acting = user(page)
          },
        })
        try {
          return await client.signIn(browser)
        } finally {
          await acting
          await page.close()
        }
      },
    }
  }

  const answer = (name: string) => async (page: Page) => {
    await page.getByRole("button", { name }).click()
    await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/callback/)
  }
  const allow = answer(`Continue to ${desktopClient.name}`)

  it("is signed in by the system's browser and the loopback interface", async () => {
    const app = openApp()
    const session = await app.signIn(async (page) => {
      expect(new URL(page.url()).pathname).toBe("/auth/signin")
      await signInWithPassword(page)
      await page.waitForURL(/\/auth\/native\?/)
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(`Sign in to ${desktopClient.name}?`)
      expect(await page.locator("main").textContent()).toContain(demoUser.email)
      if (shots) await page.screenshot({ path: `${shots}/native.png`, fullPage: true })
      expect([await findAccessibilityFaults(page), await readOverflow(page)]).toEqual([[], 0])
      await allow(page)
      expect(await page.locator("body").textContent()).toContain("You can close this window")
    })
    expect(session?.user).toMatchObject({ email: demoUser.email })
    const home = await app.client.fetch("/auth/account/sessions")
    expect((await home.json()).sessions).toMatchObject([{ label: desktopClient.name, isCurrent: true }, {}])
  })

  it("is asked for again while the browser is signed in, and can be declined", async () => {
    const app = openApp()
    await app.signIn(async (page) => {
      await signInWithPassword(page)
      await page.waitForURL(/\/auth\/native\?/)
      await allow(page)
    })
    await app.client.signOut()
    expect([app.token(), await app.client.getSession()]).toEqual([null, null])
    await expect(app.signIn(answer("Cancel"))).rejects.toMatchObject({ code: "denied" })
    expect((await app.signIn(allow))?.user?.email).toBe(demoUser.email)
  })

  it("NAT-24: takes no answer that another page of the browser sends to the listener", async () => {
    const app = openApp()
    const session = await app.signIn(async (page) => {
      await signInWithPassword(page)
      await page.waitForURL(/\/auth\/native\?/)
      const target = new URL(new URL(page.url()).searchParams.get("redirect_uri") ?? "")
      const state = new URL(page.url()).searchParams.get("state") ?? ""
      for (const path of ["/callback?code=stolen&state=guessed", "/callback?code=stolen", `/other?state=${state}`])
        expect((await fetch(`${target.origin}${path}`)).status).toBe(400)
      expect(await statusWithHost(`${target.href}?code=stolen&state=${state}`, "evil.example")).toBe(400)
      await allow(page)
    })
    expect(session?.user?.email).toBe(demoUser.email)
  })
})

/** The status of a request that names another host, as with DNS rebinding. */
function statusWithHost(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on("error", reject)
      .end()
  })
}
