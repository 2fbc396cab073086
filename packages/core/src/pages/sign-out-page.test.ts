import { describe, expect, it } from "vitest"
import { renderSignOutPage } from "./sign-out-page.js"

const frame = {
  theme: {},
  siteName: "app.example",
  siteUrl: "https://app.example",
  stylesheetUrl: "/auth/style.css?v=1",
  language: "en",
}
const content = { csrfToken: "t0ken", signoutUrl: "/auth/signout", callbackUrl: "https://app.example/" }

describe("sign-out page", () => {
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
