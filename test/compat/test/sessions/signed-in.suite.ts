import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { currentSession, ExpressAuth, type ExpressAuthConfig } from "@latchkey/express"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import express, { type Express } from "express"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { hasChromium, launchChromium } from "../../../../apps/demo/test/chromium.js"
import { address, type Former, password, toPage } from "./former.js"
import type { FormerApps } from "./former-apps.js"
import { openPlace, type Place } from "./place.js"

// A visitor signs in at an app with the published library. Then ours runs on its port.

const secret = "the secret of our app, 0123456789-abcdefghijkl"

interface Ours {
  readonly app: Express
  close(): void
}

/** Our app, as after a start of the process: nothing is kept but the file. */
function openOurs(
  { accept, userId, account, isStateless = false }: Former,
  { file, secret }: { readonly file: string; readonly secret: string },
): Ours {
  const adapter = isStateless ? null : sqlite(file)
  if (adapter && !adapter.getUser(userId)) {
    adapter.createUser({ id: userId, email: address, name: "Ada Lovelace", emailVerified: null })
    if (account) adapter.linkAccount({ ...account, userId, type: "oidc" })
  }
  const config: ExpressAuthConfig = { providers: [], secret, session: { accept }, ...(adapter && { adapter }) }
  const app = express().use("/auth", ExpressAuth(config))
  app.get("/", currentSession(config), (_, res) => void res.send(toPage(res.locals.session?.user?.email)))
  return { app, close: () => adapter?.close() }
}

async function signIn(page: Page, origin: string, { logIn }: Former): Promise<void> {
  await page.goto(`${origin}/login`)
  // A provider that remembers the user sends the browser back at once.
  if (new URL(page.url()).pathname !== "/") await (logIn ?? fillForm)(page)
  await page.waitForURL((url) => url.origin === origin && url.pathname === "/")
}

async function fillForm(page: Page): Promise<void> {
  await page.locator("input[name=username]").fill(address)
  await page.locator("input[name=password]").fill(password)
  await page.locator("button").click()
}

const who = (page: Page): Promise<string | null> => page.locator("main p").textContent()

export function testSignedIn(apps: FormerApps): void {
  describe.skipIf(!hasChromium).each(Object.entries(apps))("a session of %s", (_name, open) => describeApp(open))
}

function describeApp(open: FormerApps[string]): void {
  let browser: Browser
  let context: BrowserContext
  let place: Place
  let folder: string
  let former: Former
  let ours: Ours | undefined
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-sessions-"))
    place = await openPlace()
    former = await open(place.origin)
    await place.deploy(former.app)
  })
  afterEach(async () => {
    await context.close()
    await place.stop()
    ours?.close()
    ours = undefined
    await former.close?.()
    rmSync(folder, { recursive: true })
    vi.unstubAllEnvs()
  })

  async function deployOurs(name = "app.db", ourSecret = secret): Promise<void> {
    ours?.close()
    ours = openOurs(former, { file: join(folder, name), secret: ourSecret })
    await place.deploy(ours.app)
  }

  function countSessions(): number {
    const database = new DatabaseSync(join(folder, "app.db"))
    try {
      return Number(database.prepare('SELECT count(*) AS count FROM "Session"').get()?.["count"])
    } finally {
      database.close()
    }
  }

  const listNames = async (): Promise<string[]> => (await context.cookies()).map(({ name }) => name)

  it.each([true, false])("goes on in our app until the sign-out there (JavaScript: %s)", async (javaScriptEnabled) => {
    context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await signIn(page, place.origin, former)
    expect(await who(page)).toBe(address)
    const theirs = await context.cookies()
    expect(await listNames()).toContain(former.cookie)

    await deployOurs()
    await page.goto(place.origin)
    expect(await who(page)).toBe(address)
    expect(await listNames()).toContain("authjs.session-token")
    expect(await listNames()).not.toContain(former.cookie)
    await deployOurs()
    await page.reload()
    expect(await who(page)).toBe(address)

    await page.goto(`${place.origin}/auth/signout`)
    await page.locator("main form button[type=submit]").click()
    await page.waitForURL((url) => url.pathname === "/")
    expect(await who(page)).toBe("nobody")
    expect((await former.countSessions?.()) ?? 0).toBe(0)
    await context.addCookies(theirs)
    await page.reload()
    expect(await who(page)).toBe("nobody")
    await deployOurs()
    await page.reload()
    expect(await who(page)).toBe("nobody")
  })

  it("MIG-07, MIG-12: gets one session at five first requests at once, which counts beside the old cookie", async () => {
    context = await browser.newContext()
    const page = await context.newPage()
    await signIn(page, place.origin, former)
    const theirs = await context.cookies()
    await deployOurs()
    const cookie = theirs.map(({ name, value }) => `${name}=${value}`).join("; ")
    const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(place.origin, { headers: { cookie } })))
    for (const answer of answers) expect(await answer.text()).toContain(address)
    await page.goto(place.origin)
    expect(await who(page)).toBe(address)
    if (!former.isStateless) expect(countSessions()).toBe(1)

    await context.addCookies(theirs)
    await page.reload()
    expect(await who(page)).toBe(address)
    await page.goto(`${place.origin}/auth/signout`)
    await page.locator("main form button[type=submit]").click()
    await page.waitForURL((url) => url.pathname === "/")
    if (!former.isStateless) expect(countSessions()).toBe(0)
    await context.addCookies(theirs)
    await page.reload()
    expect(await who(page)).toBe("nobody")
  })

  it("is over when the former app comes back, where its user signs in again, and others go on", async () => {
    const other = await browser.newContext()
    context = await browser.newContext()
    try {
      const [moved, stayed] = [await context.newPage(), await other.newPage()]
      for (const page of [moved, stayed]) await signIn(page, place.origin, former)
      await deployOurs()
      await moved.goto(place.origin)
      expect(await who(moved)).toBe(address)

      await place.deploy(former.app)
      await stayed.reload()
      expect(await who(stayed)).toBe(address)
      await moved.reload()
      expect(await who(moved)).toBe("nobody")
      await signIn(moved, place.origin, former)
      expect(await who(moved)).toBe(address)

      // The second move begins with an empty store and another secret, and our cookie of the first one is still there.
      expect(await listNames()).toContain("authjs.session-token")
      await deployOurs("again.db", "another secret of our app, 0123456789-abcdef")
      for (const page of [moved, stayed]) {
        await page.reload()
        expect(await who(page)).toBe(address)
      }
    } finally {
      await other.close()
    }
  })
}
