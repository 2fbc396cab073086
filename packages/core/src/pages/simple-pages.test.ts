import { describe, expect, it } from "vitest"
import { english } from "../messages/locale.js"
import { errorPageStatus, renderErrorPage, renderSignOutPage } from "./simple-pages.js"

const frame = {
  theme: {},
  siteName: "app.example",
  siteUrl: "https://app.example",
  stylesheetUrl: "/auth/style.css?v=1",
  locale: english,
}

describe("error page", () => {
  const render = (error: string | undefined): string => renderErrorPage({ error, signInUrl: "/auth/signin" }, frame)

  it.each([
    [1, "1 second"],
    [59, "59 seconds"],
    [60, "1 minute"],
    [61, "2 minutes"],
    [90, "2 minutes"],
    [7200, "2 hours"],
    [7201, "3 hours"],
    [86_400, "24 hours"],
  ])("rounds a wait of %i seconds up to %s", (retryAfterSeconds, duration) => {
    const content = { error: "TooManyRequests", signInUrl: "/auth/signin", retryAfterSeconds }
    expect(renderErrorPage(content, frame)).toContain(`You can try again in ${duration}.`)
  })

  it.each(["<script>alert(1)</script>", '"><img src=x onerror=1>', "javascript:1", "Default", ""])(
    "shows a general message for the unknown error %j and does not repeat it",
    (error) => {
      expect(render(error)).toBe(render(undefined))
    },
  )

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("treats %j as an unknown error", (error) => {
    expect(render(error)).toBe(render(undefined))
    expect(errorPageStatus(error)).toBe(200)
  })

  it.each([
    ["Verification", "This link no longer works", "It was already used, or it has expired. Request a new one below."],
    [
      "AccessDenied",
      "You do not have access",
      "This account is not allowed to sign in here. If you think it should be, contact app.example.",
    ],
    [
      "Configuration",
      "Sign-in is not available right now",
      "This is not your mistake. Try again in a moment, or sign in another way.",
    ],
    ["TooManyRequests", "Please wait a moment", "There were too many attempts."],
    ["WebAuthnVerificationError", "The passkey could not be verified", "Try again, or choose another way to sign in."],
    [undefined, "Sign-in did not work", "Try again, or choose another way to sign in."],
  ])("shows for %s: %s", (error, heading, text) => {
    const html = render(error)
    expect(html).toContain(`<h1 class="heading">${heading}</h1><p>${text}</p>`)
    expect(html).toContain(`<title>${heading} – app.example</title>`)
  })

  it.each([
    ["Configuration", undefined, "The problem was logged under the reference below. Try again later."],
    ["Configuration", "not-set-up", "Choose another way to sign in. The problem was logged under the reference below."],
  ])("points to the reference of %s (%s) only where the page shows one", (error, providerError, text) => {
    const open = (reference?: string) =>
      renderErrorPage({ error, providerError, signInUrl: "/auth/signin", reference }, frame)
    expect(open("7F3K-Q2")).toContain(`<p>${text}</p>`)
    expect(open("7F3K-Q2")).toContain("7F3K-Q2</p>")
    expect(open()).not.toContain("reference below")
  })

  it.each(["AccessDenied", "Configuration", "Verification", "Default"])(
    "links to the sign-in page and to the site after %s",
    (error) => {
      expect(render(error)).toContain('href="/auth/signin"')
      expect(render(error)).toContain('href="https://app.example"><span class="button-text">Back to app.example<')
    },
  )

  it("shows the reference ID at the end, if there is one", () => {
    const html = renderErrorPage({ error: "Configuration", signInUrl: "/auth/signin", reference: "7F3K-Q2" }, frame)
    expect(html).toContain('<p class="reference">Reference: 7F3K-Q2</p></main>')
    expect(render("Configuration")).not.toContain("Reference")
  })

  it("shows the details of the log only if they are given", () => {
    expect(render("Configuration")).not.toContain("developer")
    const details = { type: "MissingSecret", message: "Set AUTH_SECRET.", causes: [] }
    const html = renderErrorPage({ error: "Configuration", signInUrl: "/auth/signin", details }, frame)
    expect(html).toContain("<code>MissingSecret</code> Set AUTH_SECRET.")
    expect(html).not.toContain("<ul")
  })
})

describe("errorPageStatus", () => {
  it.each([
    ["Configuration", 500],
    ["AccessDenied", 403],
    ["Verification", 403],
    ["Default", 200],
    [undefined, 200],
  ])("returns for %s the status %i", (error, status) => {
    expect(errorPageStatus(error)).toBe(status)
  })
})

describe("sign-out page", () => {
  const content = { csrfToken: "t0ken", signoutUrl: "/auth/signout", callbackUrl: "https://app.example/" }

  it("asks for confirmation with a form that has the CSRF token", () => {
    const html = renderSignOutPage(content, frame)
    expect(html).toContain("<title>Sign Out – app.example</title>")
    expect(html).toContain('<h1 class="heading">Sign out of app.example?</h1>')
    expect(html).toContain('action="/auth/signout" method="post"')
    expect(html).toContain('name="csrfToken" value="t0ken"')
    expect(html).toContain('name="callbackUrl" value="https://app.example/"')
  })

  it("links back to the site", () => {
    expect(renderSignOutPage(content, frame)).toContain(
      'href="https://app.example"><span class="button-text">Stay signed in<',
    )
  })

  it("sends no CSRF token if the app disabled the check", () => {
    expect(renderSignOutPage({ ...content, csrfToken: undefined }, frame)).not.toContain("csrfToken")
  })
})
