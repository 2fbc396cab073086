import { accountArea } from "@latchkey/core/account-area"
import { type Browser, fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openPasswords, password, signIn, strategies } from "../setup/password-setup.js"
import { type Answer, get, post } from "../setup/requests.js"

const page = { headers: { accept: "text/html" } }
const cookieName = "__Host-authjs.form-result"
const profile = "/auth/account/profile"
const wrongPicture = { action: "save", name: "Typed <b>", image: "javascript:1" }
const signUpPath = "/auth/password/sign-up"

/** The path and the query that a form led to. */
function targetOf({ location }: Answer): string {
  const { pathname, search } = new URL(location ?? "")
  return `${pathname}${search}`
}

const textOf = async (browser: Browser, path: string) => (await get(browser, path, page.headers)).text

describe.each(strategies)("a form that was refused, with %s sessions", (strategy) => {
  const open = () => openPasswords({ strategy, accountArea: accountArea() })

  it("PAGE-13: leads to a page that says why, with what was typed, however often it is loaded", async () => {
    const browser = await open().signUp()
    const answer = await post(browser, profile, wrongPicture, page)
    expect([answer.status, answer.text]).toEqual([302, ""])
    expect(answer.location).toMatch(/\/auth\/account\/profile\?refused=[\w-]{12}$/)
    const first = await get(browser, targetOf(answer), page.headers)
    expect([first.status, first.text]).toEqual([400, expect.stringContaining('value="Typed &lt;b>"')])
    expect(first.text).toContain('role="alert"')
    expect(await textOf(browser, targetOf(answer))).toBe(first.text)
    expect(await textOf(browser, profile)).not.toContain("Typed")
  })

  it("PAGE-13: is shown to its user alone, and in the session that sent it", async () => {
    const { host, signUp, adapter } = open()
    const browser = await signUp()
    const target = targetOf(await post(browser, profile, wrongPicture, page))
    const value = browser.cookies.get(cookieName) ?? ""
    const other = await signUp("eve@example.com")
    other.cookies.set(cookieName, value, { path: "/" })
    expect(await textOf(other, target)).not.toContain("Typed")
    const again = host.newBrowser()
    await signIn(again)
    again.cookies.set(cookieName, value, { path: "/" })
    again.cookies.set("__Host-authjs.csrf-token", browser.cookies.get("__Host-authjs.csrf-token") ?? "", { path: "/" })
    expect(await textOf(again, target)).not.toContain("Typed")
    expect(await textOf(browser, target)).toContain("Typed")
    expect((await adapter.getUserByEmail("ada@example.com"))?.name ?? null).toBeNull()
  })

  it("PAGE-13: is forgotten after ten minutes, and by the next sign-in of the browser", async () => {
    using clock = fixedClock()
    const { signUp } = open()
    const browser = await signUp()
    const target = targetOf(await post(browser, profile, wrongPicture, page))
    clock.advance({ minutes: 9 })
    expect(await textOf(browser, target)).toContain("Typed")
    clock.advance({ minutes: 2 })
    expect(await textOf(browser, target)).not.toContain("Typed")
    await post(browser, profile, wrongPicture, page)
    expect(browser.cookies.names()).toContain(cookieName)
    await signIn(browser)
    expect(browser.cookies.names()).not.toContain(cookieName)
  })
})

describe("a form of a visitor that was refused", () => {
  it("PAGE-13: is shown in the browser that sent it, and holds no password", async () => {
    const { host } = openPasswords()
    const { browser } = host
    const fields = { email: "new@example.com", name: "Typed", password: "short", callbackUrl: "/next" }
    const target = targetOf(await post(browser, signUpPath, fields, page))
    const text = await textOf(browser, target)
    expect(text).toContain('value="new@example.com"')
    expect(text).toContain('value="https://app.test/next"')
    expect(text).not.toContain('value="short"')
    const other = host.newBrowser()
    await other.open(signUpPath)
    other.cookies.set(cookieName, browser.cookies.get(cookieName) ?? "", { path: "/" })
    expect(await textOf(other, target)).not.toContain("new@example.com")
  })

  it("PAGE-13: is not shown by another page, nor by another id", async () => {
    const { browser } = openPasswords().host
    const fields = { email: "new@example.com", password: "short" }
    const target = targetOf(await post(browser, signUpPath, fields, page))
    expect(await textOf(browser, target.replace("sign-up", "forgot"))).not.toContain("new@example.com")
    expect(await textOf(browser, `${target.slice(0, -1)}~`)).not.toContain("new@example.com")
    expect(await textOf(browser, `${signUpPath}?after=${target.split("=")[1]}`)).toContain("new@example.com")
  })

  it("keeps the shortest of what is too long together, and the error", async () => {
    const { browser } = openPasswords({
      passwords: { fields: { about: { label: "About", maxLength: 400, validate: () => "Not this" } } },
    }).host
    const fields = { email: "new@example.com", name: "n".repeat(3000), about: "é".repeat(400), password }
    const answer = await post(browser, signUpPath, fields, page)
    const text = await textOf(browser, targetOf(answer))
    expect(text).toContain("Not this")
    expect(text).toContain('value="new@example.com"')
    expect(text).not.toContain("nnnn")
  })
})
