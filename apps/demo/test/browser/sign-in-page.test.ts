import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import Apple from "@latchkey/core/providers/apple"
import Discord from "@latchkey/core/providers/discord"
import Dropbox from "@latchkey/core/providers/dropbox"
import Facebook from "@latchkey/core/providers/facebook"
import GitHub from "@latchkey/core/providers/github"
import GitLab from "@latchkey/core/providers/gitlab"
import Google from "@latchkey/core/providers/google"
import LinkedIn from "@latchkey/core/providers/linkedin"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import Spotify from "@latchkey/core/providers/spotify"
import Twitch from "@latchkey/core/providers/twitch"
import { trackSessions } from "@latchkey/core/sessions"
import { ExpressAuth } from "@latchkey/express"
import { memoryAdapter } from "@latchkey/testkit"
import express from "express"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../chromium.js"
import { browserTestOptions } from "../stage.js"

const client = { clientId: "id", clientSecret: "secret" }
const ten = [Apple, Discord, Dropbox, Facebook, GitHub, GitLab, Google, LinkedIn, Spotify, Twitch].map((provider) =>
  provider(client),
)
const common = {
  secret: "a secret of at least thirty-two characters",
  trustHost: true,
  rateLimit: false,
  logger: { error() {}, warn() {} },
  theme: { name: "Harbour" },
} as const

/** A site with ten providers, and one with every way to sign in besides. */
function openSite(): Promise<Server> {
  const app = express()
  app.use("/ten/auth", ExpressAuth({ ...common, providers: ten }))
  app.use(
    "/all/auth",
    ExpressAuth({
      ...common,
      adapter: memoryAdapter(),
      session: { strategy: "jwt", track: trackSessions() },
      providers: [
        ...ten,
        Passkey(),
        Nodemailer({ server: "smtp://127.0.0.1:1", code: true, sendVerificationRequest() {} }),
        Passwords({ mail: { send() {} }, breached: false }),
      ],
    }),
  )
  const server = createServer(app)
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)))
}

describe.skipIf(!hasChromium)("the sign-in page", browserTestOptions, () => {
  let browser: Browser
  let server: Server
  let origin: string
  beforeAll(async () => {
    server = await openSite()
    // as: it listens on a port.
    origin = `http://localhost:${(server.address() as AddressInfo).port}`
    browser = await launchChromium()
  }, browserTestOptions.timeout)
  afterAll(async () => {
    await browser.close()
    server.close()
  })

  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> =>
    (await browser.newContext({ baseURL: origin, viewport: { width: 390, height: 780 }, ...options })).newPage()

  /**
   * The bytes of all answers with their headers, as they came over the network, and where they came from.
   * @param last the request that a script sends when the page is there
   */
  async function weigh(path: string, last?: RegExp): Promise<{ bytes: number; origins: string[]; types: string[] }> {
    const page = await newPage()
    const network = await page.context().newCDPSession(page)
    await network.send("Network.enable")
    let bytes = 0
    const urls = new Set<string>()
    const types = new Set<string>()
    const counted = new Set<string>()
    network.on("Network.responseReceived", ({ requestId, response, type }) => {
      const url = new URL(response.url)
      // The browser asks every site for its icon.
      if (url.pathname === "/favicon.ico") return
      counted.add(requestId)
      urls.add(url.origin)
      types.add(type)
    })
    network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (counted.has(requestId)) bytes += encodedDataLength
    })
    await Promise.all([
      last && page.waitForEvent("requestfinished", (request) => last.test(request.url())),
      page.goto(path, { waitUntil: "networkidle" }),
    ])
    // Answered after the events before it.
    await network.send("Network.disable")
    await page.context().close()
    return { bytes, origins: [...urls], types: [...types].sort() }
  }

  it("weighs at most 15 kB over the wire with ten providers, and loads a stylesheet from its own site alone", async () => {
    const { bytes, origins, types } = await weigh("/ten/auth/signin")
    expect({ origins, types }).toEqual({ origins: [origin], types: ["Document", "Stylesheet"] })
    // Without a proxy that compresses the page itself, too.
    expect(bytes).toBeLessThanOrEqual(15_000)
  })

  it("loads one script besides for passkeys, and nothing from another site", async () => {
    const { bytes, origins, types } = await weigh("/all/auth/signin", /webauthn-options/)
    // The autofill of passkeys asks for options.
    expect({ origins, types }).toEqual({ origins: [origin], types: ["Document", "Fetch", "Script", "Stylesheet"] })
    expect(bytes).toBeLessThanOrEqual(30_000)
  })

  const measureShift = async (page: Page, path: string): Promise<number> => {
    await page.goto(path, { waitUntil: "networkidle" })
    return page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0
          new PerformanceObserver((list) => {
            // as: the types of the DOM do not have the entries of layout shifts.
            for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value
          }).observe({ type: "layout-shift", buffered: true })
          setTimeout(() => resolve(sum), 300)
        }),
    )
  }

  it.each([
    ["/ten/auth/signin", 390],
    ["/all/auth/signin", 390],
    ["/all/auth/signin", 1280],
    ["/all/auth/signin?error=CredentialsSignin", 320],
  ])("does not move while it loads: %s at %i pixels", async (path, width) => {
    const page = await newPage({ viewport: { width, height: 780 } })
    // On a busy machine, Chromium draws a long page in parts, and the card is centered again with each.
    const shifts = [await measureShift(page, path), await measureShift(page, path), await measureShift(page, path)]
    expect(Math.min(...shifts)).toBe(0)
    await page.context().close()
  })

  const readTree = async (page: Page): Promise<string> =>
    (await page.locator("body").ariaSnapshot()).replaceAll(origin, "")

  it("tells a screen reader what it is for, and what comes in which order", async () => {
    const page = await newPage({ javaScriptEnabled: false })
    await page.goto("/all/auth/signin")
    expect(await readTree(page)).toMatchInlineSnapshot(`
      "- banner:
        - link "Harbour":
          - /url: 
      - main:
        - heading "Sign in to Harbour" [level=1]
        - text: Email
        - textbox "Email"
        - button "Continue"
        - link "New here? Create an account":
          - /url: /all/auth/password/sign-up
        - paragraph: or
        - search:
          - searchbox "Find a way to sign in"
          - button "Find"
        - button "Sign in with Apple"
        - button "Sign in with Discord"
        - button "Sign in with Dropbox"
        - button "Sign in with Facebook"
        - button "Sign in with GitHub"
        - button "Sign in with GitLab"
        - group: More ways to sign in"
    `)
    await page.context().close()
  })

  it("is used by keyboard alone, in the same order", async () => {
    const page = await newPage({ javaScriptEnabled: false })
    await page.goto("/all/auth/signin")
    const reached: string[] = []
    for (let n = 0; n < 9; n++) {
      await page.keyboard.press("Tab")
      reached.push(
        (
          await page.locator(":focus").evaluate((element) => element.textContent || element.ariaLabel || element.id)
        ).trim(),
      )
    }
    expect(reached).toEqual([
      "Harbour",
      "field-person-email",
      "Continue",
      "New here? Create an account",
      "Find a way to sign in",
      "Find",
      "Sign in with Apple",
      "Sign in with Discord",
      "Sign in with Dropbox",
    ])
    await page.context().close()
  })

  it("tells a screen reader of a failure before the form", async () => {
    const page = await newPage({ javaScriptEnabled: false })
    await page.goto("/all/auth/signin")
    await page.locator("#field-person-email").fill("ada@example.com")
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByLabel("Password").fill("not the password")
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    expect(await readTree(page)).toMatchInlineSnapshot(`
      "- banner:
        - link "Harbour":
          - /url: 
      - main:
        - heading "Sign in to Harbour" [level=1]
        - alert:
          - paragraph: That sign-in did not work. Check what you typed and try again.
        - text: Email
        - textbox "Email": ada@example.com
        - link "Change":
          - /url: /all/auth/signin
        - text: Password
        - textbox "Password" [invalid]
        - button "Sign in"
        - link "Forgot password?":
          - /url: /all/auth/password/forgot
        - link "New here? Create an account":
          - /url: /all/auth/password/sign-up
        - button "Email me a code instead""
    `)
    await page.context().close()
  })
})
