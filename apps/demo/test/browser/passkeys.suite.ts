import type { BrowserContext, Page } from "playwright-core"
import { beforeEach, describe, expect, it } from "vitest"
import { addVirtualDevice, browserTestOptions, type Stage, useVisits, type VirtualDevice } from "../stage.js"
import {
  agreeTo,
  blockAutofill,
  countLoaded,
  expectSignedOut,
  newPasskey,
  openNewestLink,
  openSignIn,
  openSignInWithoutAutofill,
  readCurrentSession,
  readUserId,
  requestLink,
  shortenDeviceTimeout,
  signInButton,
  signInWithPassword,
  signUpWithPasskey,
  waitForBlockedAutofill,
} from "../steps.js"

/** Passkeys of a virtual device of Chromium. */
export function testPasskeys(openStage: () => Promise<Stage>): void {
  describe("passkeys in the demo", browserTestOptions, () => {
    let stage: Stage
    let context: BrowserContext
    let page: Page
    let device: VirtualDevice
    let userCount = 0
    const origin = (): string => stage.demo().origin
    const alert = () => page.getByRole("alert").textContent()
    const passkeys = () => page.getByRole("listitem")
    const addPasskey = () => page.getByRole("button", { name: "Add a passkey" })
    const expectAccount = (query = ""): Promise<void> => page.waitForURL(`${origin()}/auth/account${query}`)

    useVisits(openStage, async (visit) => {
      ;({ stage, context, page } = visit)
      device = await addVirtualDevice(page)
    })

    async function signUp(): Promise<string> {
      userCount += 1
      const email = `user-${userCount}@example.com`
      await openSignInWithoutAutofill(page, origin())
      await signUpWithPasskey(page, email)
      await expectAccount()
      return email
    }

    describe("are rejected", () => {
      it("when user verification fails", async () => {
        await signUp()
        await context.clearCookies()
        await device.setUserVerified(false)
        await openSignInWithoutAutofill(page, origin())
        await signInButton(page).click()
        expect(await alert()).toContain("That was canceled, took too long, or did not work on this device.")
        await expectSignedOut(page, origin())
      })

      it("when the user does not respond, and work on the next try", async () => {
        const email = await signUp()
        await context.clearCookies()
        await device.setResponsive(false)
        await openSignInWithoutAutofill(page, origin())
        // The page asks for autofill again after the prompt, which could sign in before the second click.
        const blocked = waitForBlockedAutofill(page)
        await blockAutofill(page)
        await shortenDeviceTimeout(page, { times: 1 })
        await signInButton(page).click()
        expect(await alert()).toContain("Try again, or choose another way to sign in.")
        await blocked
        await device.setResponsive(true)
        await signInButton(page).click()
        await expectAccount()
        expect(await readCurrentSession(page, origin())).toContain(email)
      })

      it("when a sign-up is canceled, without creating an account", async () => {
        await device.setResponsive(false)
        await shortenDeviceTimeout(page)
        await openSignIn(page, origin())
        await signUpWithPasskey(page, "nobody@example.com")
        expect(await alert()).toContain("That was canceled")
        await expectSignedOut(page, origin())
        await device.setResponsive(true)
        await page.unrouteAll()
        await openSignInWithoutAutofill(page, origin())
        await signUpWithPasskey(page, "nobody@example.com")
        await expectAccount()
      })

      it("for a new user with the email address of an existing account", async () => {
        await openSignInWithoutAutofill(page, origin())
        await signUpWithPasskey(page, "ada@demo.example")
        expect(await alert()).toContain("sign in the way you did before. You can then add a passkey to your account.")
        await expectSignedOut(page, origin())
      })

      it("when the passkey was removed, with a message that helps", async () => {
        const email = await signUp()
        await openSignInWithoutAutofill(page, origin())
        await requestLink(page, email)
        await openNewestLink(page, origin())
        await page.goto(`${origin()}/auth/account/passkeys`)
        await agreeTo(page, "Remove Chrome on Linux")
        expect(await page.getByRole("status").textContent()).toContain("The passkey was removed.")
        expect(await countLoaded(passkeys())).toBe(0)
        await context.clearCookies()
        await openSignInWithoutAutofill(page, origin())
        await signInButton(page).click()
        expect(await alert()).toBe(
          "This passkey is not accepted here. It may have been removed. Try another one, or choose another way to sign in.",
        )
        await expectSignedOut(page, origin())
      })

      it("when the challenge cookie was deleted in the meantime, and work on the next try", async () => {
        await signUp()
        await context.clearCookies()
        await openSignInWithoutAutofill(page, origin())
        await page.route("**/callback/passkey", async (route) => {
          await blockAutofill(page)
          await context.clearCookies({ name: /challenge/ })
          await route.continue({ headers: { ...(await route.request().allHeaders()), cookie: await cookieHeader() } })
        })
        const blocked = waitForBlockedAutofill(page)
        await signInButton(page).click()
        expect(await alert()).toContain("That did not work, or took too long.")
        await blocked
        await page.unrouteAll()
        await signInButton(page).click()
        await expectAccount()
      })

      it("when the service cannot be reached", async () => {
        await openSignInWithoutAutofill(page, origin())
        await page.route("**/webauthn-options/**", (route) => route.abort())
        await signInButton(page).click()
        expect(await alert()).toContain("could not be reached. Check your connection and try again.")
      })
    })

    it("sign up a new user, who can sign in after a restart", async () => {
      const email = await signUp()
      await stage.restart()
      expect(await readCurrentSession(page, origin())).toContain(email)
      await context.clearCookies()
      await openSignInWithoutAutofill(page, origin())
      await signInButton(page).click()
      await expectAccount()
      expect(await readCurrentSession(page, origin())).toContain(email)
    })

    it("sign in without typing, and record each use", async () => {
      await signUp()
      await context.clearCookies()
      await openSignInWithoutAutofill(page, origin())
      const [before = 0] = await device.counters()
      await signInButton(page).click()
      await expectAccount()
      expect((await device.counters())[0]).toBeGreaterThan(before)
      const json = await (
        await context.request.get(`${origin()}/auth/account/passkeys`, { headers: { accept: "application/json" } })
      ).json()
      expect(Date.now() - Date.parse(json.passkeys[0].lastUsedAt)).toBeLessThan(60_000)
    })

    it("sign in from the autofill of the email field, without a button", async () => {
      const email = await signUp()
      await context.clearCookies()
      await openSignIn(page, origin())
      await expectAccount()
      expect(await readCurrentSession(page, origin())).toContain(email)
    })

    it("wait in the autofill while the page is open", async () => {
      const email = await signUp()
      await context.clearCookies()
      await device.setResponsive(false)
      await shortenDeviceTimeout(page)
      await openSignIn(page, origin())
      for (let time = 0; time < 3; time += 1) {
        await page.waitForResponse((response) => response.url().includes("/webauthn-options/"))
      }
      expect(await page.getByRole("alert").count()).toBe(0)
      await device.setResponsive(true)
      await expectAccount()
      expect(await readCurrentSession(page, origin())).toContain(email)
    })

    it("show on the button that the device is awaited", async () => {
      await device.setResponsive(false)
      await openSignIn(page, origin())
      await signInButton(page).click()
      const busy = page.getByRole("button", { name: "Waiting for your device…" })
      expect([await busy.getAttribute("aria-busy"), await busy.isVisible()]).toEqual(["true", true])
    })

    describe("in the account area", () => {
      const openPasskeys = (tab: Page = page) => tab.goto(`${origin()}/auth/account/passkeys`)
      const expectDone = (done: string, tab: Page = page): Promise<void> =>
        tab.waitForURL(`${origin()}/auth/account/passkeys?done=${done}`)

      it("can be added to an existing account, and sign in to it", async () => {
        await openSignInWithoutAutofill(page, origin())
        await signInWithPassword(page)
        const id = await readUserId(page, origin())
        await openPasskeys()
        await addPasskey().click()
        await expectDone("added")
        expect(await page.getByRole("status").textContent()).toContain("Your passkey was added.")
        await context.clearCookies()
        await openSignInWithoutAutofill(page, origin())
        await signInButton(page).click()
        await expectAccount()
        expect(await readUserId(page, origin())).toBe(id)
      })

      it("can be added once per device", async () => {
        const email = await signUp()
        await openPasskeys()
        await addPasskey().click()
        expect(await alert()).toBe("This device already has a passkey for this account. You can sign in with it.")
        const other = await (await stage.newContext()).newPage()
        await addVirtualDevice(other)
        await other.context().addCookies(await context.cookies())
        await openPasskeys(other)
        await other.getByRole("button", { name: "Add a passkey" }).click()
        await expectDone("added", other)
        expect(await other.getByRole("listitem").count()).toBe(2)
        await other.context().clearCookies()
        await openSignInWithoutAutofill(other, origin())
        await signInButton(other).click()
        await other.waitForURL(`${origin()}/auth/account`)
        expect(await readCurrentSession(other, origin())).toContain(email)
        await other.context().close()
      })

      it("are named after the browser, and can be renamed", async () => {
        await signUp()
        await openPasskeys()
        expect(await passkeys().textContent()).toContain("Chrome on Linux")
        for (const name of ["  Ann's <b>laptop</b> ", "Laptop"]) {
          await page.getByText("Rename", { exact: true }).click()
          await page.getByLabel("Name of the passkey").fill(name)
          await page.getByRole("button", { name: "Save" }).click()
          expect(await page.getByRole("status").textContent()).toBe("The passkey was renamed.")
          expect(await passkeys().textContent()).toContain(name.trim())
        }
      })

      it("cannot be removed when they are the only way to sign in, even by a forged form", async () => {
        await signUp()
        await openPasskeys()
        expect(await passkeys().textContent()).toContain("Your only way to sign in")
        expect(await page.getByRole("button", { name: /^Remove/ }).count()).toBe(0)
        const id = await page.locator("input[name=id]").first().inputValue()
        expect(await post("passkeys", { action: "remove", id })).toEqual([400, "last-sign-in-method"])
        expect(await post("methods", { action: "unlink", provider: "passkey", id })).toEqual([404, undefined])
        await page.reload()
        expect(await passkeys().count()).toBe(1)
      })

      it("cannot be renamed or removed by another user", async () => {
        await signUp()
        await openPasskeys()
        const id = await page.locator("input[name=id]").first().inputValue()
        await context.clearCookies()
        await openSignInWithoutAutofill(page, origin())
        await signInWithPassword(page)
        expect(await post("passkeys", { action: "rename", id, name: "Mine" })).toEqual([404, undefined])
        expect(await post("passkeys", { action: "remove", id })).toEqual([404, undefined])
      })
    })

    describe("without scripts", () => {
      beforeEach(async () => {
        context = await stage.newContext({ javaScriptEnabled: false })
        page = await context.newPage()
      })

      /** Playwright's text locators ignore `noscript`. */
      async function expectExplained(text: string): Promise<void> {
        const explanation = page.locator("noscript p")
        expect([await explanation.textContent(), await explanation.isVisible()]).toEqual([text, true])
      }

      it("are hidden with an explanation, and the other ways work", async () => {
        await openSignIn(page, origin())
        expect(await signInButton(page).isVisible()).toBe(false)
        expect(await newPasskey(page).isVisible()).toBe(false)
        await expectExplained("To sign in with a passkey, turn on JavaScript in this browser.")
        await signInWithPassword(page)
        await page.goto(`${origin()}/auth/account/passkeys`)
        expect(await addPasskey().isVisible()).toBe(false)
        await expectExplained("To add a passkey, turn on JavaScript in this browser.")
      })
    })

    /** Sends a form of the account area. @returns the status and the code of the refusal */
    async function post(section: string, fields: Record<string, string>): Promise<[number, string | undefined]> {
      const { csrfToken } = await (await context.request.get(`${origin()}/auth/csrf`)).json()
      const form = { csrfToken, ...fields }
      const headers = { origin: origin(), accept: "application/json" }
      const answer = await context.request.post(`${origin()}/auth/account/${section}`, { form, headers })
      return [answer.status(), (await answer.json()).code]
    }

    async function cookieHeader(): Promise<string> {
      return (await context.cookies(origin())).map(({ name, value }) => `${name}=${value}`).join("; ")
    }
  })
}
