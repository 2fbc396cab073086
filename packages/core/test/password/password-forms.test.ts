import type { Page } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { address, forget, newPassword, openPasswords, password, signIn } from "../setup/password-setup.js"

const refused = "short"

/** The field that has the focus: it is marked as wrong, and described by the error. */
function wrongField(page: Page) {
  const marked = page.findAll('[aria-invalid="true"]')
  const field = page.find("[autofocus]")
  expect(marked.map((each) => each.attribute("id"))).toEqual([field?.attribute("id")])
  const ids = field?.attribute("aria-describedby")?.split(" ") ?? []
  for (const id of ids) expect(page.find(`#${id}`)).not.toBeNull()
  return { name: field?.attribute("name"), ids }
}

describe("a refused password", () => {
  it("is marked on the page of a new account, and what else was typed stays", async () => {
    const { host } = openPasswords()
    const { browser } = host
    await browser.open("/auth/password/sign-up")
    const page = await browser.submit("form", { email: address, name: "Ada", password: refused })
    expect(wrongField(page)).toEqual({ name: "password", ids: ["notice", "password-hint"] })
    expect(page.form("form").fields).toMatchObject({ email: address, name: "Ada", password: "" })
  })

  it("is marked where the link of a new account was opened elsewhere", async () => {
    const { host, lastTo } = openPasswords()
    const { browser } = host
    await browser.open("/auth/password/sign-up")
    await browser.submit("form", { email: address, password })
    const other = host.newBrowser()
    await other.open(lastTo(address).link)
    expect(wrongField(await other.submit("form", { password: refused })).name).toBe("password")
  })

  it.each(["code", "link"])("is marked at a reset by %s, and the code stays", async (by) => {
    const { host, lastTo, signUp } = openPasswords()
    await signUp()
    const { browser } = host
    await forget(browser)
    const { code, link } = lastTo(address)
    await browser.open(by === "code" ? "/auth/password/reset" : link)
    const page = await browser.submit("form", { ...(by === "code" && { code }), password: refused })
    expect(wrongField(page)).toEqual({ name: "password", ids: ["notice", "password-hint"] })
    expect(page.find('input[name="code"]')?.attribute("value")).toBe(by === "code" ? code : undefined)
    const end = await browser.submit("form", { password: newPassword })
    expect(end.url.pathname).toBe("/")
    expect((await browser.session())?.user?.email).toBe(address)
  })

  it("is marked where a signed-in user changes it", async () => {
    const { signUp } = openPasswords()
    const browser = await signUp()
    await browser.open("/auth/password/change")
    const wrong = await browser.submit("form", { current: "wrong", password: newPassword })
    expect(wrongField(wrong)).toEqual({ name: "current", ids: ["notice"] })
    const short = await browser.submit("form", { current: password, password: refused })
    expect(wrongField(short)).toEqual({ name: "password", ids: ["notice", "password-hint"] })
  })

  it("is marked where a user without one adds it, and the code stays", async () => {
    const { adapter, host, lastTo, signUp } = openPasswords()
    const browser = await signUp()
    const user = await adapter.getUserByEmail?.(address)
    await adapter.deletePassword?.(user?.id ?? "")
    void host
    await browser.open("/auth/password/change")
    await browser.submit("form")
    const { code } = lastTo(address)
    const page = await browser.submit("form", { code, password: refused })
    expect(wrongField(page)).toEqual({ name: "password", ids: ["notice", "password-hint"] })
    expect(page.find('input[name="code"]')?.attribute("value")).toBe(code)
  })
})

describe("a refused code", () => {
  it("is marked and has to be typed again", async () => {
    const { host, signUp } = openPasswords()
    await signUp()
    const { browser } = host
    await forget(browser)
    await browser.open("/auth/password/reset")
    const page = await browser.submit("form", { code: "12", password: newPassword })
    expect(wrongField(page)).toEqual({ name: "code", ids: ["notice"] })
    expect(page.find('input[name="code"]')?.attribute("value")).toBeUndefined()
  })

  it("is shown as text when a password is refused with it", async () => {
    const { host, signUp } = openPasswords()
    await signUp()
    const { browser } = host
    await forget(browser)
    await browser.open("/auth/password/reset")
    const code = '"><script>alert(1)</script>'
    const page = await browser.submit("form", { code, password: refused })
    expect(page.text()).not.toContain("<script>")
    expect(page.find('input[name="code"]')?.attribute("value")).toBe(code)
  })
})

describe("the pages for a mail with a code", () => {
  it.each(["forgot", "sign-up"])("know the address that %s mailed", async (page) => {
    const { host } = openPasswords()
    const { browser } = host
    await browser.open(`/auth/password/${page}`)
    const sent = await browser.submit("form", { email: address, ...(page === "sign-up" && { password }) })
    const again = sent.findAll("a").find(({ text }) => text === "Use another address")
    const form = await browser.open(again?.attribute("href") ?? "")
    expect(form.find('input[name="email"]')?.attribute("value")).toBe(address)
    expect(form.url.href).not.toContain("ada")
  })

  it("know the address of a sign-in that failed", async () => {
    const { host } = openPasswords()
    await host.browser.open("/auth/signin")
    await signIn(host.browser, "wrong")
    const form = await host.browser.open("/auth/password/forgot")
    expect(form.find('input[name="email"]')?.attribute("value")).toBe(address)
  })
})
