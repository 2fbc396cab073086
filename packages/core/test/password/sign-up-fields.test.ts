import type { AdapterUser } from "@latchkey/core/adapters"
import Passwords, { type PasswordsOptions } from "@latchkey/core/providers/passwords"
import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { getService } from "../../src/auth.js"
import { address, openPasswords, password } from "../setup/password-setup.js"
import { ask, postForm } from "../setup/requests.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const path = "/auth/password/sign-up"
const theme = { links: { terms: "/terms", privacy: "https://site.example/privacy" } }
const fields = {
  company: { label: "Company <b>", required: true, maxLength: 20, autocomplete: "organization" },
  site: { label: "Website", type: "url", validate: (url: string) => (url.includes("bad") ? "Not that one" : null) },
  born: { label: "Birthday", type: "date" },
  seats: { label: "Seats", type: "number" },
} as const

const open = () => {
  const opened = openPasswords({ theme, passwords: { fields, terms: "termsAcceptedAt" } })
  const stored = async () => (await opened.adapter.getUserByEmail(address)) as Record<string, unknown> | null
  return { ...opened, stored }
}
const right = { email: address, password, company: "Engines", terms: "on" }

describe("the questions of a sign-up", () => {
  it("PASS-11: are stored with the user, with the moment of the consent, and nothing else is", async () => {
    const { host, lastTo, stored } = open()
    const { browser } = host
    await browser.open(path)
    const typed = { site: "https://ada.example", born: "1815-12-10", seats: "12", role: "admin", id: "u-1" }
    await postForm(browser, path, { ...right, ...typed, emailVerified: "1", __proto__: "x", constructor: "x" })
    await postForm(browser, path, { code: lastTo(address).code, company: "Other", role: "admin" })
    const user = await stored()
    expect(user).toMatchObject({
      email: address,
      company: "Engines",
      site: "https://ada.example",
      born: "1815-12-10",
      seats: "12",
    })
    expect(user?.["termsAcceptedAt"]).toBeInstanceOf(Date)
    expect(Object.keys(user ?? {})).not.toContain("role")
    expect(user?.["id"]).not.toBe("u-1")
    expect(host.events.of("createUser")[0]).toMatchObject({ user: { company: "Engines" } })
  })

  it("PASS-11: are missed in the log, once, if the adapter keeps none of them", async () => {
    const adapter = memoryAdapter()
    const forgets = async (user: AdapterUser) => {
      const { company: _, termsAcceptedAt: __, ...known } = { company: "", termsAcceptedAt: "", ...user }
      return adapter.createUser(known)
    }
    for (const createUser of [adapter.createUser, forgets]) {
      const override = { createUser }
      const { host, lastTo } = openPasswords({
        theme,
        adapter,
        override,
        passwords: { fields, terms: "termsAcceptedAt" },
      })
      const { browser } = host
      await browser.open(path)
      await postForm(browser, path, right)
      await postForm(browser, path, { code: lastTo(address).code })
      const lost = host.logger.warnings.filter((code) => code === "user-field-lost")
      expect(lost).toHaveLength(createUser === forgets ? 1 : 0)
      await adapter.deleteUser((await adapter.getUserByEmail(address))?.id ?? "")
    }
  })

  it("PASS-11: are asked again where the link is opened in another browser: the first answers are anyone's", async () => {
    const { host, lastTo, stored } = open()
    await postForm(host.newBrowser(), path, { ...right, company: "Evil" })
    const { browser } = host
    const page = await browser.open(lastTo(address).link)
    expect(page.find("input[name=company]")).not.toBeNull()
    await browser.submit("form", { password, company: "" })
    expect(await stored()).toBeNull()
    await browser.submit("form", { password, company: "Engines" })
    expect(browser.page?.find("[role=alert]")?.text).toBe("To create an account, agree to the terms of service.")
    expect(await stored()).toBeNull()
    await browser.submit("form", { password, company: "Engines", terms: "on" })
    expect(await stored()).toMatchObject({ company: "Engines", termsAcceptedAt: expect.any(Date) })
  })

  it.each<readonly [object, string, string]>([
    [{ terms: undefined }, "terms", "To create an account, agree to the terms of service."],
    [{ terms: "off" }, "terms", "To create an account, agree to the terms of service."],
    [{ company: " " }, "company", "Check this field and try again."],
    [{ company: "x".repeat(21) }, "company", "Check this field and try again."],
    [{ site: "javascript:alert(1)" }, "site", "Check this field and try again."],
    [{ site: "https://bad.example" }, "site", "Not that one"],
    [{ born: "2026-02-30" }, "born", "Check this field and try again."],
    [{ seats: "many" }, "seats", "Check this field and try again."],
  ])(
    "PASS-11: refuse %j on the page, which marks the field and keeps what was typed, and as JSON",
    async (change, name, text) => {
      const { host, mails } = open()
      const { browser } = host
      await browser.open(path)
      const typed = { ...right, site: "https://ada.example", ...change }
      const given = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== undefined))
      const { text: page, status } = await postForm(browser, path, given, { headers: { accept: "text/html" } })
      expect(status).toBe(400)
      expect(page).toContain(text)
      expect(page).toMatch(new RegExp(`<input[^>]*aria-invalid="true"[^>]* name="${name}"`))
      if (name !== "company") expect(page).toContain('value="Engines"')
      expect(page).not.toContain(password)
      expect(page).toContain("Company &lt;b>")
      const json = await postForm(browser, path, given, { headers: { accept: "application/json" } })
      expect(json.json()).toMatchObject({
        error: "InvalidRequest",
        field: name,
        code: name === "terms" ? "terms" : "field",
      })
      expect(mails).toEqual([])
    },
  )

  it.each([[["a", "b"]], [{ length: 1 }], [5], [true]])("refuse %j in place of a text", async (company) => {
    const { host, mails } = open()
    const csrfToken = await host.browser.csrfToken()
    const cookie = cookiesOf(host.browser)
    const answer = await ask(host, path, { cookie, json: { csrfToken, ...right, company } })
    expect([answer.status, mails]).toEqual([400, []])
    const fine = await ask(host, path, { cookie, json: { csrfToken, ...right, terms: true } })
    expect([fine.status, mails.length]).toEqual([200, 1])
  })

  it("escape what was typed", async () => {
    const { host } = open()
    const page = await postForm(
      host.browser,
      path,
      { ...right, terms: "", company: '"><b>' },
      { headers: { accept: "text/html" } },
    )
    expect(page.text).toContain('value="&quot;>&lt;b>"')
  })

  it.each([
    [{ email: { label: "x" } }, /providers\.password\.fields: has a name that cannot be used: "email"/],
    [{ emailVerified: { label: "x" } }, /"emailVerified"/],
    [{ id: { label: "x" } }, /"id"/],
    [{ password: { label: "x" } }, /"password"/],
    [{ constructor: { label: "x" } }, /"constructor"/],
    [JSON.parse('{"__proto__":{"label":"x"}}'), /"__proto__"/],
    [{ "a b": { label: "x" } }, /"a b"/],
    [{ company: { label: "" } }, /company: label must be a text/],
    [{ company: { label: "x", type: "password" } }, /company: type must be/],
    [{ company: { label: "x", maxLength: 500 } }, /at most 400 characters together/],
    [{ company: 1 }, /company: must be an object/],
  ])("are refused when the service starts: %j", (wrong, sentence) => {
    expect(findMistake({ fields: wrong as never })).toMatch(sentence)
  })

  it("need a link to the terms that visitors agree to", () => {
    expect(findMistake({ terms: "termsAcceptedAt" })).toContain("Set theme.links.terms")
    expect(findMistake({ terms: "email" })).toContain("the name of a field of the user")
  })
})

const findMistake = (options: Partial<PasswordsOptions>) => {
  const providers = [Passwords({ mail: { send: () => {} }, ...options })]
  const secret = "a secret of at least thirty-two characters"
  return getService({ providers, secret, trustHost: true, adapter: memoryAdapter() }).mistake?.message
}
