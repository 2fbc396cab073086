import type { BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { hasChromium } from "./chromium.js"
import {
  nextSilence,
  openSignInQuietly,
  shortenRequests,
  signInButton,
  signUpWithPasskey,
  silenceAutofill,
} from "./passkey-steps.js"
import {
  askForLink,
  followNewestLink,
  openSignIn,
  readWhoIsSignedIn,
  signInWithDemoId,
  signInWithPassword,
} from "./sign-in-steps.js"
import { browserTestOptions, openStage, type Stage } from "./stage.js"
import { addVirtualDevice, type VirtualDevice } from "./virtual-device.js"

describe.skipIf(!hasChromium)("passkeys in the demo", browserTestOptions, () => {
  let stage: Stage
  let visitor: BrowserContext
  let page: Page
  let device: VirtualDevice
  let people = 0
  const origin = (): string => stage.demo().origin
  const alert = () => page.getByRole("alert").textContent()
  const passkeys = () => page.getByRole("region", { name: "Passkeys" }).getByRole("listitem")
  const addPasskey = () => page.getByRole("button", { name: /^Add (a|another) passkey$/ })
  const expectNobody = async (): Promise<void> => {
    expect(await readWhoIsSignedIn(page, origin())).toContain("Nobody is signed in")
  }
  const expectAccount = (query = ""): Promise<void> => page.waitForURL(`${origin()}/account${query}`)

  beforeAll(async () => {
    stage = await openStage()
  }, browserTestOptions.timeout)
  afterAll(() => stage.close())
  beforeEach(async () => {
    visitor = await stage.visitor()
    page = await visitor.newPage()
    device = await addVirtualDevice(page)
  })
  afterEach(() => visitor.close())

  async function signUp(): Promise<string> {
    people += 1
    const email = `person-${people}@example.com`
    await openSignInQuietly(page, origin())
    await signUpWithPasskey(page, email)
    await expectAccount()
    return email
  }

  describe("refused", () => {
    it("when the device does not recognise the person", async () => {
      await signUp()
      await visitor.clearCookies()
      await device.recognise(false)
      await openSignInQuietly(page, origin())
      await signInButton(page).click()
      expect(await alert()).toContain("That was cancelled, took too long, or did not work on this device.")
      await expectNobody()
    })

    it("when the person does not answer, who can try again at once", async () => {
      const email = await signUp()
      await visitor.clearCookies()
      await device.answerAtOnce(false)
      await shortenRequests(page)
      await openSignIn(page, origin())
      await signInButton(page).click()
      expect(await alert()).toContain("Try again, or choose another way to sign in.")
      await device.answerAtOnce(true)
      await signInButton(page).click()
      await expectAccount()
      expect(await readWhoIsSignedIn(page, origin())).toContain(email)
    })

    it("when a sign-up is cancelled, and no account is made", async () => {
      await device.answerAtOnce(false)
      await shortenRequests(page)
      await openSignIn(page, origin())
      await signUpWithPasskey(page, "nobody@example.com")
      expect(await alert()).toContain("That was cancelled")
      await expectNobody()
      await device.answerAtOnce(true)
      await page.unrouteAll()
      await openSignInQuietly(page, origin())
      await signUpWithPasskey(page, "nobody@example.com")
      await expectAccount()
    })

    it("to somebody new under an address that belongs to an account", async () => {
      await openSignInQuietly(page, origin())
      await signUpWithPasskey(page, "ada@demo.example")
      expect(await alert()).toContain(
        "sign in the way you did before. Afterwards you can add a passkey in your account.",
      )
      await expectNobody()
    })

    it("when the passkey was removed, which the page says in words one can act on", async () => {
      const email = await signUp()
      await openSignInQuietly(page, origin())
      await askForLink(page, email)
      await followNewestLink(page, origin())
      await page.goto(`${origin()}/account`)
      await page.getByRole("button", { name: "Remove Passkey without a name" }).click()
      expect(await page.getByRole("status").textContent()).toContain("That passkey was removed.")
      expect(await passkeys().count()).toBe(0)
      await visitor.clearCookies()
      await openSignInQuietly(page, origin())
      await signInButton(page).click()
      expect(await alert()).toBe(
        "This passkey is not accepted here. It may have been removed. Try another one, or choose another way to sign in.",
      )
      await expectNobody()
    })

    it("when the challenge was taken from the browser meanwhile, and it works at the next try", async () => {
      await signUp()
      await visitor.clearCookies()
      await openSignInQuietly(page, origin())
      await page.route("**/callback/passkey", async (route) => {
        await silenceAutofill(page)
        await visitor.clearCookies({ name: /challenge/ })
        await route.continue({ headers: { ...(await route.request().allHeaders()), cookie: await cookieHeader() } })
      })
      const silenced = nextSilence(page)
      await signInButton(page).click()
      expect(await alert()).toContain("That did not work, or took too long.")
      await silenced
      await page.unrouteAll()
      await signInButton(page).click()
      await expectAccount()
    })

    it("when the service cannot be reached", async () => {
      await openSignInQuietly(page, origin())
      await page.route("**/webauthn-options/**", (route) => route.abort())
      await signInButton(page).click()
      expect(await alert()).toContain("could not be reached. Check your connection and try again.")
    })
  })

  it("sign up somebody new, who is still there after a restart", async () => {
    const email = await signUp()
    expect(await passkeys().count()).toBe(1)
    await stage.restart()
    expect(await readWhoIsSignedIn(page, origin())).toContain(email)
    await visitor.clearCookies()
    await openSignInQuietly(page, origin())
    await signInButton(page).click()
    await expectAccount()
    expect(await readWhoIsSignedIn(page, origin())).toContain(email)
  })

  it("sign in with nothing typed, and count and date each use", async () => {
    await signUp()
    await visitor.clearCookies()
    await openSignInQuietly(page, origin())
    const [before = 0] = await device.counters()
    await signInButton(page).click()
    await expectAccount()
    expect((await device.counters())[0]).toBeGreaterThan(before)
    expect(await passkeys().textContent()).toContain("Last used")
  })

  it("sign in from the autofill of the address field, with no button pressed", async () => {
    const email = await signUp()
    await visitor.clearCookies()
    await openSignIn(page, origin())
    await expectAccount()
    expect(await readWhoIsSignedIn(page, origin())).toContain(email)
  })

  it("wait in the autofill for as long as the page is open", async () => {
    const email = await signUp()
    await visitor.clearCookies()
    await device.answerAtOnce(false)
    await shortenRequests(page)
    await openSignIn(page, origin())
    for (let time = 0; time < 3; time += 1) {
      await page.waitForResponse((response) => response.url().includes("/webauthn-options/"))
    }
    expect(await page.getByRole("alert").count()).toBe(0)
    await device.answerAtOnce(true)
    await expectAccount()
    expect(await readWhoIsSignedIn(page, origin())).toContain(email)
  })

  it("say on the button what is waited for", async () => {
    await device.answerAtOnce(false)
    await openSignIn(page, origin())
    await signInButton(page).click()
    const busy = page.getByRole("button", { name: "Waiting for your device…" })
    expect([await busy.getAttribute("aria-busy"), await busy.isVisible()]).toEqual(["true", true])
  })

  describe("on the account page", () => {
    it("are added beside another way to sign in, and lead to the same account", async () => {
      await openSignInQuietly(page, origin())
      await signInWithPassword(page)
      const id = await page.locator("dd code").textContent()
      await addPasskey().click()
      await expectAccount("?done=passkey-added")
      expect(await page.getByRole("status").textContent()).toContain("Your passkey was added.")
      await visitor.clearCookies()
      await openSignInQuietly(page, origin())
      await signInButton(page).click()
      await expectAccount()
      expect(await page.locator("dd code").textContent()).toBe(id)
    })

    it("are added once for each device: the second device gets one, the first no other", async () => {
      const email = await signUp()
      await addPasskey().click()
      expect(await alert()).toBe("This device already has a passkey for your account.")
      const other = await (await stage.visitor()).newPage()
      await addVirtualDevice(other)
      await other.context().addCookies(await visitor.cookies())
      await other.goto(`${origin()}/account`)
      await other.getByRole("button", { name: "Add another passkey" }).click()
      await other.waitForURL(`${origin()}/account?done=passkey-added`)
      expect(await other.getByRole("region", { name: "Passkeys" }).getByRole("listitem").count()).toBe(2)
      await other.context().clearCookies()
      await openSignInQuietly(other, origin())
      await signInButton(other).click()
      await other.waitForURL(`${origin()}/account`)
      expect(await readWhoIsSignedIn(other, origin())).toContain(email)
      await other.context().close()
    })

    it("get a name from their owner", async () => {
      await signUp()
      await page.getByLabel("Name of this passkey").fill("  Ann's <b>laptop</b> ")
      await page.getByRole("button", { name: "Save" }).click()
      expect(await page.getByRole("status").textContent()).toBe("The passkey has a new name.")
      expect(await passkeys().textContent()).toContain("Ann's <b>laptop</b>")
      await page.getByText("Rename Ann's").click()
      await page.getByLabel("Name of this passkey").fill("Laptop")
      await page.getByRole("button", { name: "Save" }).click()
      expect(await passkeys().textContent()).toMatch(/^Laptop/)
    })

    it("cannot be removed when they are the last way in, whatever is sent", async () => {
      await signUp()
      expect(await page.getByText("Your only proven way in, so it stays").count()).toBe(1)
      expect(await page.getByRole("button", { name: /^Remove/ }).count()).toBe(0)
      const id = await page.locator("input[name=id]").first().inputValue()
      for (const [path, form] of [
        ["/account/passkeys/remove", { id }],
        ["/account/unlink", { provider: "passkey", providerAccountId: id }],
      ] as const) {
        expect(await post(path, form)).toBe(`${origin()}/account?done=kept`)
      }
      await page.reload()
      expect(await passkeys().count()).toBe(1)
    })

    it("go one by one until one is left", async () => {
      await openSignInQuietly(page, origin())
      await signInWithDemoId(page, "Grace Hopper")
      await addPasskey().click()
      await expectAccount("?done=passkey-added")
      await page.getByRole("button", { name: /^Remove Demo ID account/ }).click()
      expect(await page.getByText("Your only proven way in, so it stays").count()).toBe(1)
      expect(await page.getByRole("button", { name: /^Remove/ }).count()).toBe(0)
    })

    it("are nobody else's to name or remove", async () => {
      await signUp()
      const id = await page.locator("input[name=id]").first().inputValue()
      await visitor.clearCookies()
      await openSignInQuietly(page, origin())
      await signInWithPassword(page)
      expect(await post("/account/passkeys/rename", { id, name: "Mine" })).toContain("done=passkey-not-named")
      expect(await post("/account/passkeys/remove", { id })).toContain("done=kept")
    })
  })

  describe("without scripts", () => {
    beforeEach(async () => {
      visitor = await stage.visitor({ javaScriptEnabled: false })
      page = await visitor.newPage()
    })

    /** Looking for text passes over `noscript`. */
    async function expectExplained(text: string): Promise<void> {
      const explanation = page.locator("noscript p")
      expect([await explanation.textContent(), await explanation.isVisible()]).toEqual([text, true])
    }

    it("are not offered, which the page says; every other way still works", async () => {
      await openSignIn(page, origin())
      expect(await signInButton(page).isVisible()).toBe(false)
      expect(await page.getByText("New here?").isVisible()).toBe(false)
      await expectExplained("To sign in with a passkey, JavaScript has to be switched on in this browser.")
      await signInWithPassword(page)
      expect(page.url()).toBe(`${origin()}/account`)
      expect(await addPasskey().isVisible()).toBe(false)
      await expectExplained("To add a passkey, JavaScript has to be switched on in this browser.")
    })
  })

  async function post(path: string, form: Record<string, string>): Promise<string> {
    const answer = await visitor.request.post(origin() + path, { form, headers: { origin: origin() } })
    return answer.url()
  }

  async function cookieHeader(): Promise<string> {
    return (await visitor.cookies(origin())).map(({ name, value }) => `${name}=${value}`).join("; ")
  }
})
