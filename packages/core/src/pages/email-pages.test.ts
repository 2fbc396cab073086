import { describe, expect, it } from "vitest"
import { english } from "../messages/locale.js"
import { renderCodePage, renderConfirmPage, renderVerifyRequestPage } from "./email-pages.js"

const frame = {
  theme: {},
  siteName: "app.example",
  siteUrl: "https://app.example",
  stylesheetUrl: "/auth/style.css?v=1",
  locale: english,
}

describe("verify-request page", () => {
  it("tells the user where to look and when the link expires", () => {
    const html = renderVerifyRequestPage(
      { maxAgeSeconds: 600, waitUrl: "/auth/wait.js", signInUrl: "/auth/signin" },
      frame,
    )
    expect(html).toContain("<title>Check your email – app.example</title>")
    expect(html).toContain('<h1 class="heading">Check your email</h1>')
    expect(html).toContain(
      "We sent a sign-in link to the address you entered. It works once and expires after 10 minutes.",
    )
    expect(html).toContain("Nothing there? Check your spam folder, or send it again.")
    expect(html).not.toContain("<form")
  })

  it("shows no expiry if it is unknown", () => {
    const html = renderVerifyRequestPage({ waitUrl: "/auth/wait.js", signInUrl: "/auth/signin" }, frame)
    expect(html).toContain("It works once.")
    expect(html).not.toContain("expires")
  })

  it("links to another email and back to the site", () => {
    const html = renderVerifyRequestPage({ waitUrl: "/auth/wait.js", signInUrl: "/auth/signin" }, frame)
    expect(html).toContain('href="/auth/signin"><span class="button-text">Send it again<')
    expect(html).toContain('href="https://app.example"><span class="button-text">Back to app.example<')
  })

  const codeForm = {
    action: "/auth/callback/email",
    resendAction: "/auth/signin/email",
    csrfToken: "t0ken",
    flow: "fl0w",
    address: "ada@example.com",
    callbackUrl: "https://app.example/in",
    isWrong: false,
    resending: { isResent: false, pauseSeconds: 0 },
  }

  it("has a labeled field that phones and password managers fill in, and a form that sends the mail again", () => {
    const html = renderVerifyRequestPage({ waitUrl: "/auth/wait.js", signInUrl: "/auth/signin", codeForm }, frame)
    expect(html).toContain("We sent an email to ada@example.com.")
    const [, field = ""] = /<input ([^>]*name="code"[^>]*)>/.exec(html) ?? []
    for (const attribute of ['inputmode="numeric"', 'autocomplete="one-time-code"', 'type="text"', "required"])
      expect(field).toContain(attribute)
    expect(html).toContain('<label class="label" for="field-code-code">Code</label>')
    expect(html).toContain('<form class="form" action="/auth/callback/email" method="post">')
    expect(html).toContain('<form class="form" action="/auth/signin/email" method="post">')
    expect(html.match(/name="csrfToken" value="t0ken"/g)).toHaveLength(2)
    expect(html).toContain('name="email" value="ada@example.com"')
  })

  it("says in the title, above the field and to screen readers that the code was wrong", () => {
    const html = renderVerifyRequestPage(
      { waitUrl: "/auth/wait.js", signInUrl: "/auth/signin", codeForm: { ...codeForm, isWrong: true } },
      frame,
    )
    expect(html).toContain("<title>Wrong code – Check your email – app.example</title>")
    expect(html).toContain('<div id="notice" class="notice" role="alert">')
    expect(html).toContain('aria-invalid="true" aria-describedby="notice"')
  })

  it("sends no CSRF token if the app disabled the check", () => {
    const html = renderVerifyRequestPage(
      { waitUrl: "/auth/wait.js", signInUrl: "/x", codeForm: { ...codeForm, csrfToken: undefined } },
      frame,
    )
    expect(html).not.toContain("csrfToken")
  })
})

describe("the page of a link that another browser asked for", () => {
  it("names the site and the masked address, and sends the form to the link itself", () => {
    const html = renderConfirmPage({ address: "a•••@example.com", csrfToken: "t0ken", hasCode: true }, frame)
    expect(html).toContain("<title>Sign in to app.example? – app.example</title>")
    expect(html).toContain("You can also type the six digits of the email there.")
    expect(html).toContain("You opened a sign-in link for a•••@example.com.")
    expect(html).toContain('<form class="form" method="post"><input type="hidden" name="csrfToken" value="t0ken"/>')
  })

  it("shows the code in the text and not in the title", () => {
    const html = renderCodePage({ code: "048213", codeMaxAgeSeconds: 600 }, frame)
    expect(html).toContain('<p class="one-time-code">048213</p>')
    expect(html).toContain("It works for 10 minutes after you asked for it.")
    expect(html.split("048213")).toHaveLength(2)
    expect(html).not.toContain("<form")
  })
})
