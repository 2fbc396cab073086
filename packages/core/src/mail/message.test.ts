import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type SignInMailContent, signInMail } from "./message.js"

const url = "https://app.example/auth/callback/email?token=0123&email=ada%40example.com"
const content: SignInMailContent = { url, host: "app.example", validSeconds: 86_400, theme: {} }
const previewOf = (html: string): string => /<div style="display:none[^>]*>([^<]*)/.exec(html)?.[1] ?? ""
const count = (text: string, part: string): number => text.split(part).length - 1

describe("signInMail", () => {
  it("MAIL-11: escapes markup in the host name", () => {
    const { html } = signInMail({ ...content, host: "<a href=https://evil.test>click</a>" })
    expect(html).toContain("Sign in to &lt;a href=https://evil.test>")
    expect(count(html, "<a ")).toBe(1)
  })

  it("MAIL-11: escapes every value", () => {
    const plain = signInMail({ ...content, url: "u", host: "h" }).html
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), fc.string(), (link, host, brandColor) => {
        const { html } = signInMail({ ...content, url: link, host, theme: { brandColor, buttonText: brandColor } })
        expect(count(html, "<")).toBe(count(plain, "<"))
        expect(count(html, '"')).toBe(count(plain, '"'))
      }),
    )
  })

  it("MAIL-11: ignores an invalid theme color", () => {
    const { html } = signInMail({ ...content, theme: { brandColor: 'red"><script>', buttonText: "x;y" } })
    expect(html).not.toContain("script")
    expect(html).toContain("background:#0b6b70")
  })

  it("removes line breaks of the host name from the subject", () => {
    expect(signInMail({ ...content, host: "app.example\r\nBcc: eve@evil.test" }).subject).not.toMatch(/[\r\n]/)
  })

  it("has the site's own name in the subject, and still shows the address that it leads to", () => {
    const mail = signInMail({ ...content, theme: { name: "Harbour\r\nBcc: eve@evil.test" } })
    expect(mail.subject).toBe("Sign in to Harbour Bcc: eve@evil.test")
    expect(mail.text).toContain(url)
    expect(signInMail({ ...content, theme: { name: " " } }).subject).toBe("Sign in to app.example")
  })

  it("does not interpret replacement patterns and placeholders in the host name", () => {
    expect(signInMail({ ...content, host: "$&{duration}" }).subject).toBe("Sign in to $&{duration}")
  })

  it("has the same subject, link and sentences as text and as HTML", () => {
    const { subject, text, html } = signInMail(content)
    expect(subject).toBe("Sign in to app.example")
    for (const form of [text, html]) {
      expect(form).toContain("The link works once and for 24 hours.")
      expect(form).toContain("If you did not request this email, ignore it. No one can sign in without the link.")
    }
    expect(text.split("\n")).toContain(url)
    expect(html).toContain(`<a href="${url.replace("&", "&amp;")}"`)
    expect(count(html, "<a ")).toBe(1)
    expect(count(html, url.replace("&", "&amp;"))).toBe(2)
  })

  it("MAIL-22: ends with the links of the theme, as text and as HTML, in the language of the reader", () => {
    const links = { terms: "/terms?a=1&b=2", privacy: "https://legal.example/privacy", support: "javascript:alert(1)" }
    const { text, html } = signInMail({ ...content, theme: { links } })
    expect(text.trimEnd().split("\n\n").at(-1)).toBe(
      "Terms of service: https://app.example/terms?a=1&b=2\nPrivacy policy: https://legal.example/privacy",
    )
    expect(html).toMatch(/href="https:\/\/app\.example\/terms\?a=1&amp;b=2"[^>]*>Terms of service<\/a> · <a /)
    expect(html).not.toContain("javascript")
    expect(count(html, "<a ")).toBe(3)
    const messages = { "links.privacy": "Datenschutz" }
    const german = signInMail({ ...content, theme: { links }, locale: { language: "de", direction: "ltr", messages } })
    expect([german.html, german.text].every((form) => form.includes("Datenschutz"))).toBe(true)
    expect(signInMail({ ...content, theme: { links: {} } })).toEqual(signInMail(content))
  })

  it("CODE-08: has the code in the subject only if the app asks for it, and never in the preview", () => {
    const code = "540622"
    const plain = signInMail({ ...content, code })
    const asked = signInMail({ ...content, code, isCodeInSubject: true, theme: { name: "Harbour" } })
    expect([plain.subject, asked.subject]).toEqual(["Sign in to app.example", "540622 is your code for Harbour"])
    expect(signInMail({ ...content, isCodeInSubject: true }).subject).toBe("Sign in to app.example")
    for (const { html, text } of [plain, asked]) {
      expect(previewOf(html)).toMatch(/^The code works for 24 hours, the link for 24 hours\./)
      expect(previewOf(html)).not.toContain(code)
      expect(count(html, code)).toBe(1)
      expect(count(text, code)).toBe(1)
    }
  })

  it("MAIL-22: shows the logo of an https address or of the app, the same for every reader", () => {
    const logoOf = (logo: string, more: object = {}) =>
      /<img[^>]* src="([^"]*)"/.exec(signInMail({ ...content, ...more, theme: { logo } }).html)?.[1]
    expect(logoOf("https://cdn.example/logo.png")).toBe("https://cdn.example/logo.png")
    expect(logoOf("/logo.png")).toBe("https://app.example/logo.png")
    expect(logoOf("/logo.png?token=0123")).toBe("https://app.example/logo.png?token=0123")
    for (const logo of [
      "http://cdn.example/logo.png",
      "data:image/png;base64,AA==",
      "javascript:alert(1)",
      "https://user:secret@cdn.example/logo.png",
      "/logo.svg",
      "//",
      " ",
    ])
      expect(logoOf(logo), logo).toBeUndefined()
    expect(logoOf("/logo.png", { url: "http://localhost:3000/auth/callback/email?token=0123" })).toBeUndefined()
  })

  it("names the site where no logo is shown, and in place of a logo that is blocked", () => {
    const theme = { name: "Harbour", logo: "/logo.png", logoDark: "/dark.png" }
    expect(signInMail({ ...content, theme: { name: "Harbour" } }).html).toMatch(/<p class="ink"[^>]*>Harbour<\/p>/)
    const { html } = signInMail({ ...content, theme })
    expect(html.match(/<img[^>]*>/g)).toEqual([
      expect.stringMatching(/^<img class="on-light ink" src="https:\/\/app\.example\/logo\.png" alt="Harbour"/),
      expect.stringMatching(/^<img class="on-dark ink" src="[^"]*dark\.png" alt="Harbour".*display:none;mso-hide:all/),
    ])
  })

  it("is 600 pixels wide at most, in Outlook's engine too", () => {
    const { html } = signInMail(content)
    expect(html).toMatch(/<!--\[if mso\]><table [^>]*width="600"[^>]*><tr><td><!\[endif\]--><table /)
    expect(html).toContain("</table><!--[if mso]></td></tr></table><![endif]--></td>")
    expect(html).toContain("max-width:600px")
  })

  it("loads nothing without a logo, and supports dark mode", () => {
    const { html } = signInMail(content)
    expect(html).not.toMatch(/<(?:img|link|script|iframe)|url\(|@import/)
    expect(html).toContain('<meta name="color-scheme" content="light dark"/>')
    expect(html).toContain("@media (prefers-color-scheme:dark){.page{")
  })

  it("draws the button in the brand color with readable text", () => {
    expect(signInMail({ ...content, theme: { brandColor: "gold" } }).html).toContain("background:#ffd700;color:#000000")
    expect(signInMail({ ...content, theme: { brandColor: "navy" } }).html).toContain("background:#000080;color:#ffffff")
  })
})
