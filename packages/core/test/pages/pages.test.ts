import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { memoryAdapter, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import type { EmailConfig } from "../../src/types/providers.js"
import { openHost } from "../setup/hosts.js"
import { ask, get, post } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

const openFull = () =>
  openHost({
    session: { strategy: "jwt" },
    providers: ({ idp }) => [idp.provider({ name: "<b>Corp</b>" }), testEmail(), passwordProvider()],
  })

const shown = [
  "signin",
  "signin?error=OAuthAccountNotLinked&email=v@corp.test&callbackUrl=/in",
  "signout",
  "error",
  "error?error=Configuration",
  "error?error=AccessDenied",
  "error?error=Verification",
  "verify-request",
  "verify-request?provider=email&type=email",
]

/** Directives of a page's content security policy by name. */
function policyOf(headers: Headers): ReadonlyMap<string, string> {
  const directives = (headers.get("content-security-policy") ?? "").split("; ")
  return new Map(directives.map((text) => [text.split(" ", 1)[0] ?? "", text.split(" ").slice(1).join(" ")]))
}

describe.each(shown)("GET /%s", (page) => {
  it("PAGE-01: sends headers that restrict it to its origin and forbid caching and framing", async () => {
    const { headers } = await get(openFull().browser, `/auth/${page}`)
    const policy = policyOf(headers)
    expect(Object.fromEntries(policy)).toMatchObject({
      "default-src": "'none'",
      "frame-ancestors": "'none'",
      "base-uri": "'none'",
      "form-action": expect.stringMatching(/^'self'( https:)?( https?:\/\/\S+)*$/),
    })
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cache-control": "no-store",
    })
  })

  it("PAGE-02: has no inline scripts, styles or event handlers, and a policy that forbids them", async () => {
    const { headers, text } = await get(openFull().browser, `/auth/${page}`)
    expect(headers.get("content-security-policy")).not.toMatch(/unsafe-|nonce-|strict-dynamic|\*/)
    expect(text).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son[a-z]+=|javascript:/i)
  })

  it("PAGE-08: loads nothing from other origins, and neither does its stylesheet", async () => {
    const { browser } = openFull()
    const opened = await browser.open(`/auth/${page}`)
    const loaded = ["link[href]", "img[src]", "script[src]", "iframe", "object", "source"].flatMap((selector) =>
      opened.findAll(selector),
    )
    const addresses = loaded.map((element) => element.attribute("href") ?? element.attribute("src") ?? "missing:")
    expect(addresses.length).toBeGreaterThan(0)
    for (const address of addresses) {
      const url = new URL(address, opened.url)
      expect(url.origin).toBe("https://app.test")
      const asset = await get(browser, `${url.pathname}${url.search}`)
      expect([asset.status, asset.headers.get("x-content-type-options")]).toEqual([200, "nosniff"])
      expect(asset.text).not.toMatch(/url\(|@import|https?:\/\/(?!www\.w3\.org)/)
    }
  })

  it("PAGE-09: is served as HTML in UTF-8", async () => {
    const { headers } = await get(openFull().browser, `/auth/${page}`)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
  })
})

describe("error page of an invalid configuration", () => {
  it("PAGE-01, PAGE-02, PAGE-09: has the same headers and restrictions as other pages", async () => {
    const { headers, text, status } = await get(openHost({ secret: "" }).browser, "/auth/signin")
    expect([status, headers.get("content-type")]).toEqual([500, "text/html; charset=utf-8"])
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    })
    expect(Object.fromEntries(policyOf(headers))).toMatchObject({
      "default-src": "'none'",
      "frame-ancestors": "'none'",
      "base-uri": "'none'",
    })
    expect(text).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son[a-z]+=/i)
  })
})

describe("GET /signout in another site's frame", () => {
  it("PAGE-11: is blocked by old and new browsers", async () => {
    const { headers } = await get(openFull().browser, "/auth/signout")
    expect(policyOf(headers).get("frame-ancestors")).toBe("'none'")
    expect(headers.get("x-frame-options")).toBe("DENY")
  })
})

describe("theme and provider options on pages", () => {
  const colors = [
    "red}</style><script>1</script>",
    "red;background:url(https://evil.test)",
    "url(javascript:1)",
    "expression(alert(1))",
    "\\65 vil",
    "/**/red",
  ]

  it.each(colors)("PAGE-06: ignore the color %j", async (color) => {
    const host = openHost({
      theme: { brandColor: color, buttonText: color, logo: "javascript:1" },
      providers: ({ idp }) => [idp.provider({ style: { brandColor: color } })],
    })
    const page = await get(host.browser, "/auth/signin")
    const href = /href="([^"]*style\.css[^"]*)"/.exec(page.text)?.[1] ?? "missing"
    const css = await get(host.browser, new URL(href, "https://app.test").pathname)
    expect([page.status, css.status, css.headers.get("content-type")]).toEqual([200, 200, "text/css; charset=utf-8"])
    const plain = await get(openHost().browser, "/auth/style.css")
    expect(css.text).toBe(plain.text)
    expect(page.text).not.toMatch(/javascript:|<script(?![^>]*\ssrc=)|evil|expression/)
  })

  it.each(["javascript:1", "JaVaScRiPt:1", " javascript:1", "data:text/html,<script>1</script>", "vbscript:x"])(
    "PAGE-06: ignore the logo %j",
    async (logo) => {
      const { text, headers } = await get(openHost({ theme: { logo } }).browser, "/auth/signin")
      expect(text).not.toContain("<img")
      expect(text.toLowerCase()).not.toContain(logo.trim().toLowerCase().slice(0, 8))
      expect(policyOf(headers).get("img-src")).toBe("'self' data:")
    },
  )

  it.each(["https://cdn.test/logo.svg", "/logo.svg"])("PAGE-06: show the logo %j", async (logo) => {
    const page = await openHost({ theme: { logo } }).browser.open("/auth/signin")
    expect(page.findAll("img").map((image) => image.attribute("src"))).toEqual([logo])
  })

  it("PAGE-07: escape names, labels and logo URLs of providers", async () => {
    const logo = `https://cdn.test/x.svg"onerror="alert(1)'><b>`
    const name = `<b>x</b>"'&amp;`
    const host = openHost({
      providers: ({ idp }) => [
        idp.provider({ name, style: { logo } }),
        { ...testEmail(), name },
        passwordProvider({ name, credentials: { 'u"><b>': { label: "<b>L</b>", placeholder: '"><b>P' } } }),
      ],
      session: { strategy: "jwt" },
    })
    const { text } = await get(host.browser, "/auth/signin")
    expect(text).not.toMatch(/<b[>\s]|"\s*onerror/)
    const page = await host.browser.open("/auth/signin")
    const [image] = page.findAll("img")
    expect(image?.attribute("onerror")).toBeUndefined()
    expect(page.form('form[action$="/signin/oidc"]').buttons[0]?.text).toContain(name)
    for (const element of page.findAll("img, button, input, form, label")) {
      expect(element.attribute("onerror")).toBeUndefined()
    }
    const list = await get(host.browser, "/auth/providers")
    expect(list.json()).toMatchObject({ oidc: { name } })
  })
})

describe("GET /signin", () => {
  it("has a form for each provider, with the contract's fields", async () => {
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

  it("signs in with nothing but its form", async () => {
    const { browser } = openFull()
    await browser.open("/auth/signin?callbackUrl=/in")
    const page = await browser.submit('form[action$="/signin/oidc"]')
    expect(page.url.href).toBe("https://app.test/in")
  })

  it.each(["OAuthAccountNotLinked", "EmailSignin", "CredentialsSignin", "SessionRequired"])(
    "has a specific message for %s",
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

describe("a sign-in that failed", () => {
  const openForms = (options: TestHostOptions = {}) =>
    openHost({
      session: { strategy: "jwt" },
      adapter: memoryAdapter(),
      providers: [
        { ...testEmail(), normalizeIdentifier: (address) => (address === "ada" ? refuse() : address) },
        passwordProvider({
          credentials: {
            username: {},
            company: {},
            "customer-id": { autocomplete: "username webauthn" },
            p: { type: "password" },
            otp: {},
            "card-key": {},
            tel: { autocomplete: "one-time-code" },
            hidden: { type: "hidden" },
          },
        }),
      ],
      ...options,
    })
  const refuse = (): never => {
    throw new TypeError("not an address")
  }

  it("shows the notice in its form, with what was typed except for secrets", async () => {
    const { browser } = openForms()
    await browser.open("/auth/signin")
    const secrets = { p: "Wrong-1", otp: "123456", "card-key": "987654", tel: "987654" }
    const typed = { username: "grace", company: "harbour", "customer-id": "C-17", ...secrets }
    const page = await browser.submit('form[action$="/callback/cred"]', typed)
    const empty = { company: "", p: "", otp: "", "card-key": "", tel: "" }
    const shown = { username: "grace", "customer-id": "C-17", ...empty }
    const form = page.form('form[action$="/callback/cred"]')
    expect(form.fields).toMatchObject(shown)
    expect(page.find('form[action$="/callback/cred"] [role="alert"]')?.text).toContain("That sign-in did not work")
    expect(page.url.search).toBe("?error=CredentialsSignin&code=credentials")
    for (const name of browser.cookies.names())
      expect(browser.cookies.get(name)).not.toMatch(/grace|harbour|C-17|Wrong-1|123456|987654/)
  })

  it("shows the address that could not be used", async () => {
    const { browser } = openForms()
    await browser.open("/auth/signin")
    const page = await browser.submit('form[action$="/signin/email"]', { email: "ada" })
    expect(page.form('form[action$="/signin/email"]').fields).toMatchObject({ email: "ada" })
    expect(page.find('form[action$="/signin/email"] [role="alert"]')?.text).toContain("not an address we can write to")
  })

  it("does not blame the visitor when the mail server fails", async () => {
    const sendVerificationRequest = () => Promise.reject(new Error("ECONNREFUSED"))
    const { browser } = openForms({ providers: [{ ...testEmail(), sendVerificationRequest }] })
    await browser.open("/auth/signin")
    const page = await browser.submit('form[action$="/signin/email"]', { email: "ada@corp.test" })
    expect(page.find('[role="alert"]')?.text).toContain("This is not your mistake")
    expect(page.find('[aria-invalid="true"]')).toBeNull()
    expect(page.form('form[action$="/signin/email"]').fields).toMatchObject({ email: "ada@corp.test" })
  })

  it.each([
    ["/callback/cred", { username: "grace", p: "wrong" }],
    ["/signin/email", { email: "ada" }],
  ])("shows the error and what was typed into %s again when it is reloaded", async (action, typed) => {
    const { browser } = openForms()
    await browser.open("/auth/signin")
    const form = `form[action$="${action}"]`
    const failed = await browser.submit(form, typed)
    const page = await browser.open(failed.url.href)
    expect(page.form(form).fields).toEqual(failed.form(form).fields)
    expect(page.find(`${form} [role="alert"]`)?.text).toBe(failed.find(`${form} [role="alert"]`)?.text)
    expect((await browser.open("/auth/signin")).text()).not.toContain(Object.values(typed)[0])
  })

  it("keeps nothing for the app's own page, for scripts, and for values that another secret sealed", async () => {
    const own = openForms({ pages: { signIn: "/login" } })
    const scripted = openForms()
    for (const [{ browser }, headers] of [
      [own, {}],
      [scripted, { "x-auth-return-redirect": "1" }],
    ] as const) {
      const answer = await post(browser, "/auth/callback/cred", { username: "grace", p: "wrong" }, { headers })
      expect([...answer.cookies.keys()].filter((name) => name.includes("form-values"))).toEqual([])
    }
    const forged = { headers: { cookie: "__Secure-authjs.form-values=forged" } }
    const { status, text } = await ask(scripted, "/auth/signin?error=CredentialsSignin", forged)
    expect([status, text.includes("That sign-in did not work")]).toEqual([200, true])
  })

  it("keeps what was typed in a form that is no session under any cookie name", async () => {
    const host = openForms({ cookies: { sessionToken: { name: "form-values" } } })
    const { cookies } = await post(host.browser, "/auth/callback/cred", { username: "grace", p: "wrong" })
    const kept = cookies.get("__Secure-authjs.form-values")?.value
    expect(kept).toMatch(/^ey/)
    expect((await ask(host, "/auth/session", { headers: { cookie: `form-values=${kept}` } })).json()).toBeNull()
  })
})

describe("the button of an email form", () => {
  const options = { server: "smtp://mail.test", apiKey: "k", transactionalId: "t", domain: "corp.test" }
  const folder = join(import.meta.dirname, "../../src/providers")
  const files = globSync("*.ts", { cwd: folder, exclude: ["*.test.ts"] })
  const emails = files
    .filter((file) => /: EmailConfig \{/.test(readFileSync(join(folder, file), "utf8")))
    .map((file) => file.replace(".ts", ""))

  it.each(emails)("does not name the service %s", async (name) => {
    const provider: EmailConfig = (await import(`../../src/providers/${name}.ts`)).default(options)
    const { browser } = openHost({ adapter: memoryAdapter(), providers: [provider] })
    const page = await browser.open("/auth/signin")
    expect(page.form("form").buttons.map(({ text }) => text)).toEqual(["Sign in with email"])
  })

  it("is tested for every service", () => expect(emails.length).toBeGreaterThanOrEqual(7))
})

describe("theme.name", () => {
  it("is the site's name in headings, titles and links", async () => {
    const { browser } = openHost({ theme: { name: "Harbour & Sons" } })
    const page = await browser.open("/auth/signin")
    expect([page.title, page.find("h1")?.text]).toEqual(["Sign In – Harbour & Sons", "Sign in to Harbour & Sons"])
    expect((await browser.open("/auth/signout")).find("h1")?.text).toBe("Sign out of Harbour & Sons?")
    expect((await browser.open("/auth/error")).text()).toContain("Back to Harbour &amp; Sons")
  })

  it.each([undefined, "", "  "])("%j leaves the host", async (name) => {
    const { browser } = openHost({ theme: { ...(name !== undefined && { name }) } })
    expect((await browser.open("/auth/signin")).find("h1")?.text).toBe("Sign in to app.test")
  })
})

describe("a path that the service does not have", () => {
  const open = (path: string, headers: Record<string, string> = {}, options: TestHostOptions = {}) =>
    get(openHost(options).browser, path, { accept: "text/html,application/xhtml+xml,*/*;q=0.8", ...headers })

  it.each(["/auth/sign-in", "/auth", "/auth/signin/a/b"])("is a page for a browser: %s", async (path) => {
    const { status, headers, text } = await open(path)
    expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
    expect(text).toContain("This page does not exist")
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
  })

  it("is an answer with JSON for everyone else, and where the host is not known to be right", async () => {
    const answers = [
      await open("/auth/sign-in", { accept: "*/*" }),
      await open("/auth/sign-in", {}, { allowedOrigins: ["https://other.test"] }),
      await open("/auth/sign-in", {}, { secret: "" }),
    ]
    for (const { status, text } of answers) expect([status, text]).toEqual([400, '"Bad request."'])
  })
})

describe("GET /signout", () => {
  it("has a form that signs out", async () => {
    const { browser } = openFull()
    await browser.signIn("oidc")
    const page = await browser.open("/auth/signout")
    expect(page.title).toMatch(/Sign Out/i)
    await browser.submit('form[action$="/signout"]')
    expect(await browser.session()).toBeNull()
  })
})
