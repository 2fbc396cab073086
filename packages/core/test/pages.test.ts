import { testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { get } from "./answers.js"
import { openHost } from "./hosts.js"
import { passwordProvider } from "./sign-ins.js"

const openFull = () =>
  openHost({
    session: { strategy: "jwt" },
    providers: ({ idp }) => [idp.provider({ name: "<b>Corp</b>" }), testEmail(), passwordProvider()],
  })

describe.each(["signin", "signout", "error", "verify-request"])("GET /%s", (page) => {
  it("keeps itself to this origin and out of caches and frames (PAGE-01, PAGE-02, PAGE-09, PAGE-11)", async () => {
    const { headers, text } = await get(openFull().browser, `/auth/${page}`)
    const policy = headers.get("content-security-policy") ?? ""
    for (const directive of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]) {
      expect(policy).toContain(directive)
    }
    expect(policy).not.toContain("unsafe-inline")
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
    })
    expect(text).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son[a-z]+=/i)
  })

  it("loads nothing from elsewhere (PAGE-08)", async () => {
    const { browser } = openFull()
    const shown = await browser.open(`/auth/${page}`)
    const loaded = ["link[href]", "img[src]", "script[src]"].flatMap((selector) => shown.findAll(selector))
    const addresses = loaded.map((element) => element.attribute("href") ?? element.attribute("src") ?? "")
    for (const address of addresses) expect(new URL(address, shown.url).origin).toBe("https://app.test")
  })
})

describe("GET /signin", () => {
  it("has a form for each way to sign in, as the contract names them", async () => {
    const { browser } = openFull()
    const page = await browser.open("/auth/signin?callbackUrl=/in")
    expect(page.title).toMatch(/Sign In/i)
    const csrfToken = await browser.csrfToken()
    const oidc = page.form('form[action$="/signin/oidc"]')
    expect([oidc.method, oidc.fields]).toEqual(["POST", { csrfToken, callbackUrl: "https://app.test/in" }])
    expect(oidc.buttons.map(({ text }) => text)).toEqual([expect.stringMatching(/Sign in with <b>Corp<\/b>$/)])
    expect(page.text()).not.toContain("<b>Corp")
    const email = page.form('form[action$="/signin/email"]')
    expect([email.fields["csrfToken"], email.names]).toEqual([csrfToken, expect.arrayContaining(["email"])])
    const address = page.find('form[action$="/signin/email"] input[name="email"]')
    expect([address?.attribute("type"), address?.attribute("required") !== undefined]).toEqual(["email", true])
    const password = page.form('form[action$="/callback/cred"]')
    expect(password.names).toEqual(expect.arrayContaining(["csrfToken", "u", "p"]))
    expect(page.find('input[name="p"]')?.attribute("type")).toBe("password")
  })

  it("completes a flow by its form alone", async () => {
    const { browser } = openFull()
    await browser.open("/auth/signin?callbackUrl=/in")
    const page = await browser.submit('form[action$="/signin/oidc"]')
    expect(page.url.href).toBe("https://app.test/in")
  })

  it.each(["OAuthAccountNotLinked", "EmailSignin", "CredentialsSignin", "SessionRequired"])(
    "has words of its own for %s",
    async (error) => {
      const { browser } = openFull()
      const general = (await browser.open("/auth/signin?error=Unheard")).find('[role="alert"]')?.text ?? "missing"
      const plain = (await browser.open("/auth/signin")).find("main")?.text ?? "missing"
      const own = (await browser.open(`/auth/signin?error=${error}`)).find("main")?.text
      expect(own).not.toBe(plain)
      expect(own).not.toContain(general)
    },
  )
})

describe("GET /signout", () => {
  it("asks by a form that signs out", async () => {
    const { browser } = openFull()
    await browser.signIn("oidc")
    const page = await browser.open("/auth/signout")
    expect(page.title).toMatch(/Sign Out/i)
    await browser.submit('form[action$="/signout"]')
    expect(await browser.session()).toBeNull()
  })
})
