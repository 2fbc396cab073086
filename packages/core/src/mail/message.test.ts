import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type SignInMailContent, signInMail } from "./message.js"

const url = "https://app.example/auth/callback/email?token=0123&email=ada%40example.com"
const content: SignInMailContent = { url, host: "app.example", validSeconds: 86_400, theme: {} }
const count = (text: string, part: string): number => text.split(part).length - 1

describe("signInMail", () => {
  it("MAIL-11: shows markup in the host's name as text", () => {
    const { html } = signInMail({ ...content, host: "<a href=https://evil.test>click</a>" })
    expect(html).toContain("Sign in to &lt;a href=https://evil.test>")
    expect(count(html, "<a ")).toBe(1)
  })

  it("MAIL-11: lets no markup in by any value", () => {
    const plain = signInMail({ ...content, url: "u", host: "h" }).html
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), fc.string(), (link, host, brandColor) => {
        const { html } = signInMail({ ...content, url: link, host, theme: { brandColor, buttonText: brandColor } })
        expect(count(html, "<")).toBe(count(plain, "<"))
        expect(count(html, '"')).toBe(count(plain, '"'))
      }),
    )
  })

  it("MAIL-11: drops a theme colour that is none", () => {
    const { html } = signInMail({ ...content, theme: { brandColor: 'red"><script>', buttonText: "x;y" } })
    expect(html).not.toContain("script")
    expect(html).toContain("background:#0b6b70")
  })

  it("keeps a line break of the host's name out of the subject", () => {
    expect(signInMail({ ...content, host: "app.example\r\nBcc: eve@evil.test" }).subject).not.toMatch(/[\r\n]/)
  })

  it("fills a host's name in as it is, whatever it looks like", () => {
    expect(signInMail({ ...content, host: "$&{duration}" }).subject).toBe("Sign in to $&{duration}")
  })

  it("has one subject, one link and the same words in both forms", () => {
    const { subject, text, html } = signInMail(content)
    expect(subject).toBe("Sign in to app.example")
    for (const form of [text, html]) {
      expect(form).toContain("The link works once and for 24 hours.")
      expect(form).toContain("If you did not ask for this, ignore it; nobody can sign in without it.")
    }
    expect(text.split("\n")).toContain(url)
    expect(html).toContain(`<a href="${url.replace("&", "&amp;")}"`)
    expect(count(html, "<a ")).toBe(1)
    expect(count(html, url.replace("&", "&amp;"))).toBe(2)
  })

  it("loads nothing from anywhere and adapts to dark mode", () => {
    const { html } = signInMail(content)
    expect(html).not.toMatch(/<(?:img|link|script|iframe)|url\(|@import/)
    expect(html).toContain('<meta name="color-scheme" content="light dark"/>')
    expect(html).toContain("@media (prefers-color-scheme:dark){.page{")
  })

  it("paints the button in the host's colour with text that can be read on it", () => {
    expect(signInMail({ ...content, theme: { brandColor: "gold" } }).html).toContain("background:#ffd700;color:#000000")
    expect(signInMail({ ...content, theme: { brandColor: "navy" } }).html).toContain("background:#000080;color:#ffffff")
  })
})
