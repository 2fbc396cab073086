import { accountArea } from "@latchkey/core/account-area"
import { fakeIdentityProvider, fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { address, openPasswords, strategies } from "../setup/password-setup.js"

const linksOf = (page: {
  findAll(selector: string): readonly { text: string; attribute(name: string): string | undefined }[]
}) => page.findAll(".notice-links a").map((link) => [link.text, link.attribute("href")])

describe.each(strategies)("the sign-in page of a user with a %s session", (strategy) => {
  const open = async () => {
    const opened = openPasswords({ strategy })
    return { ...opened, browser: await opened.signUp() }
  }

  it("says who is signed in, and leads on or to the sign-out", async () => {
    const { browser } = await open()
    const page = await browser.open("/auth/signin?callbackUrl=/settings")
    expect(page.find('[role="status"]')?.text).toContain(`You are signed in as ${address}.`)
    const out = new URLSearchParams({
      callbackUrl: "https://app.test/auth/signin?callbackUrl=https%3A%2F%2Fapp.test%2Fsettings",
    })
    expect(linksOf(page)).toEqual([
      ["Continue", "https://app.test/settings"],
      ["Sign out", `https://app.test/auth/signout?${out}`],
    ])
    await browser.open(linksOf(page)[1]?.[1] ?? "")
    const end = await browser.submit("form")
    expect(end.url.pathname).toBe("/auth/signin")
    expect(end.text()).not.toContain("You are signed in")
  })

  it("has its forms as before, so that an app can ask for a new sign-in or link an account", async () => {
    const { host, browser } = await open()
    const [own, other] = [await browser.open("/auth/signin"), await host.newBrowser().open("/auth/signin")]
    const actions = (page: typeof own) => page.findAll("form").map((form) => form.attribute("action"))
    expect(actions(own)).toEqual(actions(other))
    expect(other.text()).not.toContain("notice")
  })

  it("asks for a new proof, and not for a sign-in, where a page needs one", async () => {
    const { browser } = await open()
    const page = await browser.open("/auth/signin?callbackUrl=/settings&error=SessionRequired")
    expect(page.text()).toContain("For your security, confirm it’s you before you continue.")
    expect(linksOf(page).map(([text]) => text)).toEqual(["Sign out"])
  })

  it("says which page of the service needs the proof, and repeats no text of the URL", async () => {
    const { browser } = await open()
    const ask = async (path: string) =>
      (await browser.open(`/auth/signin?error=SessionRequired&callbackUrl=${encodeURIComponent(path)}`)).find("strong")
    expect((await ask("/auth/password/change"))?.text).toBe("Change your password")
    for (const path of [
      "/auth/password/other",
      "/settings",
      "/auth/constructor",
      "https://evil.test/auth/password/change",
    ])
      expect([path, await ask(path)]).toEqual([path, null])
  })

  it("does not change the session, and sets no cookie of it", async () => {
    const { browser } = await open()
    const before = browser.cookies.list()
    await browser.open("/auth/signin")
    expect(browser.cookies.list().filter(({ name }) => name.includes("session-token"))).toEqual(
      before.filter(({ name }) => name.includes("session-token")),
    )
  })
})

describe("the sign-in page", () => {
  it("says nothing of a session that has ended or is forged", async () => {
    const { adapter, signUp } = openPasswords()
    const browser = await signUp()
    await adapter.endSessions?.({ userId: (await adapter.getUserByEmail(address))?.id ?? "" })
    expect((await browser.open("/auth/signin")).text()).not.toContain("You are signed in")
    browser.cookies.set("__Secure-authjs.session-token", "forged")
    expect((await browser.open("/auth/signin")).text()).not.toContain("You are signed in")
  })

  it("shows the name of a user as text", async () => {
    const idp = fakeIdentityProvider()
    const host = openHost({ providers: [idp.provider()], idp })
    idp.signInAs({ sub: "eve", name: "<b>Eve</b>" })
    await host.browser.signIn(idp.provider().id)
    const page = await host.browser.open("/auth/signin")
    expect(page.find('[role="status"]')?.text).toContain("You are signed in as <b>Eve</b>.")
    expect(page.text()).not.toContain("<b>Eve")
  })
})

describe("the page that asks for a new proof", () => {
  it("says which page of the service needs it, and repeats no text of the URL", async () => {
    using clock = fixedClock()
    const { signUp } = openPasswords({ accountArea: accountArea(), hasSecondFactor: true })
    const browser = await signUp()
    clock.advance({ minutes: 11 })
    const ask = async (path: string) =>
      (await browser.open(`/auth/confirm?callbackUrl=${encodeURIComponent(path)}`)).find("strong")?.text
    expect(await ask("/auth/account/delete?a=1")).toBe("Delete account")
    expect(await ask("/auth/account/<b>")).toBeUndefined()
    expect(await ask("/payments")).toBeUndefined()
  })
})
