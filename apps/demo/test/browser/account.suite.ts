import type { BrowserContext, Page } from "playwright-core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { browserTestOptions, type Stage } from "../stage.js"
import {
  agreeTo,
  choosePerson,
  countLoaded,
  expectSignedOut,
  openSignIn,
  phoneAgent,
  readCurrentSession,
  readNewestCode,
  readUserId,
  signInWithDemoId,
  signInWithPassword,
} from "../steps.js"

/** Each page is checked by axe. */
const timeout = 3 * browserTestOptions.timeout

/** Every section of the account area, with scripts and without. */
export function testAccountArea(openStage: () => Promise<Stage>): void {
  describe.each([true, false])("the account area (JavaScript: %s)", { timeout }, (hasScripts) => {
    let stage: Stage
    let context: BrowserContext
    let page: Page
    const origin = (): string => stage.demo().origin

    beforeEach(async () => {
      stage = await openStage()
      context = await stage.newContext({ javaScriptEnabled: hasScripts })
      page = await context.newPage()
    }, browserTestOptions.timeout)
    afterEach(() => stage.close())

    const heading = () => page.getByRole("heading", { level: 1 }).textContent()
    const notice = () => page.getByRole("status").first().textContent()
    const press = (name: string | RegExp) => page.getByRole("button", { name }).click()

    /** Goes to a section from the overview. */
    async function openSection(title: string): Promise<void> {
      await page.goto(`${origin()}/auth/account`)
      await page
        .getByRole("main")
        .getByRole("link", { name: new RegExp(`^${title}`) })
        .click()
      expect(await heading()).toBe(title)
    }

    async function signIn(tab: Page = page): Promise<void> {
      await openSignIn(tab, origin())
      await signInWithPassword(tab)
      expect(tab.url()).toBe(`${origin()}/auth/account`)
    }

    it("is reached from the navigation, and changes the name", async () => {
      await page.goto(origin())
      await page.getByRole("link", { name: "Account" }).click()
      expect(await notice()).toContain("Please sign in to continue")
      await signInWithPassword(page)
      expect(await heading()).toBe("Your account")
      await openSection("Profile")
      await page.getByLabel("Picture URL").fill("ftp://example.com/ada.png")
      await page.getByLabel("Name").fill("Ada King")
      await press("Save")
      if (hasScripts) await page.getByLabel("Picture URL").fill("")
      else expect(await page.getByRole("alert").textContent()).toContain("Enter a URL that begins with https://")
      await page.getByLabel("Picture URL").fill("https://example.com/ada.png")
      await press("Save")
      expect(await notice()).toBe("Your profile was saved.")
      expect(await readCurrentSession(page, origin())).toContain("Signed in as Ada King")
    })

    it("adds a Demo ID that then signs in, and removes it", async () => {
      await signIn()
      const id = await readUserId(page, origin())
      await openSection("Ways to sign in")
      await press("Add Demo ID")
      await choosePerson(page, "Grace Hopper")
      expect(await notice()).toBe("Sign-in method added. You can now sign in with it.")
      await context.clearCookies()
      await openSignIn(page, origin())
      await signInWithDemoId(page, "Grace Hopper")
      expect(await readUserId(page, origin())).toBe(id)
      await openSection("Ways to sign in")
      await agreeTo(page, "Remove Demo ID")
      expect(await notice()).toContain("Sign-in method removed.")
      expect(await countLoaded(page.getByRole("link", { name: /^Remove/ }))).toBe(0)
      await context.clearCookies()
      await openSignIn(page, origin())
      await signInWithDemoId(page, "Grace Hopper")
      expect(await readUserId(page, origin())).not.toBe(id)
    })

    it("ends the session of another browser, which the list names, and then all others", async () => {
      const others = await Promise.all(
        [phoneAgent, phoneAgent].map(async (userAgent) => stage.newContext({ userAgent })),
      )
      for (const other of others) await signIn(await other.newPage())
      await signIn()
      await openSection("Devices and sessions")
      const list = page.getByRole("listitem")
      await page.waitForLoadState()
      expect(await list.allTextContents()).toEqual([
        expect.stringContaining("This browser"),
        expect.stringContaining("Safari on iPhone"),
        expect.stringContaining("Safari on iPhone"),
      ])
      await agreeTo(page, "Sign out everywhere else", "Sign out everywhere else")
      expect(await notice()).toBe("You are signed out everywhere else.")
      expect(await countLoaded(list)).toBe(1)
      const [one] = others[0]?.pages() ?? []
      if (!one) throw new Error("The other browser has no page")
      await expectSignedOut(one, origin())
      await signIn(one)
      await page.reload()
      await press("Sign out: Safari on iPhone")
      expect(await notice()).toBe("That session was ended.")
      await expectSignedOut(one, origin())
      expect(await readCurrentSession(page, origin())).toContain("Ada Lovelace")
    })

    it("asks for a proof before it changes how the user signs in, and returns", async () => {
      await signIn()
      await context.clearCookies({ name: /authjs\.proof$/ })
      await openSection("Profile")
      expect(await countLoaded(page.getByRole("button", { name: "Save" }))).toBe(1)
      await page.goto(`${origin()}/auth/account/delete`)
      const last = page.getByRole("button", { name: "Delete account" })
      expect(await countLoaded(last)).toBe(0)
      await page.getByRole("link", { name: "Confirm" }).click()
      expect(await heading()).toBe("Confirm it’s you")
      await page.getByLabel("Password").fill("lovelace-in-1843")
      await press("Confirm with password")
      expect(new URL(page.url()).pathname).toBe("/auth/account/delete")
      expect(await countLoaded(last)).toBe(1)
    })

    it("changes the password", async () => {
      await signIn()
      await openSection("Password")
      await page.getByRole("link", { name: "Change password" }).click()
      await page.getByLabel("Current password").fill("lovelace-in-1843")
      await page.getByLabel("New password").fill("analytical-engine-notes")
      await page.locator("main form").first().getByRole("button").last().click()
      await page.getByText("Your password was changed").first().waitFor()
      await context.clearCookies()
      await openSignIn(page, origin())
      await signInWithPassword(page, "analytical-engine-notes")
      expect(await heading()).toBe("Your account")
    })

    it("changes the address by a code, and the mail to the former one undoes that", async () => {
      await signIn()
      await openSection("Email address")
      await page.getByLabel("New address").fill("countess@demo.example")
      await press("Send email")
      const inbox = await (await stage.newContext()).newPage()
      const code = await readNewestCode(inbox, origin(), "countess@demo.example")
      await page.getByLabel("Code").fill(code)
      await press("Change address")
      expect(await notice()).toContain("Your address was changed.")
      expect(await readCurrentSession(page, origin())).toContain("countess@demo.example")
      const link = await inbox.goto(`${origin()}/inbox`).then(async () => {
        await inbox
          .getByRole("link", { name: /ada@demo\.example/ })
          .first()
          .click()
        return inbox.frameLocator("iframe").getByRole("link").first().getAttribute("href")
      })
      await inbox.goto(link ?? "")
      expect(await inbox.getByRole("heading", { level: 1 }).textContent()).toBe("Undo the change of address?")
      await inbox.getByRole("button", { name: "Undo the change" }).click()
      expect(await inbox.getByRole("main").textContent()).toContain("a•••@demo.example again")
      await expectSignedOut(page, origin())
    })

    it("gives out the data, and deletes the account", async () => {
      await signIn()
      await openSection("Your data")
      const [download] = await Promise.all([page.waitForEvent("download"), press("Download")])
      expect(download.suggestedFilename()).toBe("account-data.json")
      await openSection("Delete account")
      await page.getByRole("textbox").fill("someone@else.example")
      await press("Delete account")
      expect(await page.getByRole("alert").textContent()).toContain("That doesn’t match.")
      await page.getByRole("textbox").fill("ada@demo.example")
      await press("Delete account")
      expect(await notice()).toBe("Your account was deleted.")
      await expectSignedOut(page, origin())
      await openSignIn(page, origin())
      await signInWithPassword(page)
      expect(await page.getByRole("alert").textContent()).toContain("That sign-in did not work.")
    })
  })
}
