import Passkey from "@latchkey/core/providers/passkey"
import type { PasswordsOptions } from "@latchkey/core/providers/passwords"
import { type Browser, fakeIdentityProvider, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { address, isSignedIn, openPasswords, password, strategies } from "../setup/password-setup.js"
import { get, post } from "../setup/requests.js"

const open = (strategy: (typeof strategies)[number] = "jwt", others: Parameters<typeof openPasswords>[0] = {}) =>
  openPasswords({ strategy, others: [testEmail({ code: true })], ...others })

/** Types who signs in, on the first page. */
async function type(browser: Browser, email: string) {
  await browser.open("/auth/signin")
  return browser.submit('form[action$="/auth/signin"]', { email })
}

const valuesCookie = "__Secure-authjs.form-values"

const textOf = (page: { text(): string }): string =>
  page
    .text()
    .replace(/value="[0-9a-f|%]{60,}"/g, 'value="token"')
    .replace(/placeholder[0-9a-f]+/g, "")

describe.each(strategies)("the sign-in page of an app with passwords and emails, with %s sessions", (strategy) => {
  it("asks for the person first, and then signs in with a password", async () => {
    const { host, signUp } = open(strategy)
    await signUp()
    const browser = host.newBrowser()
    const first = await browser.open("/auth/signin?callbackUrl=/in")
    expect(first.findAll("form[action]").map((form) => form.attribute("action"))).toEqual([
      "https://app.test/auth/signin",
    ])
    const second = await browser.submit('form[action$="/auth/signin"]', { email: address })
    expect(second.url.href).toBe("https://app.test/auth/signin?step=2")
    expect(second.form('form[action$="/callback/password"]').fields).toMatchObject({ email: address, password: "" })
    const end = await browser.submit('form[action$="/callback/password"]', { password })
    expect(end.url.pathname).toBe("/in")
    expect((await browser.session())?.user?.email).toBe(address)
    expect(host.leaks()).toEqual([])
  })

  it("signs in with an email", async () => {
    const { host } = open(strategy)
    const { browser, mailbox } = host
    await type(browser, "eve@example.com")
    const sent = await browser.submit('form[action$="/signin/email"]')
    expect(sent.url.pathname).toBe("/auth/verify-request")
    await browser.open(mailbox.lastLink())
    expect((await browser.session())?.user?.email).toBe("eve@example.com")
  })

  it("STEP-01: shows the same for an address with an account as for one without", async () => {
    const { host, signUp } = open(strategy)
    await signUp()
    const known = await type(host.newBrowser(), address)
    const unknown = await type(host.newBrowser(), "eve@example.com")
    expect(known.status).toBe(unknown.status)
    expect(textOf(known).replaceAll(address, "X")).toBe(textOf(unknown).replaceAll("eve@example.com", "X"))
  })
})

describe("the second step of the sign-in page", () => {
  it("STEP-02: the typed address is forgotten when the session starts, by whatever method", async () => {
    const idp = fakeIdentityProvider()
    const { host, signUp } = openPasswords({ others: [testEmail({ code: true }), idp.provider()], idp })
    const ways: Readonly<Record<string, (browser: Browser) => Promise<unknown>>> = {
      password: (browser) => browser.submit('form[action$="/callback/password"]', { password }),
      link: async (browser) => {
        await browser.submit('form[action$="/signin/email"]')
        return browser.open(host.mailbox.lastLink())
      },
      code: async (browser) => {
        await browser.submit('form[action$="/signin/email"]')
        return browser.submit('form[action$="/callback/email"]', { code: host.mailbox.lastCode() })
      },
      "identity provider": (browser) => browser.signIn(idp.provider().id),
    }
    await signUp()
    idp.signInAs({ sub: "eve-1", name: "Eve", email: "eve@example.com", email_verified: true })
    for (const [name, signIn] of Object.entries(ways)) {
      const browser = host.newBrowser()
      await type(browser, address)
      expect([name, browser.cookies.names()]).toEqual([name, expect.arrayContaining([valuesCookie])])
      await signIn(browser)
      expect([name, await isSignedIn(browser)]).toEqual([name, true])
      expect([name, browser.cookies.names()]).not.toEqual([name, expect.arrayContaining([valuesCookie])])
    }
  })

  it("STEP-02: does not show an address that was typed in another browser, whose cookie a sibling subdomain planted", async () => {
    const { host } = open()
    const other = host.newBrowser()
    expect((await type(other, "mal@example.com")).text()).toContain("mal@example.com")
    const planted = other.cookies.list().find(({ name }) => name.endsWith("form-values"))
    for (const browser of [host.newBrowser(), host.newBrowser()]) {
      if (planted) browser.cookies.set(planted.name, planted.value, { path: "/auth/signin" })
      expect((await browser.open("/auth/signin?step=2")).text()).not.toContain("mal@example.com")
      await type(browser, address)
      expect((await browser.open("/auth/signin?step=2")).text()).toContain(address)
    }
    expect(planted).toBeDefined()
  })

  it("STEP-01: offers a new account to every address alike, unless the app creates none", async () => {
    const { host, signUp } = open()
    await signUp()
    for (const email of [address, "eve@example.com"]) {
      const page = await type(host.newBrowser(), email)
      expect(page.find('a[href$="/password/sign-up"]')?.text).toBe("New here? Create an account")
    }
    const closed = open("jwt", { passwords: { signUp: false } })
    expect((await type(closed.host.browser, address)).find('a[href$="sign-up"]')).toBeNull()
  })

  it("shows the error and the address again when it is reloaded after a wrong password", async () => {
    const { host, signUp } = open()
    await signUp()
    const { browser } = host
    await type(browser, address)
    const failed = await browser.submit('form[action$="/callback/password"]', { password: "wrong" })
    for (const page of [failed, await browser.open(failed.url.href), await browser.open(failed.url.href)]) {
      const form = 'form[action$="/callback/password"]'
      expect(page.form(form).fields).toMatchObject({ email: address, password: "" })
      expect(page.find(`${form} [role="alert"]`)?.text).toContain("That sign-in did not work")
      expect(page.url.href).not.toContain("ada")
    }
  })

  it("shows the error of another sign-in where it belongs, while what was typed is still kept", async () => {
    const { host } = open()
    const { browser } = host
    await type(browser, address)
    await browser.submit('form[action$="/callback/password"]', { password: "wrong" })
    const page = await browser.open("/auth/signin?error=OAuthSignin")
    expect(page.find('[role="alert"]')?.text).toContain("The sign-in service did not respond")
  })

  it.each(["/auth/password/forgot", "/auth/password/sign-up"])(
    "STEP-02: brings the typed address to %s",
    async (path) => {
      const { host } = open()
      const { browser } = host
      await type(browser, address)
      const page = await browser.open(path)
      expect(page.find('input[name="email"]')?.attribute("value")).toBe(address)
      expect(page.find("[autofocus]")?.attribute("name")).toBe(path.endsWith("forgot") ? undefined : "name")
      const other = await host.newBrowser().open(path)
      expect(other.find('input[name="email"]')?.attribute("value")).toBeUndefined()
      await type(browser, "ada")
      expect((await browser.open(path)).find('input[name="email"]')?.attribute("value")).toBeUndefined()
    },
  )

  it("STEP-02: has the address in a sealed cookie, not in a URL", async () => {
    const { host } = open()
    const { browser } = host
    const page = await type(browser, address)
    for (const { url } of page.hops) expect(url.href).not.toContain("ada")
    const answer = await post(browser, "/auth/signin", { email: address })
    const cookies = answer.headers.getSetCookie().filter((line) => line.startsWith(valuesCookie))
    expect(cookies.map((line) => /path=([^;]+)/i.exec(line)?.[1])).toEqual(["/auth/signin", "/auth/password"])
    for (const line of cookies) {
      expect(line).not.toContain("ada")
      expect(line.toLowerCase()).toMatch(/httponly.*samesite=lax/)
    }
    expect(answer.location).toBe("https://app.test/auth/signin?step=2")
  })

  it("STEP-03: needs the CSRF token", async () => {
    const { host } = open()
    const answer = await host.handler(
      new Request("https://app.test/auth/signin", { method: "POST", body: new URLSearchParams({ email: address }) }),
    )
    expect(answer.headers.get("location")).toContain("error=MissingCSRF")
    expect(answer.headers.getSetCookie().join()).not.toContain("form-values")
  })

  it("STEP-04: shows what was typed as text, and ignores a forged cookie", async () => {
    const { host } = open()
    const page = await type(host.browser, '"><script>alert(1)</script>@x')
    expect(page.text()).not.toContain("<script>alert")
    const forged = await host.handler(
      new Request("https://app.test/auth/signin?step=2", {
        headers: { cookie: "__Secure-authjs.form-values=forged" },
      }),
    )
    expect(await forged.text()).toContain(">Continue<")
  })

  it("asks once on the page of an app with passkeys, too, whether the visitor is new", async () => {
    const asks = async (passwords: Partial<PasswordsOptions>) => {
      const { browser } = openPasswords({
        passwords,
        others: [testEmail(), Passkey()],
      }).host
      return (await browser.open("/auth/signin")).text().match(/New here\? [\w ]+/g)
    }
    expect(await asks({})).toEqual(["New here? Create an account"])
    expect(await asks({ signUp: false })).toEqual(["New here? Create a passkey"])
  })

  it("stays after a reload, and can be left", async () => {
    const { browser } = open().host
    await type(browser, address)
    const again = await browser.open("/auth/signin?step=2")
    expect(again.find("input[name=password]")).not.toBeNull()
    const first = await browser.open("/auth/signin")
    expect(first.find("input[name=password]")).toBeNull()
    expect(first.find("input[name=email]")?.attribute("value")).toBeUndefined()
  })

  it("shows a wrong password there, with the address kept", async () => {
    const { host, signUp } = open()
    await signUp()
    const browser = host.newBrowser()
    await type(browser, address)
    const page = await browser.submit('form[action$="/callback/password"]', { password: "wrong words here" })
    expect(page.url.searchParams.get("error")).toBe("CredentialsSignin")
    expect(page.find("[role=alert]")?.text).toContain("That sign-in did not work.")
    expect(page.form('form[action$="/callback/password"]').fields["email"]).toBe(address)
    expect(page.find("input[name=password]")?.attribute("autofocus")).not.toBeUndefined()
  })

  it("offers no mail for a user name", async () => {
    const { host } = open("jwt", { passwords: { find: () => null } })
    const page = await type(host.browser, "ada")
    expect(page.find('form[action$="/callback/password"]')).not.toBeNull()
    expect(page.find('form[action$="/signin/email"]')).toBeNull()
  })

  it("is skipped without a field: the sign-in page is shown, as in the contract", async () => {
    const { browser } = open().host
    expect((await post(browser, "/auth/signin", {})).location).toBe("https://app.test/auth/signin")
    expect((await post(browser, "/auth/signin", { email: "x".repeat(500) })).location).toBe(
      "https://app.test/auth/signin",
    )
  })

  it("keeps the fields that password managers fill in", async () => {
    const { browser } = open().host
    const first = await browser.open("/auth/signin")
    expect(first.find("input[name=email]")?.attribute("autocomplete")).toBe("username")
    const second = await type(browser, address)
    const field = second.find("input[name=email]")
    expect([field?.attribute("autocomplete"), field?.attribute("readonly")]).toEqual(["username", ""])
    expect(second.find("input[name=password]")?.attribute("autocomplete")).toBe("current-password")
  })
})

describe("the provider that was chosen last", () => {
  const openWith = (theme?: { rememberProvider: boolean }) =>
    openHost({
      ...(theme && { theme }),
      providers: ({ idp }) => [idp.provider({ id: "one", name: "One" }), idp.provider({ id: "two", name: "Two" })],
    })
  const orderOf = (text: string) => [...text.matchAll(/data-provider="(\w+)"/g)].map(([, id]) => id)

  it("comes first if the theme says so, in this browser only", async () => {
    const host = openWith({ rememberProvider: true })
    const { cookies } = await post(host.browser, "/auth/signin/two")
    const cookie = cookies.get("__Secure-authjs.last-provider")
    expect(cookie?.value).toBe("two")
    expect(cookie?.attributes).toEqual(expect.arrayContaining(["HttpOnly", "Secure", "Path=/auth/signin"]))
    const { text } = await get(host.browser, "/auth/signin")
    expect(orderOf(text)).toEqual(["two", "one"])
    expect(text).toContain("Last used")
    const other = await get(host.newBrowser(), "/auth/signin")
    expect(orderOf(other.text)).toEqual(["one", "two"])
  })

  it("STEP-05: is ignored unless it is configured: a planted cookie changes nothing", async () => {
    const { handler } = openWith({ rememberProvider: true })
    for (const value of ["three", "constructor", "%3Cscript%3E", ""]) {
      const headers = { cookie: `__Secure-authjs.last-provider=${value}` }
      const text = await (await handler(new Request("https://app.test/auth/signin", { headers }))).text()
      expect(orderOf(text)).toEqual(["one", "two"])
      expect(text).not.toMatch(/Last used|<script>/)
    }
  })

  it("is not remembered by default", async () => {
    const host = openWith()
    expect([...(await post(host.browser, "/auth/signin/two")).cookies.keys()].join()).not.toContain("last-provider")
  })
})

describe("forms of the contract on an app with two steps", () => {
  it("still work: a client posts the password or asks for an email at once", async () => {
    const { host, signUp } = open()
    await signUp()
    const browser = host.newBrowser()
    await browser.signIn("password", { email: address, password })
    expect((await browser.session())?.user?.email).toBe(address)
    const { location } = await post(host.newBrowser(), "/auth/signin/email", { email: address })
    expect(location).toContain("/auth/verify-request?provider=email")
  })

  it("are all on the page if there are two email providers", async () => {
    const others = [testEmail({ id: "one", name: "one" }), testEmail({ id: "two", name: "two" })]
    const { browser } = open("jwt", { others }).host
    const { text } = await get(browser, "/auth/signin")
    for (const action of ["signin/one", "signin/two", "callback/password"]) expect(text).toContain(`/auth/${action}"`)
  })
})
