import { describe, expect, it } from "vitest"
import { renderVerifyRequestPage } from "./verify-request-page.js"

const frame = {
  theme: {},
  siteName: "app.example",
  siteUrl: "https://app.example",
  stylesheetUrl: "/auth/style.css?v=1",
  language: "en",
}

describe("verify-request page", () => {
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
