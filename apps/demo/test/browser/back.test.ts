import { createHash, X509Certificate } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:https"
import { accountArea } from "@latchkey/core/account-area"
import { ExpressAuth } from "@latchkey/express"
import { memoryAdapter } from "@latchkey/testkit/adapter"
import express from "express"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createCertificate } from "../../../../test/examples/tls-proxy.js"
import { portOf } from "../../src/web/loopback-server.js"
import { hasChromium, launchChromium } from "../chromium.js"
import { browserTestOptions } from "../stage.js"

const address = "ada@example.com"
const hasSession = (cookies = "") => /session-token=./.test(cookies)

/** An app over https with two pages of its own: one that the browser keeps for ten minutes, and one as Express sends it. */
async function openApp(certificate: { readonly key: string; readonly cert: string }, clearCacheOnSignOut: boolean) {
  const adapter = memoryAdapter()
  const user = await adapter.createUser({ id: "u-ada", email: address, name: "Ada", emailVerified: new Date() })
  const config = {
    adapter,
    clearCacheOnSignOut,
    secret: "a secret of this test alone, long enough",
    trustHost: true,
    rateLimit: false,
    accountArea: accountArea(),
    providers: [
      { id: "cred", name: "Password", type: "credentials", credentials: { name: {} }, authorize: () => user },
    ],
  } as const
  const app = express().use("/auth", ExpressAuth({ ...config, providers: [...config.providers] }))
  for (const [path, caching] of [
    ["/kept", "private, max-age=600"],
    ["/plain", "private"],
  ] as const) {
    app.get(path, ({ headers }, response) => {
      const text = hasSession(headers.cookie) ? `Signed in as ${address}` : "Signed out"
      response.type("html").set("cache-control", caching).send(`<title>Page</title><p>${text}</p>`)
    })
  }
  app.get("/", (_, response) => void response.type("html").send("<title>Home</title><h1>Home</h1>"))
  const server = createServer(certificate, app).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    origin: `https://127.0.0.1:${portOf(server)}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe.skipIf(!hasChromium)("Back after signing out", browserTestOptions, () => {
  let browser: Browser
  let certificate: { readonly key: string; readonly cert: string }

  beforeAll(async () => {
    certificate = await createCertificate()
    const key = new X509Certificate(certificate.cert).publicKey.export({ type: "spki", format: "der" })
    browser = await launchChromium(createHash("sha256").update(key).digest("base64"), { hasBackCache: true })
  }, browserTestOptions.timeout)
  afterAll(() => browser.close())

  /** Whether Back shows the address of the user who has signed out. */
  async function isShown(page: string, { clears, script }: { readonly clears: boolean; readonly script: boolean }) {
    const app = await openApp(certificate, clears)
    const context = await browser.newContext({
      javaScriptEnabled: script,
      viewport: { width: script ? 1280 : 390, height: 800 },
    })
    const tab = await context.newPage()
    await tab.goto(`${app.origin}/auth/signin`)
    await tab.getByLabel("name").fill("ada")
    await tab.keyboard.press("Enter")
    await tab.waitForURL(`${app.origin}/`)
    await tab.goto(app.origin + page)
    expect(await tab.content()).toContain(address)
    await tab.goto(`${app.origin}/auth/signout`)
    await tab.getByRole("button", { name: "Sign out" }).click()
    await tab.waitForURL(`${app.origin}/`)
    for (let n = 0; n < 2; n++) {
      // A page that comes from memory is not loaded.
      await tab.goBack({ waitUntil: "commit" })
      await tab.locator("h1, p").first().waitFor()
    }
    const content = await tab.content()
    await context.close()
    app.close()
    return content.includes(address)
  }

  it.each([true, false])("SESS-13: shows no account page and no page of the app (JavaScript: %s)", async (script) => {
    for (const page of ["/auth/account", "/kept", "/plain"]) {
      expect([page, await isShown(page, { clears: true, script })]).toEqual([page, false])
    }
  })

  it("shows what the browser kept of the app if it is told to keep it", async () => {
    expect(await isShown("/kept", { clears: false, script: true })).toBe(true)
    expect(await isShown("/auth/account", { clears: false, script: true })).toBe(false)
  })
})
