import { describe, expect, it } from "vitest"
import { errorPageStatus, renderErrorPage, renderSignOutPage, renderVerifyRequestPage } from "./simple-pages.js"

describe("error page", () => {
  const frame = {
    theme: {},
    siteName: "app.example",
    siteUrl: "https://app.example",
    stylesheetUrl: "/auth/style.css?v=1",
    language: "en",
  }
  const render = (error: string | undefined): string => renderErrorPage({ error, signInUrl: "/auth/signin" }, frame)

  describe("error page", () => {
    it.each([
      [1, "1 second"],
      [59, "59 seconds"],
      [60, "1 minute"],
      [61, "2 minutes"],
      [90, "2 minutes"],
      [7200, "2 hours"],
      [7201, "3 hours"],
      [86_400, "24 hours"],
    ])("says after %i seconds, rounded up, when it is worth trying again: in %s", (retryAfterSeconds, duration) => {
      const content = { error: "TooManyRequests", signInUrl: "/auth/signin", retryAfterSeconds }
      expect(renderErrorPage(content, frame)).toContain(`You can try again in ${duration}.`)
    })

    it.each(["<script>alert(1)</script>", '"><img src=x onerror=1>', "javascript:1", "Default", ""])(
      "answers the unknown %j in general words without repeating it",
      (error) => {
        expect(render(error)).toBe(render(undefined))
      },
    )

    it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("knows no error named %j", (error) => {
      expect(render(error)).toBe(render(undefined))
      expect(errorPageStatus(error)).toBe(200)
    })

    it.each([
      ["Verification", "This link no longer works", "It was used already, or it is too old. Ask for a new one below."],
      [
        "AccessDenied",
        "You do not have access",
        "This account may not sign in here. If you think it should, contact app.example.",
      ],
      [
        "Configuration",
        "Sign-in is not available right now",
        "The people who run app.example have been given the details.",
      ],
      ["TooManyRequests", "Please wait a moment", "There were too many tries in a short time."],
      ["WebAuthnVerificationError", "The passkey could not be checked", "Try again, or choose another way to sign in."],
      [undefined, "Sign-in did not work", "Try again, or choose another way to sign in."],
    ])("for %s says: %s", (error, heading, text) => {
      const html = render(error)
      expect(html).toContain(`<h1 class="heading">${heading}</h1><p>${text}</p>`)
      expect(html).toContain(`<title>${heading} – app.example</title>`)
    })

    it.each(["AccessDenied", "Configuration", "Verification", "Default"])("offers two ways on after %s", (error) => {
      expect(render(error)).toContain('href="/auth/signin"')
      expect(render(error)).toContain('href="https://app.example"><span class="button-text">Back to app.example<')
    })

    it("shows the reference small below, and nothing where there is none", () => {
      const html = renderErrorPage({ error: "Configuration", signInUrl: "/auth/signin", reference: "7F3K-Q2" }, frame)
      expect(html).toContain('<p class="reference">Reference: 7F3K-Q2</p></main>')
      expect(render("Configuration")).not.toContain("Reference")
    })

    it("keeps what the log says to itself unless it is told to show it", () => {
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
    ])("of %s is %i", (error, status) => {
      expect(errorPageStatus(error)).toBe(status)
    })
  })
})

describe("sign-out page", () => {
  const frame = {
    theme: {},
    siteName: "app.example",
    siteUrl: "https://app.example",
    stylesheetUrl: "/auth/style.css?v=1",
    language: "en",
  }

  const content = { csrfToken: "t0ken", signoutUrl: "/auth/signout", callbackUrl: "https://app.example/" }

  it("asks first, and signs out by a form with the token", () => {
    const html = renderSignOutPage(content, frame)
    expect(html).toContain("<title>Sign Out – app.example</title>")
    expect(html).toContain('<h1 class="heading">Sign out of app.example?</h1>')
    expect(html).toContain('action="/auth/signout" method="post"')
    expect(html).toContain('name="csrfToken" value="t0ken"')
    expect(html).toContain('name="callbackUrl" value="https://app.example/"')
  })

  it("offers a way back", () => {
    expect(renderSignOutPage(content, frame)).toContain(
      'href="https://app.example"><span class="button-text">Stay signed in<',
    )
  })

  it("sends no token where the host has switched the check off", () => {
    expect(renderSignOutPage({ ...content, csrfToken: undefined }, frame)).not.toContain("csrfToken")
  })
})

describe("verify-request page", () => {
  const frame = {
    theme: {},
    siteName: "app.example",
    siteUrl: "https://app.example",
    stylesheetUrl: "/auth/style.css?v=1",
    language: "en",
  }

  it("says where to look and for how long the link works", () => {
    const html = renderVerifyRequestPage({ maxAgeSeconds: 600, signInUrl: "/auth/signin" }, frame)
    expect(html).toContain("<title>Check your email – app.example</title>")
    expect(html).toContain('<h1 class="heading">Check your email</h1>')
    expect(html).toContain("We sent a sign-in link to the address you gave. It works once and for 10 minutes.")
    expect(html).toContain("Nothing there? Look in the spam folder, or send it again.")
  })

  it("promises no time that it does not know", () => {
    const html = renderVerifyRequestPage({ signInUrl: "/auth/signin" }, frame)
    expect(html).toContain("It works once.")
    expect(html).not.toContain(" for .")
  })

  it("leads to another mail and back to the site", () => {
    const html = renderVerifyRequestPage({ signInUrl: "/auth/signin" }, frame)
    expect(html).toContain('href="/auth/signin"><span class="button-text">Send it again<')
    expect(html).toContain('href="https://app.example"><span class="button-text">Back to app.example<')
  })
})
