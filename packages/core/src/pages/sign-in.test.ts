import { describe, expect, it } from "vitest"
import { english } from "../messages/locale.js"
import type { PageFrame } from "./document.js"
import type { FormModel, RedirectForm } from "./form-model.js"
import { renderPasskeyForm } from "./passkey-form.js"
import { renderSignInPage, type SignInContent } from "./sign-in.js"

const frame: PageFrame = {
  theme: {},
  siteName: "app.example",
  siteUrl: "https://app.example",
  stylesheetUrl: "/auth/style.css?v=1",
  locale: english,
}
const oauth = (id: string, name = id): RedirectForm => ({ kind: "redirect", id, name, signinUrl: `/auth/signin/${id}` })
const email: FormModel = { kind: "email", id: "email", name: "Email", signinUrl: "/auth/signin/email" }
const password: FormModel = {
  kind: "fields",
  id: "credentials",
  name: "Password",
  callbackUrl: "/auth/callback/credentials",
  fields: { username: { placeholder: "ada" }, password: { label: "Pass phrase", type: "password" } },
}
const passkey: FormModel = {
  kind: "passkey",
  id: "passkey",
  name: "Passkey",
  callbackUrl: "/auth/callback/passkey",
  fields: { email: { label: "Email", autocomplete: "username webauthn" } },
  scriptUrl: "/auth/webauthn.js?v=1",
  isDiscoverable: true,
  hasAutofill: true,
  canSignUp: true,
  render: renderPasskeyForm,
}

function render(content: Partial<SignInContent> = {}, theme: PageFrame["theme"] = {}): string {
  const base = {
    providers: [oauth("github", "GitHub"), email, password],
    signInUrl: "/auth/signin",
    csrfToken: "t0ken",
    callbackUrl: "https://app.example/a",
  }
  return renderSignInPage({ ...base, ...content }, { ...frame, theme })
}
const tags = (html: string, name: string): readonly string[] => html.match(new RegExp(`<${name}[ >][^>]*`, "g")) ?? []

describe("sign-in page", () => {
  describe("with an error in the query", () => {
    it.each(["<script>alert(1)</script>", '"><img src=x onerror=1>', "javascript:1", "Nonsense"])(
      "shows a general message for the unknown error %j and does not repeat it",
      (error) => {
        const html = render({ error })
        expect(html).toContain("Sign-in did not work")
        expect(html).not.toContain(error)
        expect(html).not.toContain("<script")
      },
    )

    it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("treats %j as an unknown error", (error) => {
      expect(render({ error })).toBe(render({ error: "Nonsense" }))
    })

    it.each([
      ["CredentialsSignin", "That sign-in did not work. Check what you typed and try again."],
      ["OAuthAccountNotLinked", "This email already has an account"],
      ["OAuthAccountNotLinked", "Sign in the way you did before. You can then add this one to your account."],
      ["AccountNotLinked", "This email already has an account"],
      ["OAuthCallbackError", "Sign-in was canceled"],
      ["OAuthCallbackError", "Nothing has changed. You can try again or choose another way."],
      ["OAuthSignin", "The sign-in service did not respond as expected"],
      ["OAuthSignin", "This is usually temporary. Try again, or choose another way to sign in."],
      ["EmailSignin", "The email could not be sent"],
      ["EmailSignin", "Check the address and try again in a moment."],
      ["MissingCSRF", "Your form expired"],
      ["MissingCSRF", "Please try again."],
      ["SessionRequired", "Please sign in to continue"],
      ["SessionRequired", "You will return to the page you were on."],
      ["Callback", "Sign-in did not work"],
    ])("shows for %s: %s", (error, text) => {
      expect(render({ error })).toContain(`${text}</p>`)
    })

    it("distinguishes a canceled sign-in from a failed provider, and names the provider", () => {
      expect(render({ error: "OAuthCallbackError", errorCode: "access_denied" })).toContain("Sign-in was canceled")
      const failed = render({ error: "OAuthCallbackError", errorCode: "server_error", errorProvider: "github" })
      expect(failed).toContain("GitHub did not respond as expected")
      expect(failed).not.toContain("server_error")
    })

    it("never shows the name of a provider that is not configured", () => {
      expect(render({ error: "OAuthSignin", errorProvider: "<b>evil" })).not.toContain("evil")
    })

    it("shows the error in the form that failed, and first in the title", () => {
      const html = render({ error: "EmailSignin", reference: "7F3K-Q2" })
      expect(html).toContain('action="/auth/signin/email" method="post"><div id="notice" class="notice" role="alert">')
      expect(html.split('role="alert"')).toHaveLength(2)
      expect(html).toContain("<title>The email could not be sent – Sign In – app.example</title>")
      expect(html).toContain("Reference: 7F3K-Q2")
    })

    it("shows the error in the form of the provider that failed, if there are several", () => {
      const other: FormModel = { ...password, id: "staff", callbackUrl: "/auth/callback/staff" }
      const content = { providers: [password, other], error: "CredentialsSignin", errorProvider: "staff" }
      expect(render(content)).toMatch(/action="\/auth\/callback\/staff" method="post"><div id="notice"/)
      expect(render({ ...content, errorProvider: "made-up" })).toMatch(
        /callback\/credentials" method="post"><div id="n/,
      )
    })

    it("shows an error without a form of its own above all forms", () => {
      for (const content of [{ error: "OAuthSignin" }, { error: "EmailSignin", providers: [password] }]) {
        const html = render(content)
        expect(html.indexOf('role="alert"')).toBeLessThan(html.indexOf("<form"))
      }
    })

    it("keeps what was typed, and focuses the first field that is empty", () => {
      const html = render({ error: "CredentialsSignin", typed: { username: '"ada"' } })
      const fields = tags(html, "input").filter((tag) => tag.includes("field-credentials"))
      expect(fields[0]).toContain('value="&quot;ada&quot;"')
      expect(fields.map((tag) => tag.includes("autofocus"))).toEqual([false, true])
      expect(tags(render({ error: "EmailSignin", typed: { email: "ada" }, email: "x@y.z" }), "input").join()).toContain(
        'value="ada"',
      )
    })

    it("tells an address that cannot be used from a mail that could not be sent", () => {
      const wrong = render({ error: "EmailSignin", errorCode: "address" })
      expect(wrong).toContain("That is not an address we can write to. Check it and try again.")
      expect(wrong).toContain("aria-invalid")
      const notSent = render({ error: "EmailSignin", errorCode: "service" })
      expect(notSent).toContain("This is not your mistake. Try again in a moment, or sign in another way.")
      expect(notSent).not.toContain("aria-invalid")
    })

    it("shows a status instead of an alert if nothing failed", () => {
      const html = render({ error: "SessionRequired" })
      expect(html).toContain('role="status"')
      expect(html).not.toContain('role="alert"')
    })

    it("focuses the email field and links it to the message", () => {
      const pointing = tags(render({ error: "EmailSignin" }), "input").filter((tag) => tag.includes("aria-describedby"))
      expect(pointing).toHaveLength(1)
      expect(pointing[0]).toContain('name="email"')
      expect(pointing[0]).toContain('aria-describedby="notice"')
      expect(pointing[0]).toContain("autofocus")
    })

    it("marks all of the app's fields as invalid, not the wrong one", () => {
      const pointing = tags(render({ error: "CredentialsSignin" }), "input").filter((tag) =>
        tag.includes("aria-invalid"),
      )
      expect(pointing.map((tag) => / name="([^"]*)"/.exec(tag)?.[1])).toEqual(["username", "password"])
    })
  })

  it("shows no error without an error in the query", () => {
    const html = render()
    expect(html).not.toMatch(/role="(alert|status)"|aria-invalid|autofocus|Reference/)
    expect(html).toContain("<title>Sign In – app.example</title>")
  })

  it("has one h1, one main, a language and no inline script or style", () => {
    const html = render({ providers: [passkey, oauth("a"), email, password], error: "CredentialsSignin" })
    expect(html).toMatch(/^<!DOCTYPE html><html lang="en" dir="ltr">/)
    expect(tags(html, "h1")).toHaveLength(1)
    expect(tags(html, "main")).toHaveLength(1)
    expect(html).not.toMatch(/<script(?! src="\/auth\/webauthn\.js\?v=1")|<style|style="|javascript:| on[a-z]+="/)
    expect(html).toContain('<link rel="stylesheet" href="/auth/style.css?v=1"/>')
  })

  it("gives every visible input a label", () => {
    const html = render({ providers: [passkey, email, password] })
    const inputs = tags(html, "input").filter((tag) => !tag.includes('type="hidden"'))
    const ids = inputs.map((tag) => / id="([^"]*)"/.exec(tag)?.[1])
    expect(ids).toHaveLength(4)
    expect(new Set(ids).size).toBe(4)
    for (const id of ids) expect(html).toContain(`<label class="label" for="${id}">`)
  })

  it("posts each form with the CSRF token and the callback URL", () => {
    const html = render()
    expect(tags(html, "form")).toEqual([
      '<form class="form" action="/auth/signin/email" method="post"',
      '<form action="/auth/signin/github" method="post"',
      '<form class="form" action="/auth/callback/credentials" method="post"',
    ])
    expect(html.split('<input type="hidden" name="csrfToken" value="t0ken"/>')).toHaveLength(4)
    expect(html.split('<input type="hidden" name="callbackUrl" value="https://app.example/a"/>')).toHaveLength(4)
  })

  it("sends no CSRF token if the app disabled the check", () => {
    expect(render({ csrfToken: undefined })).not.toContain("csrfToken")
  })

  it("shows email, passkeys, providers and the app's forms in this order, and each group in the app's order", () => {
    const html = render({ providers: [password, email, oauth("b"), passkey, oauth("a")] })
    const order = ["email", "a passkey", "b", "a", "Password"].map((name) => html.indexOf(`Sign in with ${name}<`))
    expect(order).not.toContain(-1)
    expect(order).toEqual([...order].sort((one, other) => one - other))
    expect(html.split("<span>or</span>")).toHaveLength(3)
  })

  it("has one main button: that of the first form, or of the form that failed", () => {
    const mainButtons = (content: Partial<SignInContent>): readonly string[] =>
      [...render(content).matchAll(/button-primary"[^>]*><span class="button-text">([^<]*)/g)].map(
        ([, text = ""]) => text,
      )
    expect(mainButtons({ providers: [password, email, passkey] })).toEqual(["Sign in with email"])
    expect(mainButtons({ providers: [oauth("a"), passkey] })).toEqual(["Sign in with a passkey"])
    expect(mainButtons({ providers: [password, oauth("a"), email] })).toEqual(["Sign in with email"])
    expect(mainButtons({ providers: [password, email], error: "CredentialsSignin" })).toEqual(["Sign in with Password"])
  })

  it("collapses the seventh and all further providers", () => {
    const six = ["a", "b", "c", "d", "e", "f"].map((id) => oauth(id))
    expect(render({ providers: six })).not.toContain("<details")
    const html = render({ providers: [...six, oauth("g"), oauth("h")] })
    expect(html).toContain("More ways to sign in")
    const fold = html.indexOf("<details")
    expect(html.indexOf("Sign in with f<")).toBeLessThan(fold)
    expect(html.indexOf("Sign in with g<")).toBeGreaterThan(fold)
  })

  it("finds one of more than eight providers by its name", () => {
    const eight = ["Apple", "Box", "Discord", "Figma", "GitHub", "GitLab", "Google", "Line"].map((name) =>
      oauth(name.toLowerCase(), name),
    )
    const filter = '<input class="input" type="search" name="find"'
    expect(render({ providers: eight })).not.toContain(filter)
    const providers = [...eight, oauth("zoom", "Zoom")]
    expect(render({ providers })).toContain(filter)
    const found = render({ providers, find: " gIt " })
    expect(found.match(/Sign in with (\w+)</g)).toEqual(["Sign in with GitHub<", "Sign in with GitLab<"])
    expect(found).toContain('value=" gIt "')
    expect(render({ providers, find: "<b>" })).toContain("Nothing found. Try another name.")
  })

  it("lists the provider that was used last first, and says so", () => {
    const html = render({ providers: [oauth("a"), oauth("b"), oauth("c")], lastUsed: "c" })
    const order = ["c", "a", "b"].map((name) => html.indexOf(`Sign in with ${name}<`))
    expect(order).toEqual([...order].sort((one, other) => one - other))
    expect(html.split("Last used")).toHaveLength(2)
    expect(render({ providers: [oauth("a")], lastUsed: "x" })).not.toContain("Last used")
  })

  it("folds the providers beyond the number in the theme", () => {
    const providers = ["a", "b", "c"].map((id) => oauth(id))
    expect(render({ providers }, { visibleProviders: 3 })).not.toContain("<details")
    const html = render({ providers }, { visibleProviders: 1 })
    expect(html.indexOf("<details")).toBeLessThan(html.indexOf("Sign in with b<"))
    expect(html.indexOf("<details")).toBeGreaterThan(html.indexOf("Sign in with a<"))
  })

  it("names the service that sends emails only if there are several, and keeps a name of the app", () => {
    const resend: FormModel = { ...email, id: "resend", name: "Resend" }
    expect(render({ providers: [resend] })).toContain(">Sign in with email<")
    const both = render({ providers: [resend, { ...email, name: "Nodemailer" }] })
    for (const name of ["Resend", "Nodemailer"]) expect(both).toContain(`>Sign in with ${name}<`)
    expect(render({ providers: [{ ...resend, name: "a magic link" }] })).toContain(">Sign in with a magic link<")
  })

  it("names the only form of the app by what it asks for, unless the app has named it", () => {
    const form: FormModel = { ...password, name: "Credentials" }
    expect(render({ providers: [form, email] })).toContain(">Sign in with password<")
    expect(render({ providers: [{ ...form, fields: { pin: {} } }] })).toContain('button-text">Sign in<')
    expect(render({ providers: [{ ...form, name: "your badge" }] })).toContain(">Sign in with your badge<")
    const both = render({ providers: [form, { ...form, id: "ldap", name: "LDAP" }] })
    for (const name of ["Credentials", "LDAP"]) expect(both).toContain(`>Sign in with ${name}<`)
  })

  it("fills the email field with a known address", () => {
    const [field = ""] = tags(render({ providers: [email], email: "ada@example.com" }), "input").slice(-1)
    for (const part of [
      'type="email"',
      'name="email"',
      " required",
      'autocomplete="email"',
      'value="ada@example.com"',
    ]) {
      expect(field).toContain(part)
    }
  })

  it("shows the app's fields, labeled with their keys in upper case by default", () => {
    const html = render({ providers: [password] })
    expect(html).toContain(">Username</label>")
    expect(html).toContain(">Pass phrase</label>")
    expect(html).toMatch(/<input[^>]*type="password"[^>]*name="password"/)
    expect(html).toContain('placeholder="ada"')
  })

  it("renders a hidden field of the app without a label", () => {
    const html = render({ providers: [{ ...password, fields: { tenant: { type: "hidden", value: "7" } } }] })
    expect(html).toMatch(/<input type="hidden" value="7" name="tenant"\/>/)
    expect(html).not.toContain("tenant</label>")
  })

  it("shows a provider's logo, or its first letter without a valid logo", () => {
    const html = render({ providers: [{ ...oauth("a", "Harbour"), logo: "https://cdn.example/a.png" }] })
    expect(html).toContain('<img class="mark" src="https://cdn.example/a.png" alt width="24" height="24"/>')
    expect(render({ providers: [{ ...oauth("a", "harbour"), logo: "javascript:1" }] })).toContain(
      'data-letter="H" aria-hidden="true"></span>',
    )
  })

  it("draws a provider's mark as an SVG without inline style", () => {
    const html = render({ providers: [{ ...oauth("a", "Harbour"), mark: "M0 0h24v24H0z" }] })
    expect(html).toContain(
      '<svg class="mark mark-drawn" viewBox="0 0 24 24" aria-hidden="true"><path fill="currentColor" d="M0 0h24v24H0z"',
    )
    expect(html).not.toContain("data-letter")
    expect(html).not.toContain("style=")
  })

  it("draws a mark of several colors, and leaves out a part that is not a hexadecimal color with a path", () => {
    const mark = [
      { path: "M0 0h12v24H0z", color: "#f25022" },
      { path: "M12 0h12v24H12z", color: "url(https://evil.test/a.svg#b)" },
      { path: 7, color: "#fff" },
      null,
    ] as unknown as RedirectForm["mark"] // as: an app without TypeScript may set anything.
    const html = render({ providers: [{ ...oauth("a", "Harbour"), mark }] })
    expect(html).toContain('aria-hidden="true"><path fill="#f25022" d="M0 0h12v24H0z"></path></svg>')
    expect(html).not.toContain("evil.test")
  })

  it.for([[], [null], {}, 7, ""])("shows the first letter for the mark %j", (given) => {
    const mark = given as unknown as string // as: an app without TypeScript may set anything.
    const html = render({ providers: [{ ...oauth("a", "Harbour"), mark }] })
    expect(html).toContain('data-letter="H"')
    expect(html).not.toContain("<svg")
  })

  it("prefers the app's logo to the mark, and escapes the mark", () => {
    const logo = "https://cdn.example/a.png"
    expect(render({ providers: [{ ...oauth("a", "Harbour"), logo, mark: "M0 0" }] })).not.toContain("<svg")
    const html = render({ providers: [{ ...oauth("a", "Harbour"), mark: '"/><script>1</script>' }] })
    expect(html).not.toContain("<script>1")
  })

  it("shows the app's logo with the host's name as its alt text, or the name without a valid logo", () => {
    expect(render({}, { logo: "/logo.svg" })).toContain('<img class="site-logo" src="/logo.svg" alt="app.example"/>')
    const html = render({}, { logo: "javascript:1" })
    expect(html).not.toContain("javascript")
    expect(html).toContain(">app.example</a>")
  })

  it("shows the logo for the color scheme of the page", () => {
    const theme = { logo: "/light.svg", logoDark: "/dark.svg" }
    const image = (src: string) => `<img class="site-logo" src="${src}" alt="app.example"/>`
    const both = '<picture><source srcset="/dark.svg" media="(prefers-color-scheme:dark)"/>'
    expect(render({}, theme)).toContain(`${both}${image("/light.svg")}</picture>`)
    expect(render({}, { ...theme, colorScheme: "dark" })).toContain(image("/dark.svg"))
    expect(render({}, { ...theme, colorScheme: "light" })).not.toContain("/dark.svg")
    expect(render({}, { logoDark: "/dark.svg" })).toContain(image("/dark.svg"))
    expect(render({}, { logo: "/light.svg", logoDark: "javascript:1" })).not.toContain("picture")
  })

  it.each(["auto", "dark", "light"] as const)("has the contract's class for the color scheme %s", (colorScheme) => {
    expect(render({}, { colorScheme })).toContain(`<body class="__next-auth-theme-${colorScheme}">`)
  })

  it("shows the error's details to a developer", () => {
    const details = { type: "InvalidConfiguration", message: "secret is <too> short", causes: ["first", "second"] }
    const html = render({ error: "Nonsense", details })
    expect(html).toContain("For the developer")
    expect(html).toContain("secret is &lt;too> short")
    expect(html).toContain("<li>first</li><li>second</li>")
  })

  it("shows a message if no provider is configured", () => {
    expect(render({ providers: [] })).toContain("No sign-in method is available right now.")
  })
})
